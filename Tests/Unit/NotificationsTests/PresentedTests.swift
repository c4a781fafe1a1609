import Base
import Testing

@testable import Notifications

@Suite("Updates for those who show them")
struct PresentedTests {
    private func json(_ story: Story) throws -> [JSONNode] {
        try story.updates.map { update in
            var writer = JSONWriter()
            update.write(to: &writer)
            return try JSONDocument(writer.bytes).root
        }
    }

    private func added(_ story: Story) throws -> JSONNode {
        try #require(
            try json(story).last { $0["added_notifications"]?.elements.isEmpty == false })
    }

    @Test("Only a notification in clear is marked as such")
    func clear() throws {
        var story = Story()
        story.push(#"{"title":"T","message":"M"}"#, dialect: .plain, level: .clear)
        #expect(
            try added(story)["added_notifications"]?.elements.first?["bellwire.clear"]?.bool
                == true)
        story.text("hello", id: 1)
        #expect(
            try added(story)["added_notifications"]?.elements.first?["bellwire.clear"] == nil)
    }

    @Test("Each kind of notification and each type of group has TDLib's name")
    func types() throws {
        var story = Story()
        story.text("push", from: 2, id: 11)
        let requests = [
            #"addMessage","message":{"@type":"message","id":5,"chat_id":1,"date":1800000060,"content":{"@type":"messageText"}}"#,
            #"addSecretChat","chat_id":-1999999999995,"title":"S""#,
            #"setCall","call_id":9,"chat_id":1,"state":"pending""#,
        ]
        for request in requests {
            try story.request("{\"@type\":\"bellwire.\(request)}")
            story.pass(1)
        }
        story.push(
            #"{"loc_key":"CHAT_MESSAGE_TEXT","loc_args":["A","S","t"],"custom":{"channel_id":88,"chat_from_id":1,"msg_id":5,"mention":1}}"#
        )
        let names = try json(story).flatMap { update in
            (update["added_notifications"]?.elements ?? []).map { added in
                let kind = added["type"]?["@type"]?.text?.dropFirst("notificationType".count)
                let group = update["type"]?["@type"]?.text?.dropFirst("notificationGroupType".count)
                return "\(kind ?? "") in \(group ?? "")"
            }
        }
        #expect(
            Set(names) == [
                "NewPushMessage in Messages", "NewMessage in Messages",
                "NewSecretChat in SecretChat", "NewCall in Calls", "NewPushMessage in Mentions",
            ])
    }

    @Test("A call or message without a name gets its chat's title")
    func titles() throws {
        var story = Story()
        story.push(
            #"{"loc_key":"PHONE_CALL_REQUEST","loc_args":["Bob"],"custom":{"from_id":"2"}}"#)
        #expect(try added(story)["bellwire.chat_title"]?.text == "User2")
        story.text("hello", id: 1)
        #expect(try added(story)["bellwire.chat_title"] == nil)
        let groups = Update.activeNotifications(story.engine.activeGroups)
        var writer = JSONWriter()
        groups.write(to: &writer)
        let titles = try JSONDocument(writer.bytes).root["groups"]?.elements
            .compactMap { $0["bellwire.chat_title"]?.text }
        #expect(titles == ["User2"])
    }

    @Test("Whoever shows chats learns up to which message one was read")
    func read() throws {
        var story = Story()
        story.text("hello", id: 11)
        story.updates = []
        story.push(#"{"loc_key":"READ_HISTORY","custom":{"from_id":"1","max_id":"11"}}"#)
        let update = try #require(
            try json(story).first { $0["@type"]?.text == "updateChatReadInbox" })
        #expect(update["chat_id"]?.integer == 1 && update["unread_count"]?.integer == 0)
        #expect(update["last_read_inbox_message_id"]?.integer == 11 << 20)
    }

    @Test("The payload's data is passed on to those who show it")
    func data() throws {
        var story = Story()
        story.text("hello", id: 1)
        let shown = try added(story)["added_notifications"]?.elements.first
        let data = shown?["type"]?["bellwire.presentation"]?["data"]
        #expect(data?["from_id"]?.text == "1" && data?["msg_id"]?.text == "1")
    }

    @Test("The policy strict has no such titles")
    func strict() throws {
        var story = Story(.strict)
        try story.request(
            #"{"@type":"bellwire.setCall","call_id":5,"chat_id":2,"state":"pending"}"#)
        #expect(try added(story)["bellwire.chat_title"] == nil)
    }
}
