import HTTP
import Testing

@testable import PushService

@Suite("Who may open the WebSocket")
struct AdmissionTests {
    private func status(
        _ fixture: PushFixture, path: String = "/", host: String = "push.example",
        _ fields: PushFixture.Fields = []
    ) throws -> Int {
        do {
            return try UserAgent(fixture, path: path, host: host, fields).answer.status
        } catch let error as UserAgent.Refused {
            return error.status
        }
    }

    @Test("The subprotocol push-notification is answered if the client offers it, no other")
    func subprotocols() throws {
        let fixture = try PushFixture()
        let name = "sec-websocket-protocol"
        #expect(try UserAgent(fixture).answer[name] == nil)
        #expect(
            try UserAgent(fixture, [("Sec-WebSocket-Protocol", "push-notification")]).answer[name]
                == "push-notification")
        #expect(try UserAgent(fixture, [("Sec-WebSocket-Protocol", "mqtt")]).answer[name] == nil)
        let extensions = [("Sec-WebSocket-Extensions", "permessage-deflate")]
        #expect(try UserAgent(fixture, extensions).answer["sec-websocket-extensions"] == nil)
    }

    @Test(
        "The host name must be one of the server's",
        arguments: [
            ("push.example", 101), ("PUSH.example:8443", 101), ("alias.example", 101),
            ("localhost:99", 101), ("127.0.0.1", 101), ("[::1]:8443", 101),
            ("rebound.example", 421), ("push.example.evil", 421), ("10.0.0.1", 421),
        ])
    func hosts(_ host: String, _ expected: Int) throws {
        let fixture = try PushFixture { $0.aliases = ["https://alias.example"] }
        #expect(try status(fixture, host: host) == expected)
        // Endpoints work under any host name.
        let endpoint = try fixture.userAgent().register()
        #expect(try fixture.push(endpoint, "", [("Host", host)]).status == 201)
    }

    @Test(
        "A page of another site is refused; a program is not",
        arguments: [
            ("wss://push.example/", 101), ("https://push.example", 101),
            ("https://alias.example:8443", 101), ("https://evil.example", 403), ("null", 403),
            ("https://push.example:444", 403), ("", 403), ("push.example", 403),
        ])
    func origins(_ origin: String, _ expected: Int) throws {
        let fixture = try PushFixture { $0.aliases = ["https://alias.example:8443"] }
        #expect(try status(fixture, [("Origin", origin)]) == expected)
    }

    @Test("The Origin that Firefox sends is accepted")
    func loopbackOrigin() throws {
        let fixture = try PushFixture()
        let host = "127.0.0.1:\(fixture.port)"
        #expect(try status(fixture, host: host, [("Origin", "wss://\(host)/")]) == 101)
        #expect(try status(fixture, host: host, [("Origin", "wss://127.0.0.1:1/")]) == 403)
    }

    @Test("A device that is removed is disconnected, and others are not", arguments: [1, 3])
    func removed(_ loops: Int) throws {
        let fixture = try PushFixture { $0.loops = loops }
        let other = try fixture.userAgent()
        let endpoint = try other.register()
        let secret = try fixture.addCredential()
        let agent = try UserAgent(fixture, path: "/u/" + secret)
        try agent.hello()
        _ = try agent.register()
        fixture.removeCredential()
        #expect(agent.closing() == "1011 SM")
        #expect(try status(fixture, path: "/u/" + secret) == 401)
        _ = try fixture.push(endpoint, "still there")
        #expect(try other.notification().body == "still there")
    }

    @Test("If registration needs a credential, requests without one get 401 before the upgrade")
    func token() throws {
        let fixture = try PushFixture { $0.settings = { $0.registration = .token } }
        let secret = try fixture.addCredential()
        #expect(try status(fixture) == 401)
        #expect(try status(fixture, path: "/u/nonsense") == 401)
        #expect(try status(fixture, path: "/u/" + secret.reversed()) == 401)
        #expect(try status(fixture, [("Authorization", "Bearer x")]) == 401)
        #expect(try status(fixture, [("Authorization", "Basic \(secret)")]) == 401)
        #expect(try status(fixture, path: "/u/\(secret)") == 101)
        #expect(try status(fixture, [("Authorization", "bearer \(secret)")]) == 101)
        let agent = try UserAgent(fixture, path: "/u/\(secret)")
        try agent.hello()
        #expect(try fixture.push(try agent.register(), "x").status == 201)
        try fixture.restart()
        #expect(try status(fixture, path: "/u/\(secret)") == 101)
        #expect(try status(fixture, path: "/u/\(secret)", [("Origin", "null")]) == 403)
    }

    @Test(
        "Without a configuration, clients that come through a proxy are refused",
        arguments: [
            "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
            "x-forwarded-port", "X-FORWARDED-PREFIX",
        ])
    func forwarded(_ name: String) throws {
        let fixture = try PushFixture { $0.listener.isForThisMachine = true }
        #expect(try status(fixture, [(name, "x")]) == 403)
        #expect(try status(fixture) == 101)
        #expect(
            try status(fixture, path: "/u/\(try fixture.addCredential())", [(name, "x")]) == 101)
        #expect(try status(try PushFixture(), [(name, "x")]) == 101)
    }

    @Test("A user agent is pinged after 240 s, or 55 s behind a proxy, and has 20 s to answer")
    func silence() {
        let limits = [false, true].map { UserAgentAdmission.limits(isBehindProxy: $0) }
        #expect(limits.map(\.silence) == [.seconds(240), .seconds(55)])
        #expect(limits.map(\.pongPatience) == [.seconds(20), .seconds(20)])
    }

    @Test("A request that is not for a WebSocket gets 400 or 426")
    func plain() throws {
        let fixture = try PushFixture()
        let answer = try fixture.request("GET", "/")
        #expect(answer.status == 426 || answer.status == 400)
        #expect(try fixture.request("DELETE", "/").status == 404)
    }
}
