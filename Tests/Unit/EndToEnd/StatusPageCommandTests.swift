import Foundation
import TestSupport
import Testing

@Suite("bellwire ui")
struct StatusPageCommandTests {
    private let fixture: ServeFixture

    init() throws { fixture = try ServeFixture() }

    /// The part of the link before the # sign, and the code after it.
    private func link() throws -> (page: String, code: String) {
        let outcome = try fixture.run(["ui"])
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        let parts = outcome.output.dropLast().split(separator: "#")
        #expect(parts.count == 2)
        return (String(parts[0]), String(parts[1]))
    }

    /// Signs in, and returns the cookie with the address of the page.
    private func signIn() throws -> (cookie: String, base: String) {
        let (page, code) = try link()
        let answer = try fixture.curl(["-D", "-", "-o", "/dev/null", "-d", "code=\(code)", page])
        #expect(answer.hasSuffix(" 303"), "\(answer)")
        let line = try #require(
            answer.split(separator: "\r\n").first { $0.lowercased().hasPrefix("set-cookie: ") })
        #expect(line.contains("; Path=/; Secure; HttpOnly; SameSite=Strict"))
        let cookie = line.dropFirst("set-cookie: ".count).prefix { $0 != ";" }
        return (String(cookie), String(page.dropLast("login".count)))
    }

    private func token(in page: String) throws -> String {
        let start = try #require(page.range(of: "name=\"csrf\" value=\"")?.upperBound)
        return String(page[start...].prefix { $0 != "\"" })
    }

    @Test("A link lets its maker in once, and a code that was guessed does not")
    func once() throws {
        let server = try fixture.start()
        let (page, code) = try link()
        #expect(try fixture.curl(["-d", "code=AAAA", page]).hasSuffix(" 403"))
        #expect(try fixture.curl([page + "?code=" + code, "-o", "/dev/null"]) == " 200")
        #expect(try fixture.curl(["-d", "code=\(code)", page]).hasSuffix(" 303"))
        #expect(try fixture.curl(["-d", "code=\(code)", page]).hasSuffix(" 403"))
        #expect(server.end() == 0)
    }

    @Test("A device is added with the page's form, once, and removed; without its token nothing")
    func devices() throws {
        let server = try fixture.start()
        let (cookie, base) = try signIn()
        let own = ["-H", "Cookie: \(cookie)"]
        let page = try fixture.curl(own + [base])
        let token = try token(in: page)
        #expect(
            try fixture.curl(own + ["-d", "name=tablet&once=0", base + "devices"])
                .hasSuffix(" 403"))
        let form = "csrf=\(token)&once=0&name=tablet"
        let added = try fixture.curl(own + ["-d", form, base + "devices"])
        #expect(added.contains("tablet may connect") && added.hasSuffix(" 200"), "\(added)")
        #expect(try fixture.curl(own + ["-d", form, base + "devices"]).hasSuffix(" 409"))
        #expect(
            try fixture.run(["device", "list"]).output
                == "1  tablet  admin  never seen, receives only\n")
        let removal = ["-d", "csrf=\(token)", base + "devices/1/remove"]
        #expect(try fixture.curl(own + removal).hasSuffix(" 303"))
        #expect(try !fixture.run(["device", "list"]).output.contains("tablet"))
        #expect(try fixture.curl(own + removal).hasSuffix(" 404"))
        #expect(server.end() == 0)
    }

    @Test("What comes to a topic is on the page, found by its words, and told to the script once")
    func messages() throws {
        let server = try fixture.start()
        for name in ["builds", "door"] {
            let made = try fixture.run(["topic", "add", name, "--json"])
            let topic = try ServeFixture.object(made.output)
            let endpoint = try #require(topic["endpoint"] as? String)
            let push = ["-d", "ready & <done> at \(name)", "-H", "TTL: 60", endpoint]
            #expect(try fixture.curl(push).hasSuffix(" 201"))
        }
        let (cookie, base) = try signIn()
        let own = ["-H", "Cookie: \(cookie)"]
        let page = try fixture.curl(own + [base])
        for name in ["builds", "door"] {
            #expect(page.contains(">ready &amp; &lt;done&gt; at \(name)</div>"), "\(page)")
        }
        let found = try fixture.curl(own + [base + "?topic=&search=ready+door"])
        #expect(found.contains("at door<") && !found.contains("at builds<"))
        let only = try fixture.curl(own + [base + "?topic=builds"])
        #expect(only.contains("at builds<") && !only.contains("at door<"))
        #expect(try fixture.curl(own + [base + "?topic=other"]).hasSuffix(" 404"))
        #expect(try fixture.curl(own + [base + "?before=loud"]).hasSuffix(" 400"))
        let words = String(repeating: "a+", count: 40)
        #expect(try fixture.curl(own + [base + "?search=\(words)"]).hasSuffix(" 400"))
        let last = page.components(separatedBy: "data-last=\"")[1].prefix { $0 != "\"" }
        let told = try fixture.curl(own + [base + "messages"])
        #expect(told.contains("at door") && told.contains("\"last\":\(last)"))
        let news = try fixture.curl(own + [base + "messages?last=\(last)"])
        #expect(news == "{\"sections\":{}} 200")
        #expect(try fixture.curl([base + "messages"]).hasSuffix(" 401"))
        #expect(server.end() == 0)
    }

    @Test("Who has signed out is told nothing more, and others at once that something came")
    func streams() throws {
        let server = try fixture.start()
        let made = try ServeFixture.object(
            try fixture.run(["topic", "add", "builds", "--json"]).output)
        let endpoint = try #require(made["endpoint"] as? String)
        let (cookie, base) = try signIn()
        let own = ["-H", "Cookie: \(cookie)"]
        let token = try token(in: try fixture.curl(own + [base]))
        let stream = try RunningProcess(
            "/usr/bin/curl",
            ["-sSiN", "-m", "20", "--cacert", fixture.authority] + own + [base + "messages/stream"])
        var head = ""
        while !head.hasSuffix("retry: 2000\n\n") {
            let data = stream.output.availableData
            guard !data.isEmpty else { break }
            head += String(decoding: data, as: UTF8.self)
        }
        #expect(head.contains(" 200") && head.contains("text/event-stream"), "\(head)")
        #expect(try fixture.curl(["-d", "x", "-H", "TTL: 60", endpoint]).hasSuffix(" 201"))
        let event = String(decoding: stream.output.availableData, as: UTF8.self)
        #expect(event == "data: new\n\n")
        #expect(try fixture.curl(own + ["-d", "csrf=\(token)", base + "logout"]).hasSuffix(" 303"))
        #expect(try stream.text() == "")
        #expect(stream.wait() == 0)
        #expect(
            try fixture.curl(own + [base + "messages/stream"]).hasSuffix(" 401"))
        #expect(server.end() == 0)
    }

    @Test("A test reaches every kind of registration, as the text that the page promises")
    func sendsTest() throws {
        let server = try fixture.start()
        let kinds = [
            ["--app", "telegram"], ["--app", "plain", "--dialect", "matrix"],
            ["--app", "zego", "--dialect", "zpns"], ["--app", "locked", "--secret", "new"],
            ["--app", "fetcher", "--type", "4"],
        ]
        for kind in kinds {
            let outcome = try fixture.run(["register", "--account", "me"] + kind)
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
        }
        let (cookie, base) = try signIn()
        let own = ["-H", "Cookie: \(cookie)"]
        let token = try token(in: try fixture.curl(own + [base]))
        let list = try ServeFixture.object(
            try fixture.run(["registration", "list", "--json"]).output)
        let all = try #require(list["registrations"] as? [[String: Any]])
        #expect(all.count == kinds.count)
        for registration in all {
            let id = try #require(registration["id"] as? String)
            let place = base + "registrations/\(id)/test"
            let answer = try fixture.curl(own + ["-d", "csrf=\(token)", place])
            #expect(answer.hasSuffix(" 303"), "\(registration["app"] ?? ""): \(answer)")
            guard registration["app"] as? String != "fetcher" else { continue }
            let chats = try fixture.curl(own + [base + "accounts/\(id)"])
            #expect(chats.contains(">1</td>"), "\(registration["app"] ?? ""): \(chats)")
        }
        #expect(server.end() == 0)
    }

    @Test("There is no page under a path of a site, and the command says what to do")
    func sharedSite() throws {
        let server = try fixture.start([
            "--listen", "127.0.0.1:0", "--base-url", "https://localhost:1/push",
        ])
        let outcome = try fixture.run(["ui"])
        #expect(outcome.exitCode == 3 && outcome.errors.contains("ui = https://HOST"))
        #expect(server.end() == 0)
    }

    @Test("A page with an origin of its own is there only")
    func ownOrigin() throws {
        let server = try fixture.start([
            "--listen", "127.0.0.1:0", "--base-url", "https://localhost:1/push", "--ui",
            "https://status.localhost",
        ])
        #expect(try link().page == "https://status.localhost/ui/login")
        let start = try #require(server.errors.range(of: "address=127.0.0.1:")?.upperBound)
        let port = server.errors[start...].prefix(while: \.isNumber)
        let place = "https://localhost:\(port)/ui/login"
        #expect(try fixture.curl(["-o", "/dev/null", place]) == " 421")
        let named = ["-H", "Host: status.localhost", "-o", "/dev/null", place]
        #expect(try fixture.curl(named) == " 200")
        #expect(
            try fixture.curl(["-H", "Origin: https://localhost"] + named) == " 403")
        #expect(server.end() == 0)
    }
}
