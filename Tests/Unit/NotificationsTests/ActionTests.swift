import Testing
@testable import Notifications

@Suite("Actions on notifications")
struct ActionTests {
    private func invoke(
        _ story: inout Story, _ id: Int, _ action: String, text: String? = nil, group: Int = 1
    ) throws -> Outcome? {
        let text = text.map { #","text":"\#($0)""# } ?? ""
        return try story.request(
            #"{"@type":"bellwire.invokeNotificationAction","notification_group_id":\#(group),"notification_id":\#(id),"action":"\#(action)"\#(text)}"#
        )
    }

    private func chosen(
        _ name: String, id: Int64, message: Int64?, text: String? = nil, call: String = "",
        data: String, at now: Double
    ) -> Update {
        var action = ChosenAction(
            chatID: .user(1), messageID: message.map { ChatMessageID(server: $0) } ?? .none,
            action: name, text: text)
        action.id = id
        action.callID = call
        action.data = data
        action.date = Int64(now)
        return .notificationAction(action)
    }

    private func told(_ story: Story) -> [Update] {
        story.updates.filter { if case .notificationAction = $0 { true } else { false } }
    }

    @Test("A chosen action reaches the client, and the notification is removed")
    func open() throws {
        var story = Story()
        story.text("a", id: 11)
        story.updates = []
        #expect(try invoke(&story, 1, "default") == .ok)
        let expected = chosen(
            "default", id: 1, message: 11, data: #"{"from_id":"1","msg_id":"11"}"#, at: story.now)
        #expect(story.updates.first == expected, "before the notification goes")
        #expect(story.shown.isEmpty)
    }

    @Test("A reply carries its text, and reads what came before it")
    func reply() throws {
        var story = Story()
        for id in 11...13 { story.text("m\(id)", id: id) }
        #expect(try invoke(&story, 2, "reply", text: "On my way") == .ok)
        #expect(
            told(story) == [
                chosen(
                    "reply", id: 1, message: 12, text: "On my way",
                    data: #"{"from_id":"1","msg_id":"12"}"#, at: story.now)
            ])
        #expect(story.shown == [["m13"]])
        #expect(try invoke(&story, 3, "reply") == .badRequest("Text must be non-empty"))
        #expect(story.shown == [["m13"]], "nothing was said, so nothing is dealt with")
    }

    @Test("A message marked as read does not come back, nor when it is loaded")
    func markRead() throws {
        var story = Story()
        story.text("a", id: 11)
        #expect(try invoke(&story, 1, "mark_read") == .ok)
        #expect(story.engine.account.chats[.user(1)]?.lastRead == ChatMessageID(server: 11))
        story.text("a", id: 11)
        #expect(story.shown.isEmpty)
    }

    @Test("Only the actions that a payload names can be chosen")
    func named() throws {
        var story = Story()
        let payload =
            #"{"web_push":8030,"notification":{"title":"T","actions":[{"action":"later","title":"Later"}]}}"#
        story.push(payload, dialect: .declarative)
        #expect(
            try invoke(&story, 1, "never") == .badRequest("Notification has no such action"))
        #expect(try invoke(&story, 1, "later") == .ok)
        #expect(told(story).count == 1 && story.shown.isEmpty)
    }

    @Test("A notification in clear can only be dismissed")
    func clear() throws {
        var story = Story()
        story.push("hello", dialect: .plain, level: .clear)
        #expect(
            try invoke(&story, 1, "default") == .badRequest("Notification has no such action"))
        try story.request(
            #"{"@type":"removeNotification","notification_group_id":1,"notification_id":1}"#)
        #expect(story.shown.isEmpty && told(story).isEmpty)
    }

    /// A push has announced a call.
    private func ringing() -> Story {
        var story = Story()
        story.push(#"{"loc_key":"PHONE_CALL_REQUEST","loc_args":["A"],"custom":{"from_id":1}}"#)
        return story
    }

    private func expectSilence(_ story: inout Story) {
        #expect(story.shown.isEmpty && story.engine.account.calls.isEmpty)
        story.pass(61)
        #expect(story.shown.isEmpty, "nobody missed it")
    }

    @Test("A call is accepted or declined, and rings no more", arguments: ["accept", "decline"])
    func call(action: String) throws {
        var story = ringing()
        #expect(try invoke(&story, 1, "reply", text: "x") != .ok)
        #expect(try invoke(&story, 1, action) == .ok)
        #expect(
            told(story) == [
                chosen(
                    action, id: 2, message: nil, call: "2147483646", data: #"{"from_id":1}"#,
                    at: story.now)
            ])
        expectSilence(&story)
    }

    @Test("Calls whose group is removed ring no more")
    func removedCall() throws {
        var story = ringing()
        try story.request(
            #"{"@type":"removeNotificationGroup","notification_group_id":1,"max_notification_id":1}"#
        )
        expectSilence(&story)
    }

    @Test("A call rings on when another notification, or none, is removed")
    func otherRemoved() throws {
        var story = ringing()
        story.text("a", from: 2, id: 11)
        for (group, id) in [(1, 2), (2, 1)] {
            try story.request(
                #"{"@type":"removeNotification","notification_group_id":\#(group),"notification_id":\#(id)}"#
            )
            #expect(story.engine.account.calls.count == 1)
        }
        #expect(story.shown == [["call"], ["a"]])
        story.pass(61)
        #expect(!story.shown.contains(["call"]), "it ends in time")
    }

    @Test("A missing notification has no actions")
    func gone() throws {
        var story = Story()
        #expect(
            try invoke(&story, 1, "default")
                == .error(code: 404, message: "Notification not found"))
        #expect(
            try invoke(&story, 0, "default")
                == .badRequest("Notification identifier is invalid"))
        #expect(
            try invoke(&story, 1, "default", group: 0)
                == .badRequest("Notification group identifier is invalid"))
    }
}
