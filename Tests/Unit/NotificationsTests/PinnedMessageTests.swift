import Testing

@testable import Notifications

@Suite("The message that was pinned")
struct PinnedMessageTests {
    private static let chat = -1_000_000_000_088

    private func message(
        _ type: String, _ id: Int, _ text: String = "", pins pinned: Int? = nil
    ) -> String {
        let content =
            pinned.map { #""@type":"messagePinMessage","message_id":\#($0 << 20)"# }
            ?? #""@type":"messageText","text":"\#(text)""#
        return
            #"{"@type":"\#(type)","chat_id":\#(Self.chat),"message":{"@type":"message","id":\#(id << 20),"chat_id":\#(Self.chat),"date":1800000060,"sender_id":{"@type":"messageSenderUser","user_id":1},"content":{\#(content)}}}"#
    }

    private func found(_ story: inout Story, _ id: Int) throws -> String? {
        let outcome = try story.request(
            #"{"@type":"getMessageLocally","chat_id":\#(Self.chat),"message_id":\#(id << 20)}"#)
        guard case .object(let text) = outcome else { return nil }
        return text
    }

    private func told(_ story: inout Story) -> Int {
        story.pass(1)
        defer { story.updates = [] }
        return story.updates.count { if case .notification = $0 { true } else { false } }
    }

    @Test("getMessageLocally finds it, and a change updates the notification")
    func changes() throws {
        var story = Story()
        try story.request(message("bellwire.addMessage", 11, "old words"))
        try story.request(message("bellwire.addMessage", 12, pins: 11))
        story.pass(2)
        try story.request(
            #"{"@type":"removeNotification","notification_group_id":1,"notification_id":1}"#)
        try story.restart()
        story.updates = []
        #expect(try found(&story, 11)?.contains("old words") == true)
        #expect(try found(&story, 12)?.contains("messagePinMessage") == true)
        try story.request(message("bellwire.editMessage", 11, "new words"))
        #expect(told(&story) == 1)
        #expect(try found(&story, 11)?.contains("new words") == true)
        try story.request(message("bellwire.editMessage", 10, "another"))
        #expect(told(&story) == 0)
        #expect(try found(&story, 10) == nil)
    }

    @Test("The client may load it later, also for a pin known only from a push")
    func brought() throws {
        var story = Story()
        try story.request(message("bellwire.addMessage", 12, pins: 11))
        story.pass(2)
        #expect(try found(&story, 11) == nil)
        try story.request(message("bellwire.addMessage", 11, "older than the pin"))
        #expect(try found(&story, 11)?.contains("older than the pin") == true)
        story = Story()
        story.push(
            #"{"loc_key":"PINNED_TEXT","loc_args":["A","Super88","p"],"custom":{"channel_id":"88","chat_from_id":"1","msg_id":"12"}}"#
        )
        story.updates = []
        try story.request(message("bellwire.setPinnedMessage", 11, "named"))
        #expect(told(&story) == 1)
        #expect(try found(&story, 11)?.contains("named") == true)
        try story.request(message("bellwire.editMessage", 11, "changed"))
        #expect(told(&story) == 1)
        #expect(try found(&story, 11)?.contains("changed") == true)
        try story.request(message("bellwire.editMessage", 10, "another"))
        #expect(told(&story) == 0)
        #expect(try found(&story, 10) == nil)
    }

    @Test("A new pin that must not be shown takes the former one from the screen")
    func muted() throws {
        var story = Story()
        try story.request(message("bellwire.addMessage", 12, pins: 11))
        story.pass(2)
        try story.settings(of: 1, #""mute_for":1000"#)
        #expect(story.shown == [["message 12"]])
        try story.request(message("bellwire.addMessage", 13, pins: 10))
        story.pass(2)
        #expect(story.shown.isEmpty)
    }

    @Test("The pinned message is dropped when its pin is no longer shown")
    func gone() throws {
        var story = Story()
        try story.request(message("bellwire.addMessage", 11, "x"))
        try story.request(message("bellwire.addMessage", 12, pins: 11))
        story.pass(2)
        try story.request(
            #"{"@type":"bellwire.deleteMessages","chat_id":\#(Self.chat),"message_ids":[\#(11 << 20),\#(12 << 20)]}"#
        )
        story.pass(1)
        #expect(story.shown.isEmpty)
        #expect(try found(&story, 11) == nil)
    }

    @Test("The pinned message needs a valid identifier")
    func invalid() throws {
        var story = Story()
        let request = message("bellwire.setPinnedMessage", 0, "x")
        #expect(try story.request(request) == .badRequest("Message is invalid"))
    }
}
