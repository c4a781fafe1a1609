import Base
import Dialects
import Testing

@testable import Notifications

/// What came encrypted is changed, taken back, or robbed of its name only by what came at least as
/// well protected.
@Suite("What a weaker push may not touch")
struct ProtectionTests {
    private func zpns(_ text: String, _ own: String = #""customId":"1""#) -> String {
        #"{"aps":{"alert":"\#(text)","mutable-content":1},"payload":{\#(own)}}"#
    }

    private let retraction = #"{"payload":{"customId":"1","retract":true}}"#

    private func telegram(_ key: String, _ arguments: String, _ custom: String) -> String {
        #"{"loc_key":"\#(key)","loc_args":[\#(arguments)],"custom":{"from_id":"1",\#(custom)}}"#
    }

    @Test("A replacement in clear leaves the encrypted one as it is, and is counted")
    func replace() {
        var story = Story()
        story.push(zpns("real"), dialect: .zpns)
        story.updates = []
        #expect(story.push(zpns("forged"), dialect: .zpns, level: .clear) == .ok)
        #expect(story.shown == [["real"]] && story.updates.isEmpty)
        #expect(story.engine.takeOutranked() == 1 && story.engine.takeOutranked() == 0)
    }

    @Test("What was clear once and has been replaced by something encrypted counts as that")
    func best() {
        var story = Story()
        for (text, level) in [("a", TrustLevel.clear), ("b", .webpush), ("c", .clear)] {
            story.push(zpns(text), dialect: .zpns, level: level)
        }
        #expect(story.shown.last == ["b"])
        story.push(retraction, dialect: .zpns, level: .clear)
        #expect(story.shown.last == ["b"] && story.engine.takeOutranked() == 2)
        story.push(retraction, dialect: .zpns)
        #expect(story.shown.isEmpty)
    }

    @Test("A name is not taken over, so that the sender's retraction hits what he sent")
    func names() {
        var story = Story()
        let beside = #"{"aps":{"alert":"forged"},"payload":{"customId":"1"}}"#
        let call = #"{"aps":{"alert":"forged"},"payload":{"customId":"1","type":"call"}}"#
        story.push(zpns("real"), dialect: .zpns)
        for payload in [beside, call] { story.push(payload, dialect: .zpns, level: .clear) }
        #expect(story.shown == [["real"]] && story.engine.takeOutranked() == 2)
        story.push(retraction, dialect: .zpns)
        #expect(story.shown.isEmpty)
    }

