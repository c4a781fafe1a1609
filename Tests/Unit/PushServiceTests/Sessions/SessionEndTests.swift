import Configuration
import Foundation
import Testing

@testable import Mailbox
@testable import PushService

@Suite("A session ends with the right that let it in")
struct SessionEndTests {
    /// Enough connections that each of two loops has some.
    private static let count = 6

    private func fixture() throws -> PushFixture { try PushFixture { $0.loops = 2 } }

    /// Whether all of them are closed within a second.
    private func end(_ agents: [UserAgent]) -> Bool {
        let start = ContinuousClock.now
        let closings = agents.map { $0.closing() }
        return !closings.contains("none") && ContinuousClock.now - start < .seconds(1)
    }

    enum Stage: CaseIterable { case silent, greeted, subscribed }

    @Test(
        "A user agent is disconnected with the credential of its device, at any stage",
        arguments: Stage.allCases)
    func userAgents(_ stage: Stage) throws {
        let fixture = try fixture()
        let others = try [fixture.addCredential(), fixture.addCredential(owner: "other")].map {
            try UserAgent(fixture, path: "/u/" + $0)
        }
        let secret = try fixture.addCredential()
        let agents = try (0..<Self.count).map { _ in
            let agent = try UserAgent(fixture, path: "/u/" + secret)
            if stage != .silent { try agent.hello() }
            if stage == .subscribed { _ = try agent.register() }
            return agent
        }
        fixture.removeCredential()
        #expect(end(agents))
        for other in others { try other.hello() }
    }

    @Test(
        "A node that no longer knows what others do sends all user agents away, at any stage",
        arguments: Stage.allCases)
    func sentAway(_ stage: Stage) throws {
        let fixture = try fixture()
        let agents = try (0..<Self.count).map { _ in
            let agent = try UserAgent(fixture)
            if stage != .silent { try agent.hello() }
            if stage == .subscribed { _ = try agent.register() }
            return agent
        }
        fixture.store.sendClientsAway()
        #expect(end(agents))
    }

    @Test("An engine's client is disconnected with its device's credential; the engine stays")
    func engines() throws {
        let fixture = try fixture()
        let app = try RegisteredApp(fixture)
        let second = try fixture.addCredential()
        let agents = try (0..<Self.count).map { number in
            try EngineViewer(
                fixture, bearer: second, number % 2 == 0 ? "" : "&role=viewer"
            ).agent
        }
        let stays = try EngineViewer(app)
        fixture.removeCredential()
        #expect(end(agents))
        #expect(try app.pushMessage("still there", id: 1).status == 201)
        try stays.next("updateNotificationGroup")
        #expect(stays.texts == ["still there"])
    }

    @Test("Requests after the end of a client's credential are ignored")
    func commands() throws {
        let fixture = try fixture()
        let app = try RegisteredApp(fixture)
        let revoked = try EngineViewer(fixture, bearer: try fixture.addCredential())
        let stays = try EngineViewer(app)
        fixture.removeCredential()
        #expect(end([revoked.agent]))
        revoked.agent.send(
            #"{"@type":"setOption","name":"notification_group_count_max","value":{"@type":"optionValueInteger","value":"0"}}"#
        )
        #expect(try app.pushMessage("shown", id: 1).status == 201)
        try stays.next("updateNotificationGroup")
        #expect(stays.texts == ["shown"])
    }

    @Test("Only the sessions of a removed owner end")
    func owners() throws {
        let fixture = try fixture()
        let app = try RegisteredApp(fixture)
        let secrets = try [app.bearer, fixture.addCredential()]
        let agents = try secrets.flatMap { secret in
            [
                try UserAgent(fixture, path: "/u/" + secret),
                try EngineViewer(fixture, bearer: secret).agent,
            ]
        }
        let other = try UserAgent(fixture, path: "/u/" + fixture.addCredential(owner: "other"))
        // The owner that was made first.
        fixture.removeOwner(1)
        #expect(end(agents))
        try other.hello()
    }

    @Test(
        "A request that waits for the store when its credential ends gets 401",
        arguments: [
            "engine?account=me", "registrations", "registrations/ID", "pending?registration=ID",
        ])
    func waiting(_ path: String) throws {
        let fixture = try fixture()
        let app = try RegisteredApp(fixture)
        let secret = try fixture.addCredential()
        let loads = fixture.gate.count(of: .load)
        fixture.gate.shut(.load)
        let socket = try ByteSocket(port: fixture.port)
        socket.send(
            PushFixture.bytes(
                "GET", "/api/v1/" + path.replacing("ID", with: app.id),
                [
                    ("Authorization", "Bearer " + secret), ("Upgrade", "websocket"),
                    ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
                    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
                ], body: nil))
        #expect(fixture.gate.await(.load, loads + 1))
        fixture.removeCredential()
        fixture.gate.open()
        #expect(HTTPAnswer(from: socket).status == 401)
    }

    @Test("Closing registration disconnects clients without a device, and no devices")
    func registrationClosed() throws {
        let fixture = try fixture()
        let strangers = try (0..<Self.count).map { number in
            let agent = try UserAgent(fixture)
            if number % 2 == 0 { try agent.hello() }
            return agent
        }
        let device = try UserAgent(fixture, path: "/u/" + fixture.addCredential())
        var settings = fixture.service.settings
        settings.registration = .token
        settings.values = SettingValues(["local-users": [Setting("yes", from: .fallback)]])
        fixture.service.use(settings)
        #expect(end(strangers))
        try device.hello()
        do {
            _ = try UserAgent(fixture)
            Issue.record("let in")
        } catch let refused as UserAgent.Refused { #expect(refused.status == 401) }
    }
}
