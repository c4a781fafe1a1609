import Foundation
import Testing

@testable import Mailbox

@Suite("Updates for the clients of an engine")
struct EngineStreamTests {
    @Test("Fetch signals go to connected clients; others wait and are merged")
    func signals() throws {
        let app = try RegisteredApp(try PushFixture(), type: 4)
        for number in [9, 3] {
            #expect(try app.raw(Array("version=\(number)".utf8), method: "PUT", []).status == 201)
        }
        func told(_ viewer: EngineViewer) throws -> String {
            let update = try viewer.next("bellwire.updateFetchRequired")
            #expect(update["reason"] as? String == "signal")
            #expect(update["registration"] as? String == app.id)
            return "\(update["count"] as? Int ?? 0):\(update["version"] as? String ?? "-")"
        }
        let viewer = try EngineViewer(app)
        #expect(try told(viewer) == "2:3")
        #expect(try app.raw([], method: "PUT", []).status == 201)
        #expect(try told(viewer) == "1:-")
        try viewer.settle()
        #expect(try app.messages().isEmpty)
        try app.fixture.restart()
        let later = try EngineViewer(app)
        try later.settle()
        #expect(try app.raw([], method: "PUT", []).status == 201)
        #expect(try told(later) == "1:-")
    }

    @Test("A push without content reaches the client, now or later")
    func fetches() throws {
        let app = try RegisteredApp(try PushFixture())
        #expect(try app.push("{}").status == 201)
        #expect(try app.messages().contains { $0["count"] as? Int == 1 })
        let viewer = try EngineViewer(app)
        let told = try viewer.settle("bellwire.updateFetchRequired")
        #expect(told.map { $0["reason"] as? String } == ["empty"], "once, as it came")
        let call =
            #"{"loc_key":"VIDEO_CALL_REQUEST","loc_args":["Ada"],"custom":{"from_id":"5","call_id":"77"}}"#
        #expect(try app.push(call).status == 201)
        let update = try viewer.next("bellwire.updateFetchRequired")
        #expect(update["call_id"] as? String == "77")
        try viewer.settle()
        #expect(try app.messages().isEmpty)
    }

    @Test("A signal that was delivered is not delivered again")
    func waiting() throws {
        let app = try RegisteredApp(try PushFixture())
        #expect(try app.pushMessage("a", id: 1).status == 201)
        #expect(try app.messages().count == 1)
        let viewer = try EngineViewer(app)
        #expect(viewer.texts == ["a"])
        try viewer.settle()
        #expect(try app.messages().isEmpty)
        #expect(try app.pushMessage("b", id: 2).status == 201)
        #expect(try app.messages().isEmpty)
        #expect(app.fixture.store.index.usage(ofDevice: 1).messages == 0)
    }

