import Testing

@testable import Notifications

/// Where an account without its own client keeps what TDLib loses.
@Suite("The policy learn keeps its promises")
struct LearnPromiseTests {
    private static func delete(_ ids: String, from user: Int = 1) -> String {
        #"{"loc_key":"MESSAGE_DELETED","custom":{"from_id":"\#(user)","messages":"\#(ids)"}}"#
    }

    @Test("A message deleted before it arrived is not shown, even in an unknown chat")
    func deletedBefore() throws {
        var story = Story()
        story.push(Self.delete("11"))
        story.text("gone", id: 11)
        try story.restart()
        story.text("gone", id: 11)
        story.text("here", id: 12)
        #expect(story.shown == [["here"]])
    }

    @Test("The last 1,024 deletions of a chat are kept, even over a restart")
    func manyDeletions() throws {
        var story = Story()
        for first in stride(from: 11, to: 1_035, by: 128) {
            story.push(Self.delete((first..<first + 128).map(String.init).joined(separator: ",")))
        }
        try story.restart()
        for id in 11..<1_035 { story.text("gone", id: id) }
        #expect(story.shown == [])
        story.text("here", id: 1_035)
        #expect(story.shown == [["here"]])
    }

    @Test("Messages deleted or read while notifications are off do not return")
    func sleeping() throws {
        var story = Story()
        for user in 1...3 { story.text("m\(user)", from: user, id: 11) }
        try story.set("notification_group_count_max", "0")
        story.push(Self.delete("11", from: 1))
        story.push(#"{"loc_key":"READ_HISTORY","custom":{"from_id":"2","max_id":"11"}}"#)
        try story.set("notification_group_count_max", "5")
        try story.restart()
        #expect(story.shown == [["m3"]])
    }

    @Test("A start with notifications switched off loses nothing; they appear when switched on")
    func startingOff() throws {
        var story = Story()
        for user in 1...2 { story.text("m\(user)", from: user, id: 11, date: user) }
        story.engine.account.options[OptionName.groupCountMax] = .integer(0)
        try story.restart()
        #expect(story.shown == [])
        try story.set("notification_group_count_max", "5")
        #expect(story.shown == [["m2"], ["m1"]])
    }

    @Test("drop_notification_ids is accepted, and no identifier is used again")
    func dropIDs() throws {
        var story = Story()
        for user in 1...2 { story.text("m\(user)", from: user, id: 11) }
        #expect(try story.set("drop_notification_ids", "1") == .ok)
        try story.restart()
        story.text("m3", from: 3, id: 11)
        #expect(story.engine.account.groups[3]?.notifications.map(\.id) == [3])
    }

    @Test("A name finds its notification after a restart has moved it to another group")
    func movedName() throws {
        var story = Story()
        story.push(
            #"{"notification":{"event_id":"$1","room_id":"!r","room_name":"R","sender":"@a:b","#
                + #""type":"m.room.message","content":{"body":"x"},"#
                + #""devices":[{"tweaks":{"highlight":true}}]}}"#, dialect: .matrix)
        let chatID = try #require(story.engine.activeGroups.first?.chatID.rawValue)
        #expect(story.engine.activeGroups.map(\.kind) == [.mentions])
        try story.settings(of: Int(chatID), #""disable_mention_notifications":true"#)
        try story.restart()
        #expect(story.engine.activeGroups.map(\.kind) == [.messages])
        let account = story.engine.account
        for named in account.names.values {
            #expect(account.groups[named.groupID]?.firstIndex(of: named.notificationID) != nil)
        }
    }
}
