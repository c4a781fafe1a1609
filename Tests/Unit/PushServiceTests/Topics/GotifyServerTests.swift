import Foundation
import Testing
import Topics

@Suite("What Gotify's paths tell everybody")
struct GotifyServerTests {
    @Test(
        "Slashes may be doubled, and base paths and a path for Gotify alone may stand before",
        arguments: [
            "/version", "//version", "/version/", "/gotify/version", "//gotify///version//",
            "/sub/path/version", "/sub/path//version", "/sub/path/gotify/version",
        ])
    func paths(path: String) throws {
        let fixture = try PushFixture { $0.baseURL = "https://push.example/sub/path" }
        let reply = try GotifyCaller(fixture, key: nil).ask("GET", path)
        #expect(reply.text("version") == "test")
        #expect(reply.members.keys.sorted() == ["buildDate", "commit", "version"])
        #expect(reply.answer["content-type"] == "application/json")
    }

    @Test("The server says what it is, and how it is, to everybody")
    func server() throws {
        let stranger = GotifyCaller(try PushFixture(), key: nil)
        let info = try stranger.ask("GET", "/gotifyinfo")
        #expect(info.text("version") == "test")
        #expect(info.members["register"] as? Bool == false)
        #expect(info.members["oidc"] as? Bool == false)
        for path in ["/health", "/gotify/health"] {
            let health = try stranger.ask("GET", path)
            #expect(health.text("health") == "green" && health.text("database") == "green")
            #expect(health.text("status") == "OK" && health.text("version") == "test")
            #expect(try stranger.fixture.request("HEAD", path).status == 200)
        }
        #expect(try stranger.fixture.request("GET", "/__heartbeat__").text.contains("green"))
    }

    @Test("A page may ask what it may send, without a credential")
    func preflight() throws {
        let fixture = try PushFixture()
        for path in ["/message", "/gotify/application/1/image"] {
            let answer = try fixture.request("OPTIONS", path, [("Origin", "https://other.example")])
            #expect(answer.status == 200 && answer["access-control-allow-origin"] == "*")
            #expect(answer["access-control-allow-methods"]?.contains("DELETE") == true)
        }
    }

    @Test(
        "Unknown paths and wrong ids are refused in Gotify's form",
        arguments: [
            ("GET", "/gotify", 404), ("GET", "/gotify/nothing", 404), ("PATCH", "/message", 404),
            ("GET", "/application/1", 404), ("GET", "/application/x/message", 400),
            ("DELETE", "/message/-1", 400), ("DELETE", "/message/99999999999999999999", 400),
            ("GET", "/plugin", 404),
        ])
    func unknown(method: String, path: String, status: Int) throws {
        let owner = try GotifyCaller(try PushFixture())
        try owner.ask(method, path, expecting: nil).expectRefusal(status)
    }

    @Test(
        "The names of Gotify's paths are no topics", arguments: ["/message", "/stream", "/client"])
    func reserved(path: String) throws {
        let fixture = try PushFixture()
        try GotifyCaller(fixture, key: nil).ask("PUT", path, "text", expecting: nil)
            .expectRefusal(404)
    }
}

@Suite("Who may do what on Gotify's paths")
struct GotifyRightTests {
    @Test("A credential counts in each of its four forms")
    func forms() throws {
        let fixture = try PushFixture()
        let owner = try GotifyCaller(fixture)
        let application = try owner.makeApplication("Backup")
        let token = try #require(application.sender.fields.first?.1)
        let body = Array(#"{"message":"text"}"#.utf8)
        for fields in [[("X-Gotify-Key", token)], [("Authorization", "bEaReR \(token)")]] {
            #expect(try fixture.request("POST", "/message", fields, body: body).status == 200)
        }
        let path = "/message?token=\(token)"
        #expect(try fixture.request("POST", path, body: body).status == 200)
        try owner.ask("GET", "/current/user")
        #expect(try owner.texts().count == 3)
    }

    @Test("Without a credential, or with a wrong one, the answer is 401")
    func unauthorized() throws {
        let fixture = try PushFixture()
        let wrong: [PushFixture.Fields] = [
            [], [("X-Gotify-Key", "Awrongwrongwrong")], [("X-Gotify-Key", "short")],
            [("Authorization", "Bearer Cwrongwrongwrong")], [("Authorization", "Basic eDp5")],
            [("Authorization", "Basic !")],
        ]
        for (method, path) in [
            ("POST", "/message"), ("GET", "/message"), ("GET", "/application"), ("GET", "/client"),
            ("GET", "/stream"), ("DELETE", "/message/1"), ("POST", "/user"),
        ] {
            for fields in wrong.prefix(2) {
                GotifyReply(try fixture.request(method, path, fields, body: [])).expectRefusal(401)
            }
        }
        for fields in wrong {
            GotifyReply(try fixture.request("GET", "/message", fields)).expectRefusal(401)
        }
    }

    @Test("A token does what it is for, and nothing else")
    func forbidden() throws {
        let fixture = try PushFixture()
        let owner = try GotifyCaller(fixture)
        let (application, client) = (
            try owner.makeApplication("Backup"), try owner.makeClient()
        )
        for (method, path) in [
            ("GET", "/message"), ("GET", "/application"), ("GET", "/client"),
            ("GET", "/current/user"), ("DELETE", "/application/\(application.id)"),
        ] {
            try application.sender.ask(method, path, expecting: nil).expectRefusal(403)
        }
        for (method, path) in [
            ("POST", "/message"), ("POST", "/application"), ("PUT", "/client/1"),
            ("DELETE", "/application/\(application.id)"), ("POST", "/current/user/password"),
        ] {
            try client.ask(method, path, "{}", expecting: nil).expectRefusal(403)
        }
        try owner.ask("POST", "/current/user/password", "{}", expecting: nil).expectRefusal(403)
        try owner.ask("GET", "/user", expecting: nil).expectRefusal(403)
    }

    @Test("A page of another site is nobody by the password that its browser knows")
    func otherSite() throws {
        let fixture = try PushFixture()
        let owner = try GotifyCaller(fixture)
        let client = try owner.makeClient()
        let origin = [("Origin", "https://other.example")]
        #expect(try fixture.request("GET", "/message", owner.fields + origin).status != 200)
        #expect(try fixture.request("GET", "/message", client.fields + origin).status == 200)
    }

    @Test("Who tries many tokens has to wait")
    func guesses() throws {
        let fixture = try PushFixture { $0.settings = { $0.now = { 1_000 } } }
        let guesser = GotifyCaller(fixture, key: "Awrongwrongwrong")
        var last = try guesser.ask("GET", "/message", expecting: nil)
        for _ in 0..<60 { last = try guesser.ask("GET", "/message", expecting: nil) }
        last.expectRefusal(429)
        #expect(last.answer["retry-after"] != nil)
    }

    @Test("What has ended opens nothing")
    func ended() throws {
        let fixture = try PushFixture()
        let owner = try GotifyCaller(fixture)
        let late = try GotifyCaller.token(.client, "*", [.read], of: fixture, end: 1)
        try late.ask("GET", "/message", expecting: nil).expectRefusal(401)
        let application = try owner.makeApplication("Backup")
        try owner.ask("DELETE", "/application/\(application.id)")
        try application.sender.ask("POST", "/message", "{}", expecting: nil).expectRefusal(401)
    }
}
