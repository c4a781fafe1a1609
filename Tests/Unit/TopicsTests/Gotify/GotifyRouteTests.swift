import Base
import Testing

@testable import Topics

@Suite("Gotify's routes and refusals")
struct GotifyRouteTests {
    private func find(_ method: String, _ path: String) throws -> GotifyRoute? {
        let path = Array(path.utf8)
        return try GotifyRoute.find(method, path.span)
    }

    static let routes: [(String, String, GotifyRoute.Action, Int64)] = [
        ("POST", "/message", .publish, 0), ("GET", "/message", .listMessages, 0),
        ("DELETE", "/message", .deleteMessages, 0), ("DELETE", "/message/7", .deleteMessage, 7),
        ("GET", "/application/3/message", .listMessagesOfApplication, 3),
        ("DELETE", "/application/3/message", .deleteMessagesOfApplication, 3),
        ("GET", "/application", .listApplications, 0),
        ("POST", "/application", .makeApplication, 0),
        ("PUT", "/application/3", .changeApplication, 3),
        ("DELETE", "/application/3", .deleteApplication, 3),
        ("POST", "/application/3/image", .setPicture, 3),
        ("DELETE", "/application/3/image", .removePicture, 3),
        ("GET", "/client", .listClients, 0), ("POST", "/client", .makeClient, 0),
        ("PUT", "/client/9223372036854775807", .changeClient, .max),
        ("DELETE", "/client/0", .deleteClient, 0), ("GET", "/stream", .stream, 0),
        ("GET", "/current/user", .user, 0), ("POST", "/current/user/password", .manageUsers, 0),
        ("GET", "/user", .manageUsers, 0), ("POST", "/user", .manageUsers, 0),
        ("GET", "/user/1", .manageUsers, 1), ("POST", "/user/1", .manageUsers, 1),
        ("DELETE", "/user/1", .manageUsers, 1), ("GET", "/version", .version, 0),
        ("GET", "/gotifyinfo", .info, 0), ("GET", "/health", .health, 0),
        ("HEAD", "/health", .health, 0), ("GET", "/image/a.png", .picture, 0),
        ("GET", "/static/defaultapp.png", .usualPicture, 0),
        ("OPTIONS", "/message", .preflight, 0), ("OPTIONS", "/client/x/y", .preflight, 0),
    ]

    @Test("Each route, with doubled and trailing slashes and the prefix", arguments: routes)
    func known(_ row: (method: String, path: String, action: GotifyRoute.Action, id: Int64)) throws
    {
        let doubled = "//" + row.path.replacing(each: "/", by: "//")
        for path in [row.path, row.path + "/", doubled, "/gotify" + row.path, "//gotify" + doubled]
        {
            let route = try #require(try find(row.method, path))
            #expect(route.action == row.action && route.id == row.id)
        }
    }

    @Test func everyActionHasARoute() {
        #expect(Set(Self.routes.map(\.2)) == Set(GotifyRoute.Action.allCases))
    }

    @Test func pictureName() throws {
        #expect(try find("GET", "/gotify/image/9f.png")?.name == "9f.png")
    }

