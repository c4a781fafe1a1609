import Base
import Testing

@testable import Notifications

@Suite("Chats, for people whose account has no client")
struct ChatListTests {
    private func chats(_ story: inout Story, limit: Int? = nil) throws -> JSONNode {
        let limit = limit.map { #","limit":\#($0)"# } ?? ""
        guard case .object(let text) = try story.request(#"{"@type":"bellwire.getChats"\#(limit)}"#)
        else { return try JSONDocument(Array("{}".utf8)).root }
        return try JSONDocument(Array(text.utf8)).root
    }

    private func titles(_ list: JSONNode) -> [String] {
        (list["chats"]?.elements ?? []).compactMap { $0["title"]?.text }
    }

    @Test("Chats with notifications come first, then muted ones, then the others")
    func order() throws {
        var story = Story()
        story.text("a", from: 3, id: 11)
        story.push(
            #"{"notification":{"room_id":"!r","room_name":"Room","event_id":"$1","sender_display_name":"A","type":"m.room.message"}}"#,
            dialect: .matrix)
        try story.request(#"{"@type":"bellwire.muteChat","chat_id":2,"mute_for":3600}"#)
        let list = try chats(&story)
        #expect(Set(titles(list).prefix(2)) == ["User3", "Room"])
        #expect(titles(list).dropFirst(2) == ["User2", "Super88", "User1", "User4"])
        let row = try #require(list["chats"]?.elements[2])
        #expect(row["mute_for"]?.integer == 3_600 && row["use_default_mute_for"]?.bool == false)
        #expect(row["type"]?.text == "private" && row["notifications"]?.integer == 0)
        let first = try #require(list["chats"]?.elements[0])
        #expect(first["notifications"]?.integer == 1 && first["last_date"]?.integer != nil)
        #expect(list["scopes"]?["group"]?.integer == 0)
        let short = try chats(&story, limit: 1)
        #expect(titles(short).count == 1 && short["total_count"]?.integer == 6)
        #expect(try titles(chats(&story, limit: -1)).isEmpty)
    }

    @Test("A chat known only from pushes can be muted for a time, for ever, and unmuted")
    func mute() throws {
        var story = Story()
        story.text("a", from: 9, id: 11)
        func mute(_ time: String) throws -> Outcome? {
            try story.request(#"{"@type":"bellwire.muteChat","chat_id":9\#(time)}"#)
        }
        #expect(try mute(#","mute_for":60"#) == .ok)
        story.text("b", from: 9, id: 12, date: 60)
        #expect(story.shown == [["a"]])
        story.pass(61)
        story.text("c", from: 9, id: 13, date: 121)
        #expect(story.shown == [["a", "c"]])
        #expect(try mute(#","mute_for":99999999"#) == .ok)
        #expect(story.engine.account.chats[.user(9)]?.settings?.muteUntil == muteForever)
        #expect(try mute("") == .ok)
        story.text("d", from: 9, id: 14, date: 121)
        #expect(story.shown == [["a", "c", "d"]])
        #expect(
            try story.request(#"{"@type":"bellwire.muteChat","chat_id":77}"#)
                == .badRequest("Chat not found"))
    }

    @Test("A pause silences everything for its time, whatever other clients do")
    func pause() throws {
        var story = Story()
        func sound() -> [Int64] { story.takeGroups().map(\.soundID) }
        func isPaused() throws -> Bool? { try chats(&story)["source"]?["paused"]?.bool }
        #expect(
            try story.request(#"{"@type":"bellwire.pause","paused":true,"paused_for":60}"#) == .ok)
        try story.request(#"{"@type":"bellwire.setSource","paused":false}"#)
        #expect(try isPaused() == true && chats(&story)["source"]?["paused_for"]?.integer == 60)
        story.updates = []
        story.text("a", id: 11)
        #expect(sound() == [0])
        story.pass(60)
        #expect(try isPaused() == false)
        story.text("b", id: 12)
        #expect(sound() == [-1])
        try story.request(
            #"{"@type":"bellwire.pause","paused":true,"paused_for":9223372036854775807}"#)
        try story.restart()
        #expect(try isPaused() == true && chats(&story)["source"]?["paused_for"] == nil)
        story.updates = []
        story.text("c", id: 13)
        #expect(sound() == [0] && story.shown == [["a", "b", "c"]])
        try story.request(#"{"@type":"bellwire.pause","paused":false}"#)
        #expect(try isPaused() == false)
        #expect(try story.request(#"{"@type":"bellwire.pause"}"#) != .ok)
        #expect(
            try story.request(#"{"@type":"bellwire.pause","paused":true,"paused_for":0}"#) != .ok)
    }

    @Test("Fetching ends when its client goes away, and removes no notification")
    func abandoned() throws {
        var story = Story()
        story.text("a", id: 11)
        try story.request(#"{"@type":"bellwire.setFetching","active":true}"#)
        try story.request(#"{"@type":"bellwire.setFetching","active":false,"abandoned":true}"#)
        #expect(story.shown == [["a"]])
        #expect(story.client.pending?.unreceived == false)
    }

    @Test("Held back updates are sent when a client closes")
    func release() throws {
        var story = Story()
        try story.request(
            #"{"@type":"bellwire.setOnline","self":false,"others_online_since":\#(Int(story.now) + 100)}"#
        )
        try story.request(
            #"{"@type":"bellwire.addMessage","message":{"@type":"message","id":\#(11 << 20),"chat_id":1,"date":\#(Int(story.now)),"content":{"@type":"messageText"}}}"#
        )
        #expect(story.shown.isEmpty && story.client.pending?.delayed == true)
        try story.request(#"{"@type":"bellwire.release"}"#)
        #expect(story.shown == [["message 11"]] && story.client.pending?.delayed == false)
    }
}