    @Test("A payload for another user of the application goes to that account, or to none")
    func users() throws {
        let fixture = try PushFixture()
        let mine = try RegisteredApp(fixture, #","user_id":1"#)
        let bearer = mine.bearer
        let made = try fixture.api(
            "POST", "registrations", bearer: bearer,
            #"{"token_type":10,"app":"telegram","account":"work","user_id":2}"#)
        #expect(made.status == 201)
        let viewers = [
            try EngineViewer(mine), try EngineViewer(fixture, bearer: bearer, account: "work"),
        ]
        for (id, user) in [1, 2, 3].enumerated() {
            let text = RegisteredApp.message("for \(user)", id: id + 1)
            let payload = String(text.dropLast()) + #","user_id":"\#(user)"}"#
            #expect(try mine.push(payload).status == 201)
        }
        #expect(try mine.pushMessage("for the endpoint", id: 9).status == 201)
        for viewer in viewers { try viewer.settle() }
        #expect(viewers[0].texts == ["for 1", "for the endpoint"])
        #expect(viewers[1].texts == ["for 2"])
    }

    @Test("A client that does not read is disconnected, and gets everything when it returns")
    func slow() throws {
        let app = try RegisteredApp(try PushFixture())
        let (slow, quick) = (try EngineViewer(app), try EngineViewer(app))
        var room: Int32 = 4_096
        setsockopt(
            slow.agent.socket.descriptor, SOL_SOCKET, SO_RCVBUF, &room,
            socklen_t(MemoryLayout<Int32>.size))
        let long = String(repeating: "x", count: 768 << 10)
        let request =
            #"{"@type":"setOption","name":"x","value":{"@type":"optionValueString","value":"\#(long)"}}"#
        for _ in 0..<12 { try quick.ask(request) }
        #expect(try app.pushMessage("after", id: 1).status == 201)
        try quick.next("updateNotificationGroup")
        #expect(isCut(slow))
        #expect(try EngineViewer(app).texts == ["after"])
    }

    /// Whether its requests are no longer read. Reading all its updates through so small a buffer
    /// would take minutes.
    private func isCut(_ viewer: EngineViewer) -> Bool {
        let pong: [UInt8] = [0x8A, 0x80, 0, 0, 0, 0]
        let socket = viewer.agent.socket.descriptor
        for _ in 0..<100 {
            if send(socket, pong, pong.count, Int32(MSG_NOSIGNAL)) < 0 { return true }
            usleep(20_000)
        }
        return false
    }

    @Test("A push that could not be stored reaches no client, and its sender retries")
    func failure() throws {
        let app = try RegisteredApp(try PushFixture())
        let viewer = try EngineViewer(app)
        app.fixture.gate.refuse(.other)
        let push = try app.encrypted(RegisteredApp.message("x", id: 1))
        #expect(try app.send(push).code == "503/201")
        let (_, answer) = try viewer.ask(#"{"@type":"bellwire.setMe","user_id":5}"#)
        #expect(answer["code"] as? Int == 503)
        app.fixture.gate.refuse()
        try viewer.settle()
        #expect(viewer.texts.isEmpty)
        #expect(try app.send(push).status == 201)
        try viewer.next("updateNotificationGroup")
        #expect(viewer.texts == ["x"])
        #expect(try app.send(push).status == 201)
        try viewer.settle()
        #expect(viewer.appeared.count == 1)
    }

    @Test("An engine closed by one client serves the others; it ends with its last registration")
    func ends() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture)
        let second = try RegisteredApp(fixture, bearer: app.bearer)
        let viewers = [try EngineViewer(app), try EngineViewer(app)]
        #expect(try viewers[0].ask(#"{"@type":"close"}"#).answer["@type"] as? String == "ok")
        #expect(viewers[0].agent.closing() == "1000 ")
        #expect(try app.pushMessage("x", id: 1).status == 201)
        try viewers[1].next("updateNotificationGroup")
        #expect(try app.call("DELETE", "registrations/\(app.id)").status == 204)
        try viewers[1].settle()
        #expect(viewers[1].texts == ["x"])
        #expect(try second.call("DELETE", "registrations/\(second.id)").status == 204)
        try viewers[1].next("updateNotificationGroup")
        #expect(viewers[1].screen.isEmpty)
        #expect(viewers[1].agent.closing() == "1000 ")
        #expect(throws: UserAgent.Refused.self) { try EngineViewer(app) }
    }

    @Test("After a logout the account starts over with new ids")
    func logOut() throws {
        let app = try RegisteredApp(try PushFixture())
        let viewer = try EngineViewer(app)
        #expect(try app.pushMessage("x", id: 1).status == 201)
        try viewer.next("updateNotificationGroup")
        try viewer.ask(#"{"@type":"logOut"}"#)
        #expect(viewer.screen.isEmpty)
        #expect(try app.pushMessage("y", id: 1).status == 201)
        try viewer.next("updateNotificationGroup")
        #expect(viewer.texts == ["y"] && viewer.appeared == viewer.appeared.sorted())
        #expect(viewer.appeared.count == 2)
        try app.fixture.restart()
        #expect(try EngineViewer(app).screen == viewer.screen)
    }
}