    @Test(
        "Elsewhere are topics",
        arguments: [
            "/", "", "/builds", "/messages", "/Message", "/builds/json", "/v1/health",
            "/gotifyx/message",
        ])
    func topics(_ path: String) throws { #expect(try find("GET", path) == nil) }

    @Test("All first words of Gotify's paths are reserved as names of topics")
    func reserved() throws {
        for path in Self.routes.map(\.1) + ["/gotify", "/plugin"] {
            let word = try #require(path.split(separator: "/").first)
            #expect(try #require(TopicName(word)).isReserved, "\(word)")
        }
    }

    @Test(
        "Unknown paths and methods are 404 in Gotify's JSON",
        arguments: [
            ("PATCH", "/message"), ("PUT", "/message"), ("GET", "/message/1/2"),
            ("GET", "/application/1"), ("GET", "/application/1/messages"), ("GET", "/plugin"),
            ("GET", "/gotify"), ("GET", "/gotify/builds"), ("GET", "/gotify/gotify/message"),
            ("HEAD", "/version"), ("GET", "/static/other.png"), ("GET", "/image"),
            ("POST", "/client/1/elevate"), ("GET", "/current"), ("post", "/message"),
        ])
    func unknown(_ method: String, _ path: String) {
        #expect(throws: GotifyRefusal.unknownPath) { try find(method, path) }
    }

    @Test(arguments: ["x", "-1", "+1", "01", "1.0", "9223372036854775808", "%31", "1 "])
    func badIDs(_ id: String) {
        #expect(throws: GotifyRefusal.badID) { try find("DELETE", "/message/\(id)") }
    }

    @Test func longPaths() throws {
        let slashes = String(repeating: "/", count: 500)
        #expect(try find("POST", slashes + "message")?.action == .publish)
        #expect(try find("POST", slashes + "//////message") == nil)
    }

    @Test("Paths that are cut anywhere are a route, a refusal or a topic's")
    func cut() {
        let whole = "/gotify/application/12/message"
        for length in 0...whole.utf8.count {
            let path = String(whole.prefix(length))
            do throws(GotifyRefusal) {
                let bytes = Array(path.utf8)
                let route = try GotifyRoute.find("GET", bytes.span)
                #expect(route == nil || [19, 20, 30].contains(length), "\(path)")
            } catch {
                #expect(error == .unknownPath, "\(path)")
            }
        }
    }

    @Test("What each route needs of its caller")
    func admission() throws {
        let pattern = try #require(TopicPattern("*"))
        let callers: [(TopicCaller, Set<GotifyRoute.Action>)] = [
            (.token(TokenTerms(.application, pattern, .write)), Self.publishing.union(Self.ending)),
            (.token(TokenTerms(.client, pattern, [.read, .end])), Self.reading.union(Self.ending)),
            (.token(TokenTerms(.access, pattern, .read)), Self.reading),
            (.token(TokenTerms(.access, pattern, .answer)), []),
            (.device(isReceiveOnly: true), Self.reading),
            (.device(isReceiveOnly: false), Set(GotifyRoute.Action.allCases)),
        ]
        for (method, path, action, _) in Self.routes {
            let route = try #require(try find(method, path))
            for (caller, allowed) in callers {
                let isAllowed = allowed.union(Self.forEverybody).contains(action)
                #expect(refusal(route, caller) == (isAllowed ? nil : .forbidden), "\(action)")
            }
            let expected: AccessRefusal? =
                Self.forEverybody.contains(action) ? nil : .wrongCredential
            for caller in [TopicCaller.impostor, .stranger, .thisMachine] {
                #expect(refusal(route, caller) == expected)
            }
        }
    }

    private static let forEverybody: Set<GotifyRoute.Action> = [
        .version, .info, .health, .preflight, .picture, .usualPicture,
    ]
    private static let publishing: Set<GotifyRoute.Action> = [.publish, .makeApplication]
    private static let ending: Set<GotifyRoute.Action> = [
        .deleteMessages, .deleteMessage, .deleteMessagesOfApplication,
    ]
    private static let reading: Set<GotifyRoute.Action> = [
        .listMessages, .listMessagesOfApplication, .listApplications, .listClients, .makeClient,
        .deleteClient, .stream, .user,
    ]

    private func refusal(_ route: GotifyRoute, _ caller: TopicCaller) -> AccessRefusal? {
        do throws(AccessRefusal) {
            try route.admit(caller)
            return nil
        } catch {
            return error
        }
    }

    @Test("Each refusal has the members that clients read")
    func refusals() {
        let rows: [(GotifyRefusal, Int, String)] = [
            (.badBody, 400, "Bad Request"), (.badID, 400, "Bad Request"),
            (.noPicture, 400, "Bad Request"), (.missing("name"), 400, "Bad Request"),
            (.bad("priority"), 400, "Bad Request"),
            (GotifyRefusal(.wrongCredential), 401, "Unauthorized"),
            (GotifyRefusal(.forbidden), 403, "Forbidden"), (.notHere, 403, "Forbidden"),
            (.unknownPath, 404, "Not Found"), (.unknownMessage, 404, "Not Found"),
            (.unknownApplication, 404, "Not Found"), (.unknownClient, 404, "Not Found"),
            (.tooLarge, 413, "Request Entity Too Large"),
            (GotifyRefusal(.tooManyTopics), 429, "Too Many Requests"),
            (GotifyRefusal(.badEncoding), 401, "Unauthorized"),
            (GotifyRefusal(ntfy: .failed), 500, "Internal Server Error"),
            (.unavailable, 503, "Service Unavailable"),
            (GotifyRefusal(ntfy: .fullDisk), 507, "Insufficient Storage"),
        ]
        for (refusal, status, phrase) in rows {
            let expected = #"{"error":"\#(phrase)","errorCode":\#(status),"errorDescription":""#
            let text = String(decoding: refusal.json, as: UTF8.self)
            #expect(refusal.status == status && text.hasPrefix(expected) && text.hasSuffix(#""}"#))
        }
        #expect(
            String(decoding: GotifyRefusal.missing("message").json, as: UTF8.self).hasSuffix(
                #""errorDescription":"Field 'message' is required"}"#))
    }
}
