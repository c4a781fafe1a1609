import Base
import Testing

@testable import Notifications

/// TDLib counts time in 31 bits, which end in 2038; the account goes on.
@Suite("The engine in 2039 and 2106")
struct FarTimeTests {
    /// The first seconds beyond 31 and 32 bits, and some time after.
    private static let times: [Double] = [
        2_147_483_600, 2_177_452_800, 4_294_967_290, 4_300_000_000,
    ]

    private func story(_ now: Double) -> Story {
        var story = Story()
        story.now = now
        story.pass(0)
        return story
    }

    private func text(_ text: String, from user: Int, id: Int, in story: inout Story) {
        story.push(
            #"{"loc_key":"MESSAGE_TEXT","loc_args":["U","\#(text)"],"custom":{"from_id":"\#(user)","msg_id":"\#(id)"}}"#
        )
    }

    @Test("The newest comes first, and says when it came", arguments: times)
    func order(now: Double) {
        var story = story(now)
        for (number, user) in [4, 2, 3, 1].enumerated() {
            text("a", from: user, id: number + 1, in: &story)
            story.pass(60)
        }
        #expect(story.engine.activeGroups.map(\.chatID.rawValue) == [1, 3, 2, 4])
        let dates = story.engine.activeGroups.compactMap { $0.notifications.first?.date }
        #expect(dates == [180, 120, 60, 0].map { Int64(now) + $0 })
    }

    @Test("A call comes first in the list, and becomes missed", arguments: times)
    func calls(now: Double) {
        var story = story(now)
        text("a", from: 4, id: 1, in: &story)
        story.push(#"{"loc_key":"PHONE_CALL_REQUEST","loc_args":["U"],"custom":{"from_id":"1"}}"#)
        text("b", from: 3, id: 1, in: &story)
        #expect(story.engine.activeGroups.first?.kind == .calls)
        story.pass(61)
        #expect(story.engine.activeGroups.first?.chatID == .user(1))
        #expect(!story.engine.activeGroups.contains { $0.kind == .calls })
    }

    @Test("Muted for ever is muted, and for an hour for an hour", arguments: times)
    func mute(now: Double) throws {
        var story = story(now)
        for (chat, time) in [(1, Int(Int32.max)), (2, 3_600)] {
            try story.request(
                #"{"@type":"bellwire.muteChat","chat_id":\#(chat),"mute_for":\#(time)}"#)
        }
        try story.restart()
        let settings = try #require(
            try story.request(#"{"@type":"getChatNotificationSettings","chat_id":1}"#))
        // Set again, it is still for ever.
        guard case .object(let json) = settings else {
            Issue.record("\(settings)")
            return
        }
        let rest = try JSONDocument(Array(json.utf8)).root["mute_for"]?.integer ?? 0
        #expect(now < 2_100_000_000 || muteEnd(rest, now: now) == muteForever)
        for (hour, shown) in [(0.0, []), (3_601, [2])] as [(Double, [Int64])] {
            story.pass(hour)
            for user in [1, 2] { text("a", from: user, id: Int(hour) + 5, in: &story) }
            #expect(story.engine.activeGroups.map(\.chatID.rawValue) == shown)
        }
    }

    @Test("A mute that ends in the last second of 31 bits ends")
    func lastSecond() throws {
        var story = story(2_147_483_000)
        try story.request(#"{"@type":"bellwire.muteChat","chat_id":1,"mute_for":647}"#)
        try story.restart()
        let end = try #require(story.engine.account.chats[.user(1)]?.settings?.muteUntil)
        #expect(end == Int64(Int32.max) + 1)
    }

    @Test("A message retracted before it arrived is not shown", arguments: times)
    func tombstones(now: Double) {
        var story = story(now)
        story.push(
            #"{"aps":{},"payload":{"customId":"7","retract":true}}"#, dialect: .zpns)
        story.pass(300)
        story.push(#"{"aps":{"alert":"late"},"payload":{"customId":"7"}}"#, dialect: .zpns)
        #expect(story.engine.activeGroups.isEmpty)
        story.push(
            #"{"aps":{},"payload":{"customId":"8","retract":true}}"#, dialect: .zpns)
        story.pass(601)
        story.push(#"{"aps":{"alert":"new"},"payload":{"customId":"8"}}"#, dialect: .zpns)
        #expect(story.engine.activeGroups.count == 1)
    }

    @Test("An announcement is shown once, and forgotten after a week", arguments: times)
    func announcements(now: Double) {
        var story = story(now)
        func announce() {
            story.push(
                #"{"loc_key":"MESSAGE_ANNOUNCEMENT","message":"News","custom":{"announcement":"7"}}"#
            )
        }
        announce()
        announce()
        #expect(story.engine.activeGroups.first?.totalCount == 1)
        story.pass(8 * 86_400)
        announce()
        #expect(story.engine.account.announcements.count == 1)
        #expect(story.engine.activeGroups.first?.totalCount == 2)
    }

    @Test("A session ends when it is due, and so does a pause", arguments: times)
    func pauses(now: Double) throws {
        var story = story(now)
        try story.request(#"{"@type":"bellwire.setSource","session_timeout":600}"#)
        try story.request(#"{"@type":"bellwire.pause","paused":true,"paused_for":60}"#)
        #expect(story.engine.session(now: now + 30).isOnline)
        #expect(story.engine.isPaused)
        story.pass(61)
        #expect(!story.engine.isPaused)
        story.pass(540)
        #expect(!story.engine.session(now: story.now).isOnline)
    }

    @Test(
        "An invalid time from a clock or a journal is clamped",
        arguments: [Double.nan, .infinity, -.infinity, 1e300, -5])
    func noTime(now: Double) {
        var story = Story()
        story.now = now
        story.text("a", id: 1)
        story.now = 1_800_000_100
        story.text("b", from: 2, id: 1)
        #expect(story.engine.activeGroups.contains { $0.chatID == .user(2) })
    }
}
