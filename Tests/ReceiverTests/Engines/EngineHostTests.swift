import Foundation
import TestSupport
import Testing

@testable import Mailbox

@Suite("Engines of registrations")
struct EngineHostTests {
    @Test("A push is a notification for whoever is connected, and for whoever connects later")
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

    @Test("The answer to a request comes behind the updates it made, on every stream alike")
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
}
