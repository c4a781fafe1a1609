import Dialects
import Testing

@testable import Notifications

/// Payloads that change what is there: replace in place, take back, count.
@Suite("Replacing and taking back")
struct ReplacementTests {
    private func zpns(_ text: String, _ own: String, isMutable: Bool = true) -> String {
        let own = own.replacing("\"", with: "\\\"")
        return
            #"{"aps":{"alert":"\#(text)","mutable-content":\#(isMutable ? 1 : 0)},"payload":"\#(own)"}"#
    }

    @Test("A replacement keeps id, place and count")
    func replace() {
        var story = Story()
        story.push(zpns("one", #"{"customId":"1"}"#), dialect: .zpns)
        story.push(zpns("two", #"{"customId":"2"}"#), dialect: .zpns)
        story.push(zpns("ONE", #"{"customId":"1"}"#), dialect: .zpns)
        #expect(story.shown == [["ONE", "two"]])
        #expect(story.engine.activeGroups.first?.totalCount == 2)
        #expect(story.engine.account.lastNotificationID == 2)
    }

    @Test("Without the mark the newer stands beside the older")
    func beside() {
        var story = Story()
        for text in ["a", "b"] {
            story.push(zpns(text, #"{"customId":"1"}"#, isMutable: false), dialect: .zpns)
        }
        #expect(story.shown == [["a", "b"]])
    }

    @Test("What the user dismissed is shown anew when it is replaced")
    func dismissed() throws {
        var story = Story()
        story.push(zpns("a", #"{"customId":"1"}"#), dialect: .zpns)
        try story.request(
            #"{"@type":"removeNotification","notification_group_id":1,"notification_id":1}"#)
        story.push(zpns("b", #"{"customId":"1"}"#), dialect: .zpns)
        #expect(story.shown == [["b"]] && story.engine.account.lastNotificationID == 2)
    }

    @Test("A retraction removes, and swallows what comes after it for ten minutes")
    func retract() {
        var story = Story()
        let retraction = zpns("", #"{"customId":"1","retract":true}"#)
        story.push(zpns("a", #"{"customId":"1"}"#), dialect: .zpns)
        story.push(retraction, dialect: .zpns)
        #expect(story.shown.isEmpty)
        story.push(zpns("late", #"{"customId":"1"}"#), dialect: .zpns)
        #expect(story.shown.isEmpty)
        story.push(retraction, dialect: .zpns)
        story.pass(601)
        story.push(zpns("new", #"{"customId":"1"}"#), dialect: .zpns)
        #expect(story.shown == [["new"]])
    }

    @Test("An older replacement does not overwrite a newer one")
    func order() {
        var story = Story()
        for (text, time) in [("b", 2), ("a", 1), ("c", 3)] {
            story.push(
                zpns(text, #"{"customId":"1","timestamp":\#(time)}"#), dialect: .zpns)
        }
        #expect(story.shown == [["c"]])
    }

    @Test("A replaced call invitation stops ringing")
    func call() {
        var story = Story()
        story.push(
            #"{"aps":{"alert":"call"},"payload":{"customId":"1","type":"call"}}"#, dialect: .zpns)
        #expect(story.shown == [["call"]])
        story.push(zpns("cancelled", #"{"customId":"1"}"#), dialect: .zpns)
        #expect(story.shown == [["cancelled"]] && story.engine.account.calls.isEmpty)
    }

    @Test("A badge of none clears, any other number never alerts")
    func badge() {
        var story = Story()
        story.push(
            #"{"notification":{"event_id":"$a","room_id":"!r","content":{"body":"x"}}}"#,
            dialect: .matrix)
        story.push(#"{"notification":{"counts":{"unread":4}}}"#, dialect: .matrix)
        #expect(story.shown == [["x"]])
        story.push(#"{"notification":{"counts":{}}}"#, dialect: .matrix)
        #expect(story.shown.isEmpty)
    }

    @Test(
        "The modes of a source decide how often it rings",
        arguments: [
            (SourceState.NotifyMode.disabled, 0), (.sendOnlyOne, 1),
            (.sendOnePerConversation, 2), (.applePushNotification, 4),
        ])
    func modes(mode: SourceState.NotifyMode, rings: Int) throws {
        var story = Story()
        story.engine.account.source.notifyMode = mode
        for (sender, text) in [("1", "a"), ("2", "b"), ("1", "c"), ("2", "d")] {
            story.push(
                #"{"aps":{"alert":{"loc-key":"IM2","loc-args":["\#(sender)","9","\#(text)"]},"sound":"IM"}}"#,
                dialect: .icq)
        }
        #expect(story.takeGroups().filter { $0.soundID != 0 }.count == rings)
        guard mode == .sendOnlyOne else { return }
        // After the user has dealt with it, it may ring again.
        try story.request(
            #"{"@type":"removeNotification","notification_group_id":1,"notification_id":1}"#)
        story.push(
            #"{"aps":{"alert":{"loc-key":"IM2","loc-args":["3","9","e"]},"sound":"IM"}}"#,
            dialect: .icq)
        #expect(story.takeGroups().contains { $0.soundID != 0 })
    }

    @Test("Once what it had rung for is fetched, it may ring again")
    func fetched() throws {
        var story = Story()
        try story.request(#"{"@type":"bellwire.setSource","notify_mode":"sendOnlyOne"}"#)
        func rings(_ text: String) -> Int {
            story.push(
                #"{"aps":{"alert":{"loc-key":"IM2","loc-args":["3","9","\#(text)"]},"sound":"IM"}}"#,
                dialect: .icq)
            return story.takeGroups().count { $0.soundID != 0 }
        }
        #expect(rings("a") == 1 && rings("b") == 0)
        try story.request(#"{"@type":"bellwire.setSource","fetched":true}"#)
        #expect(rings("c") == 1 && rings("d") == 0)
    }

    @Test("A session ends after its time without activity; another client pauses ringing")
    func session() throws {
        var story = Story()
        story.engine.account.source.sessionTimeout = 100
        try story.request(#"{"@type":"bellwire.setSource","fetched":true}"#)
        #expect(story.engine.session(now: story.now).isOnline)
        try story.request(#"{"@type":"bellwire.setSource","paused":true}"#)
        #expect(!story.engine.session(now: story.now).isOnline)
        story.text("quiet", id: 11)
        #expect(story.takeGroups().map(\.soundID) == [0])
        story.pass(101)
        #expect(!story.engine.session(now: story.now).isOnline)
    }
}
