import Testing

@testable import Notifications

@Suite("Badges")
struct BadgeTests {
    private func payload(_ key: String, _ custom: String, badge: Int? = nil) -> String {
        let badge = badge.map { #","badge":"\#($0)""# } ?? ""
        return #"{"loc_key":"\#(key)","loc_args":["A","x"],"custom":{\#(custom)}\#(badge)}"#
    }

    private func message(_ id: Int, badge: Int? = nil) -> String {
        payload("MESSAGE_TEXT", #""from_id":"1","msg_id":"\#(id)""#, badge: badge)
    }

    private func badge(_ story: Story) -> Int64? {
        let welcome = Update.unreadBadge(
            count: story.engine.account.badge?.unread ?? -1, missedCalls: nil)
        var engine = story.engine
        return engine.welcome().contains(welcome) ? story.engine.account.badge?.unread : nil
    }

    @Test("A client that joins gets it, also after a restart, if it was ever set")
    func restart() throws {
        var story = Story()
        story.push(message(11))
        #expect(badge(story) == nil)
        story.push(message(12, badge: 7))
        try story.restart()
        #expect(badge(story) == 7)
    }

    @Test(
        "It falls when messages are read or deleted, by the payload's number or by what was removed"
    )
    func falls() {
        var story = Story()
        for id in 11...14 { story.push(message(id, badge: 10)) }
        story.updates = []
        story.push(payload("READ_HISTORY", #""from_id":"1","max_id":"12""#))
        #expect(badge(story) == 8)
        #expect(story.updates.contains(.unreadBadge(count: 8, missedCalls: nil)))
        story.push(payload("MESSAGE_DELETED", #""from_id":"1","messages":"13""#))
        #expect(badge(story) == 7 && story.shown == [["x"]])
        story.updates = []
        story.push(payload("MESSAGE_DELETED", #""from_id":"1","messages":"13""#))
        #expect(badge(story) == 7, "nothing went")
        #expect(!story.updates.contains(.unreadBadge(count: 7, missedCalls: nil)))
        story.push(payload("READ_HISTORY", #""from_id":"1","max_id":"14""#, badge: 3))
        #expect(badge(story) == 3 && story.shown.isEmpty)
        story.push(message(15))
        story.push(payload("MESSAGE_DELETED", #""from_id":"1","messages":"99""#, badge: 0))
        #expect(badge(story) == 0 && story.shown == [["x"]], "others may be muted")
        story.updates = []
        story.push(payload("MESSAGE_DELETED", #""from_id":"1","messages":"15""#))
        #expect(story.shown.isEmpty)
        #expect(!story.updates.contains(.unreadBadge(count: 0, missedCalls: nil)), "is 0")
    }

    @Test("APNs' badge sets it, and zero clears it")
    func apns() {
        var story = Story()
        story.push(#"{"aps":{"alert":"x","badge":4}}"#, dialect: .zpns)
        #expect(badge(story) == 4)
        story.push(#"{"notification":{"counts":{"unread":0}}}"#, dialect: .matrix)
        #expect(badge(story) == 0)
    }
}
