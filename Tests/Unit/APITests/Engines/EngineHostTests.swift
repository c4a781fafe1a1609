import Foundation
import TestSupport
import Testing

@testable import Mailbox

@Suite("Engines of registrations")
struct EngineHostTests {
    @Test("A push becomes a notification for connected and for later clients")
    func push() throws {
        let app = try RegisteredApp(try PushFixture())
        let viewer = try EngineViewer(app)
        #expect(viewer.screen.isEmpty)
        #expect(try app.pushMessage("Hi", id: 1).status == 201)
        try viewer.next("updateNotificationGroup")
        #expect(viewer.texts == ["Hi"])
        let later = try EngineViewer(app)
        #expect(later.screen == viewer.screen)
        try app.fixture.restart()
        #expect(try EngineViewer(app).screen == viewer.screen)
    }

    @Test("The answer to a request follows its updates, on every connection")
    func requests() throws {
        let app = try RegisteredApp(try PushFixture())
        let viewers = [try EngineViewer(app), try EngineViewer(app)]
        let payload = RegisteredApp.message("x", id: 7).replacing("\"", with: "\\\"")
        let (before, answer) = try viewers[0].ask(
            #"{"@type":"processPushNotification","payload":"\#(payload)"}"#)
        #expect(answer["@type"] as? String == "ok")
        #expect(before.contains { $0["@type"] as? String == "updateNotificationGroup" })
        try viewers[1].next("updateNotificationGroup")
        #expect(viewers[0].screen == viewers[1].screen && viewers[0].texts == ["x"])
        let group = try #require(viewers[1].screen.keys.first)
        let id = try #require(viewers[1].screen[group]?.keys.first)
        try viewers[1].ask(
            #"{"@type":"removeNotification","notification_group_id":\#(group),"notification_id":\#(id)}"#
        )
        try viewers[0].settle()
        #expect(viewers[0].screen.isEmpty && viewers[1].screen.isEmpty)
        try app.fixture.restart()
        #expect(try EngineViewer(app).screen.isEmpty)
    }

    @Test("Each member of a presentation comes from the latest registration that has it")
    func presentations() throws {
        let fixture = try PushFixture()
        func register(_ presentation: String, _ bearer: String? = nil) throws -> RegisteredApp {
            try RegisteredApp(
                fixture, app: "icq",
                #","notify_mode":"applePushNotification","presentation":\#(presentation)"#,
                bearer: bearer)
        }
        let first = try register(#"{"sound":"one","action_loc_key":"READ"}"#)
        var viewer = try EngineViewer(fixture, bearer: first.bearer, app: "icq")
        var count = 0
        /// The presentation of the next push.
        func looks() throws -> [String?] {
            count += 1
            let payload =
                #"{"aps":{"alert":{"loc-key":"IM2","loc-args":["1\#(count)","2","hi"]}}}"#
            #expect(try first.push(payload).status == 201)
            let update = try viewer.next("updateNotificationGroup")
            let added = try #require((update["added_notifications"] as? [[String: Any]])?.first)
            let type = try #require(added["type"] as? [String: Any])
            let shown = type["bellwire.presentation"] as? [String: Any]
            return [shown?["sound"] as? String, shown?["default_action"] as? String]
        }
        #expect(try looks() == ["one", "READ"])
        let second = try register(#"{"sound":"two"}"#, first.bearer)
        #expect(try looks() == ["two", "READ"])
        let plain = try RegisteredApp(fixture, app: "icq", bearer: first.bearer)
        #expect(try looks() == ["two", "READ"])
        try fixture.restart()
        viewer = try EngineViewer(fixture, bearer: first.bearer, app: "icq")
        #expect(try looks() == ["two", "READ"])
        for registration in [second, plain] {
            #expect(try first.call("DELETE", "registrations/\(registration.id)").status == 204)
        }
        #expect(try looks() == ["one", "READ"])
    }

    @Test("An account rings as its latest registration with a notify mode says")
    func modes() throws {
        let fixture = try PushFixture()
        let first = try RegisteredApp(
            fixture, app: "icq", #","notify_mode":"sendOnlyOne","clear":true"#)
        var viewer = try EngineViewer(fixture, bearer: first.bearer, app: "icq")
        var sent = 0
        /// How many of two further pushes come up.
        func appeared() throws -> Int {
            let before = viewer.appeared.count
            for _ in 0..<2 {
                sent += 1
                let push =
                    #"{"aps":{"alert":{"loc-key":"IM2","loc-args":["\#(sent)","9","hi"]}}}"#
                #expect(try first.raw(Array(push.utf8)).status == 201)
                try viewer.settle()
            }
            return viewer.appeared.count - before
        }
        func register(_ more: String) throws {
            _ = try RegisteredApp(fixture, app: "icq", more, bearer: first.bearer)
        }
        #expect(try appeared() == 1)
        try register("")
        #expect(try appeared() == 0)
        try register(#","notify_mode":"applePushNotification""#)
        #expect(try appeared() == 2)
        try fixture.restart()
        viewer = try EngineViewer(fixture, bearer: first.bearer, app: "icq")
        #expect(try appeared() == 2)
        _ = try viewer.ask(#"{"@type":"logOut"}"#)
        #expect(try appeared() == 2)
        try register(#","notify_mode":"disabled""#)
        #expect(try appeared() == 0)
    }
}
