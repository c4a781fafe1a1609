import Base
import Testing

@testable import Topics

@Suite("Paths of ntfy's language")
struct NtfyRouteTests {
    private func route(_ method: String, _ path: String) throws -> NtfyRoute {
        try NtfyRoute(method: method, path: Array(path.utf8).span)
    }

    private func name(_ text: String) throws -> TopicName { try #require(TopicName(text)) }

    @Test("Publishing")
    func publishing() throws {
        let t = try name("t")
        for method in ["PUT", "POST"] {
            #expect(try route(method, "/t") == .publish(t, sequence: ""))
            #expect(try route(method, "/") == .publishJSON)
            #expect(try route(method, "/t/s-1") == .publish(t, sequence: "s-1"))
            for word in ["send", "publish", "json", "delete", "auth"] {
                #expect(try route(method, "/t/" + word) == .publish(t, sequence: word))
            }
        }
        for word in ["publish", "send", "trigger"] {
            #expect(try route("GET", "/t/" + word) == .trigger(t))
        }
    }

    @Test("Ending the notification of a sequence")
    func ends() throws {
        let t = try name("t")
        #expect(try route("DELETE", "/t/s") == .delete(t, sequence: "s"))
        #expect(try route("GET", "/t/s/delete") == .delete(t, sequence: "s"))
        for method in ["GET", "PUT"] {
            #expect(try route(method, "/t/s/clear") == .clear(t, sequence: "s"))
            #expect(try route(method, "/t/s/read") == .clear(t, sequence: "s"))
        }
    }

    @Test("Reading")
    func reading() throws {
        let (a, b) = (try name("a"), try name("b"))
        for word in ["json", "sse", "raw", "ws"] {
            let stream = try #require(NtfyRoute.Stream(rawValue: word))
            #expect(try route("GET", "/a/" + word) == .stream(stream, [a]))
            #expect(try route("GET", "/a,b,a/" + word) == .stream(stream, [a, b, a]))
        }
        #expect(try route("GET", "/a%2Cb/auth") == .mayRead([a, b]))
        #expect(try route("GET", "/a/auth") == .mayRead([a]))
        #expect(try route("GET", "/a") == .topic(a))
        #expect(try route("GET", "/%61") == .topic(a))
    }

    @Test("The small paths")
    func small() throws {
        for (method, path, expected) in [
            ("GET", "/", .root), ("HEAD", "/", .root), ("HEAD", "", .root),
            ("OPTIONS", "/", .preflight), ("OPTIONS", "/any/path/", .preflight),
            ("GET", "/v1/health", .health), ("GET", "/v1/config", .configuration),
            ("GET", "/config.js", .configurationScript), ("GET", "/v1/stats", .statistics),
            ("GET", "/v1/version", .version), ("GET", "/v1/account", .account),
            ("POST", "/v1/account", .signUp), ("POST", "/v1/account/token", .makeToken),
            ("PATCH", "/v1/account/token", .changeToken),
            ("DELETE", "/v1/account/token", .removeToken),
            ("POST", "/v1/account/reservation", .reserve),
            ("DELETE", "/v1/account/reservation/t", .release(try name("t"))),
            ("GET", "/file/abc.png", .file("abc.png")), ("HEAD", "/file/abc", .file("abc")),
        ] as [(String, String, NtfyRoute)] {
            #expect(try route(method, path) == expected, "\(method) \(path)")
        }
    }

    @Test(
        "Everything else is not found",
        arguments: [
            ("GET", "/t/"), ("POST", "/t/"), ("POST", "//t"), ("GET", "//"), ("POST", "//"),
            ("GET", "/t//json"), ("GET", "/t/json/"), ("GET", "/a,/json"), ("GET", "/,a/json"),
            ("GET", "/a,b/publish"), ("GET", "/a b/json"), ("GET", "/favicon.ico"),
            ("GET", "/t/s"), ("POST", "/t/s/clear"), ("PUT", "/t/s/delete"), ("DELETE", "/t"),
            ("POST", "/t/a.b"), ("PUT", "/a.b/s"), ("DELETE", "/a/"), ("GET", "/a/b/c"),
            ("GET", "/a/b/c/d"), ("PATCH", "/t"), ("HEAD", "/t"), ("TRACE", "/"), ("get", "/t"),
            ("GET", "/v1"), ("GET", "/docs"), ("PUT", "/v1/health"), ("POST", "/v1/users"),
            ("DELETE", "/v1/account"), ("GET", "/file/"), ("POST", "/file/x"), ("GET", "/file/x/y"),
            ("DELETE", "/v1/account/reservation/a.b"), ("GET", "/%"), ("GET", "/%FF"),
            ("GET", "t"), ("POST", "t"), ("PUT", "/ui/x"), ("GET", "/v1/s/clear"),
        ])
    func notFound(_ method: String, _ path: String) {
        #expect(throws: NtfyRefusal.notFound) { try route(method, path) }
    }

    @Test("A wrong name and a reserved one are said to be so")
    func names() {
        let long = "/" + String(repeating: "x", count: 65)
        for path in ["/a,b", "/a.b", "/ü", "/a%20b", long] {
            #expect(throws: NtfyRefusal.notFound) { try route("POST", path) }
        }
        for name in TopicName.reserved {
            #expect(throws: NtfyRefusal.reservedTopic) { try route("PUT", "/" + name) }
            #expect(throws: NtfyRefusal.reservedTopic) { try route("GET", "/a,\(name)/json") }
            guard name != "file" else { continue }
            #expect(throws: NtfyRefusal.reservedTopic) { try route("GET", "/\(name)/publish") }
        }
    }
}
