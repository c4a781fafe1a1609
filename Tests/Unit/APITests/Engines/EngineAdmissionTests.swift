import Foundation
import Testing

@testable import Mailbox

@Suite("Who may be a client of an engine")
struct EngineAdmissionTests {
    private func status(
        _ fixture: PushFixture, _ query: String, _ fields: PushFixture.Fields = []
    ) throws -> Int {
        do {
            _ = try UserAgent(fixture, path: "/api/v1/engine" + query, fields)
            return 101
        } catch let refused as UserAgent.Refused { return refused.status }
    }

    @Test("A device's secret opens the engines of its owner, and no others")
    func owners() throws {
        let fixture = try PushFixture()
        let (mine, other) = (
            try RegisteredApp(fixture),
            try RegisteredApp(fixture, bearer: try fixture.addCredential(owner: "other"))
        )
        func status(_ app: RegisteredApp, _ query: String) throws -> Int {
            try self.status(fixture, query, [("Authorization", "Bearer \(app.bearer)")])
        }
        for app in [mine, other] {
            #expect(try status(app, "?app=telegram&account=me") == 101)
            #expect(try status(app, "?account=me") == 101)
        }
        #expect(try status(mine, "?account=you") == 404)
        #expect(try status(mine, "?app=icq&account=me") == 404)
        for query in ["", "?app=telegram", "?account="] {
            #expect(try status(mine, query) == 400, "\(query)")
        }
        // Each gets only its own pushes.
        let viewers = [try EngineViewer(mine), try EngineViewer(other)]
        #expect(try other.pushMessage("theirs", id: 1).status == 201)
        #expect(try mine.pushMessage("mine", id: 1).status == 201)
        for viewer in viewers { try viewer.next("updateNotificationGroup") }
        #expect(viewers.map(\.texts) == [["mine"], ["theirs"]])
        for viewer in viewers { try viewer.settle() }
        #expect(viewers.map(\.texts) == [["mine"], ["theirs"]])
    }

    @Test("Where two applications have an account, one has to be named")
    func applications() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture)
        _ = try RegisteredApp(fixture, app: "plain chat", bearer: app.bearer)
        let bearer = [("Authorization", "Bearer \(app.bearer)")]
        #expect(try status(fixture, "?account=me", bearer) == 400)
        #expect(try status(fixture, "?account=me&app=plain%20chat", bearer) == 101)
        #expect(try status(fixture, "?account=me&app=telegram", bearer) == 101)
    }

    @Test("Strangers, pages of other sites and foreign host names are refused")
    func strangers() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture)
        let bearer = ("Authorization", "Bearer \(app.bearer)")
        let query = "?account=me"
        #expect(try status(fixture, query) == 401)
        #expect(try status(fixture, query, [("Authorization", "Bearer x")]) == 401)
        #expect(try status(fixture, query, [bearer, ("Origin", "https://evil.example")]) == 403)
        #expect(try status(fixture, query, [bearer, ("Origin", "null")]) == 403)
        #expect(
            try status(fixture, query, [bearer, ("Origin", "https://push.example")]) == 101)
        do {
            _ = try UserAgent(
                fixture, path: "/api/v1/engine" + query, host: "evil.example", [bearer])
            Issue.record("misdirected and taken")
        } catch let refused as UserAgent.Refused { #expect(refused.status == 421) }
        // A request without a WebSocket upgrade.
        #expect(try app.call("GET", "engine" + query).status == 400)
    }
}