    @Test("A number of the order that came in clear does not make encrypted ones late")
    func order() {
        var story = Story()
        story.push(zpns("forged", #""customId":"1","timestamp":99"#), dialect: .zpns, level: .clear)
        story.push(zpns("real", #""customId":"1","timestamp":1"#), dialect: .zpns)
        #expect(story.shown.last == ["real"])
    }

    @Test("A retraction holds against nothing better, and nothing weaker takes it away")
    func tombstones() {
        var story = Story()
        story.push(retraction, dialect: .zpns, level: .clear)
        story.push(zpns("real"), dialect: .zpns)
        #expect(story.shown == [["real"]])
        story.push(retraction, dialect: .zpns)
        story.push(zpns("forged"), dialect: .zpns, level: .clear)
        story.push(retraction, dialect: .zpns, level: .clear)
        story.push(zpns("late"), dialect: .zpns)
        #expect(story.shown.isEmpty && story.engine.takeOutranked() == 2)
        story.pass(601)
        story.push(zpns("new"), dialect: .zpns, level: .clear)
        #expect(story.shown == [["new"]])
    }

    @Test("An edit, a deletion and a reading need what the message came with")
    func history() {
        var story = Story()
        story.push(telegram("MESSAGE_TEXT", #""Ada","real""#, #""msg_id":11"#), level: .mtproto)
        story.updates = []
        story.push(telegram("MESSAGE_TEXT", #""Eve","forged""#, #""msg_id":11,"edit_date":1"#))
        story.push(telegram("MESSAGE_DELETED", "", #""messages":"11""#))
        story.push(telegram("READ_HISTORY", "", #""max_id":11"#))
        #expect(story.shown == [["real"]] && story.updates.isEmpty)
        #expect(story.engine.takeOutranked() == 3)
        story.push(telegram("READ_HISTORY", "", #""max_id":11"#), level: .mtproto)
        #expect(story.shown.isEmpty)
    }

    @Test("What edits in a better way says who wrote it, too")
    func author() {
        var story = Story()
        story.push(telegram("MESSAGE_TEXT", #""Eve","forged""#, #""msg_id":11"#), level: .clear)
        story.push(telegram("MESSAGE_TEXT", #""Ada","real""#, #""msg_id":11,"edit_date":1"#))
        story.push(
            telegram("MESSAGE_TEXT", #""Eve","again""#, #""msg_id":11,"edit_date":2"#),
            level: .clear)
        guard
            case .newPushMessage(let message) = story.engine.activeGroups.first?.notifications
                .first?.content
        else {
            Issue.record("nothing is shown")
            return
        }
        #expect(message.senderName == "Ada" && message.content.text == "real")
    }

    @Test("A pin in clear does not take the place of an encrypted one")
    func pins() {
        var story = Story()
        func pin(_ id: Int) -> String {
            #"{"loc_key":"PINNED_TEXT","loc_args":["A","Super88","p\#(id)"],"#
                + #""custom":{"channel_id":"88","chat_from_id":"1","msg_id":"\#(id)"}}"#
        }
        story.push(pin(5))
        story.push(pin(6), level: .clear)
        #expect(story.shown == [["p5"]] && story.engine.takeOutranked() == 1)
        story.push(pin(7))
        #expect(story.shown == [["p7"]])
    }

    @Test("A call in clear neither ends an encrypted one nor keeps it from ringing")
    func calls() {
        var story = Story()
        let call = { (key: String) in self.telegram("PHONE_CALL_\(key)", #""Ada""#, #""a":1"#) }
        story.push(call("REQUEST"), level: .clear)
        story.push(call("REQUEST"))
        #expect(story.shown == [["call"]])
        #expect(story.engine.activeGroups.first?.notifications.first?.level == .webpush)
        story.push(call("DECLINE"), level: .clear)
        story.push(call("MISSED"), level: .clear)
        #expect(story.shown == [["call"]] && story.engine.takeOutranked() == 2)
        story.push(call("DECLINE"))
        #expect(story.shown.isEmpty)
    }

    @Test("A chat keeps the title that came in the best way")
    func titles() {
        var story = Story()
        func title(_ name: String, _ level: TrustLevel) -> String? {
            let id = story.engine.account.lastNotificationID + 5
            let payload =
                #"{"loc_key":"MESSAGE_TEXT","loc_args":["\#(name)","x"],"#
                + #""custom":{"from_id":"4242","msg_id":\#(id)}}"#
            story.push(payload, level: level)
            return story.engine.account.chats[.user(4242)]?.title
        }
        #expect(title("Eve", .clear) == "Eve" && title("Mallory", .clear) == "Eve")
        #expect(title("Ada", .webpush) == "Ada" && title("Eve", .clear) == "Ada")
        #expect(title("Ada Lovelace", .mtproto) == "Ada Lovelace")
    }

    @Test("What claims in clear to be the same event does not keep the event away")
    func duplicates() {
        var story = Story()
        let event = { (text: String) in
            #"{"notification":{"event_id":"$a","room_id":"!r","content":{"body":"\#(text)"}}}"#
        }
        story.push(event("forged"), dialect: .matrix, level: .clear)
        for _ in 0..<2 { story.push(event("real"), dialect: .matrix) }
        story.push(event("forged"), dialect: .matrix, level: .clear)
        #expect(story.shown == [["forged", "real"]])
    }

    @Test("The number of a message in clear keeps no encrypted one away")
    func numbers() throws {
        var story = Story()
        func text(_ text: String, _ id: Int, _ level: TrustLevel) {
            story.push(
                telegram("MESSAGE_TEXT", #""Ada","\#(text)""#, #""msg_id":\#(id)"#), level: level)
        }
        text("forged", 99, .clear)
        for _ in 0..<2 { text("real", 11, .webpush) }
        try story.restart()
        text("forged", 11, .clear)
        #expect(story.shown == [["forged", "real"]])
        text("news", 12, .webpush)
        text("forged", 12, .clear)
        #expect(story.shown == [["forged", "real", "news"]])
    }

    @Test("What came in clear gives way to the same message when that comes encrypted")
    func sameMessage() {
        var story = Story()
        for level in [TrustLevel.clear, .webpush, .mtproto, .webpush, .clear] {
            story.push(
                telegram("MESSAGE_TEXT", #""A","by \#(level)""#, #""msg_id":11"#), level: level)
        }
        #expect(story.shown == [["by mtproto"]])
        #expect(story.takeGroups().count == 1, "it rang once")
        #expect(story.client.visible == Client.visible(story.engine))
    }

    @Test("A badge of none in clear takes nothing encrypted away")
    func badges() {
        var story = Story()
        story.text("real", id: 11)
        story.push("clear", dialect: .plain, level: .clear)
        story.push(#"{"notification":{"counts":{}}}"#, dialect: .matrix, level: .clear)
        #expect(story.shown == [["real"]])
    }

    @Test("What came in clear from somebody trusted may act, until somebody else changes it")
    func trusted() throws {
        var story = Story()
        func mayAct() -> Bool? { story.engine.activeGroups.first?.notifications.first?.mayAct }
        story.push(zpns("a"), dialect: .zpns, level: .clear, isTrusted: true)
        try story.restart()
        #expect(mayAct() == true)
        story.push(zpns("b"), dialect: .zpns, level: .clear)
        #expect(mayAct() == false)
        story.push(zpns("c"), dialect: .zpns, level: .clear, isTrusted: true)
        story.push(zpns("d"), dialect: .zpns)
        story.push(zpns("e"), dialect: .zpns, level: .clear, isTrusted: true)
        #expect(story.shown.last == ["d"] && mayAct() == true)
    }

    @Test("Data for the application comes with nothing that may be from anybody")
    func data() {
        for (level, isTrusted, isThere) in [
            (TrustLevel.clear, false, false), (.clear, true, true), (.webpush, false, true),
        ] {
            var story = Story()
            story.push(
                telegram("MESSAGE_TEXT", #""A","b""#, #""msg_id":11"#), level: level,
                isTrusted: isTrusted)
            var writer = JSONWriter()
            for update in story.updates { update.write(to: &writer) }
            #expect(writer.text.contains(#""data":{"#) == isThere)
        }
    }

    @Test("A missed call may act if the call might have")
    func missedCall() throws {
        let payload = #"{"aps":{"alert":"call"},"payload":{"customId":"1","type":"call"}}"#
        for isTrusted in [true, false] {
            var story = Story()
            story.push(payload, dialect: .zpns, level: .clear, isTrusted: isTrusted)
            try story.restart()
            story.pass(61)
            let missed = story.engine.activeGroups.first?.notifications.first
            #expect(missed?.mayAct == isTrusted && missed?.isTemporary == true)
        }
    }

    @Test(
        "Each notification tells how it came", arguments: [TrustLevel.clear, .webpush, .mtproto])
    func told(level: TrustLevel) throws {
        var story = Story()
        story.push(telegram("MESSAGE_TEXT", #""A","b""#, #""msg_id":11"#), level: level)
        var writer = JSONWriter()
        for update in story.updates + [.activeNotifications(story.engine.activeGroups)] {
            update.write(to: &writer)
        }
        let parts = writer.text.split(separator: #""bellwire.protection":"\#(level)""#)
        #expect(parts.count == 3, "in the update, and for who comes later")
    }
}
