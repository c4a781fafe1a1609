import Base
import Testing
@testable import Notifications

/// Encrypted notifications can be changed, retracted or renamed only by payloads that are at least
/// as well protected.
@Suite("Trust levels")
struct ProtectionTests {
    private func zpns(_ text: String, _ own: String = #""customId":"1""#) -> String {
        #"{"aps":{"alert":"\#(text)","mutable-content":1},"payload":{\#(own)}}"#
    }

    private let retraction = #"{"payload":{"customId":"1","retract":true}}"#

    private func telegram(_ key: String, _ arguments: String, _ custom: String) -> String {
        #"{"loc_key":"\#(key)","loc_args":[\#(arguments)],"custom":{"from_id":"1",\#(custom)}}"#
    }

    @Test("A replacement in clear does not change an encrypted notification, and is counted")
    func replace() {
        var story = Story()
        story.push(zpns("real"), dialect: .zpns)
        story.updates = []
        #expect(story.push(zpns("forged"), dialect: .zpns, level: .clear) == .ok)
        #expect(story.shown == [["real"]] && story.updates.isEmpty)
        #expect(story.engine.takeOutranked() == 1 && story.engine.takeOutranked() == 0)
        story.pass(86_400)
        story.push(zpns("forged"), dialect: .zpns, level: .clear)
        #expect(story.shown == [["real"]], "however old it is")
    }

    @Test("A notification in clear that was replaced by an encrypted one counts as encrypted")
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

    @Test("A weaker push cannot take over a name, so the sender can still retract the message")
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

    @Test("A sequence number sent in clear does not make encrypted messages outdated")
    func order() {
        var story = Story()
        story.push(zpns("forged", #""customId":"1","timestamp":99"#), dialect: .zpns, level: .clear)
        story.push(zpns("real", #""customId":"1","timestamp":1"#), dialect: .zpns)
        #expect(story.shown.last == ["real"])
    }

    @Test("A retraction has no effect on better protected messages, and weaker ones cannot undo it")
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
        story.push(retraction, dialect: .zpns)
        story.pass(601)
        story.push(zpns("newer"), dialect: .zpns, level: .clear)
        #expect(story.shown == [["newer"]], "a retraction is forgotten after ten minutes")
    }

    @Test("An edit, a deletion or a reading needs the message's trust level")
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

    @Test("An edit at a higher trust level also changes the sender")
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

    @Test("A pin in clear does not replace an encrypted one")
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

    @Test("A call in clear neither ends an encrypted call nor keeps it from ringing")
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

    @Test("A chat keeps the best protected title")
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

    @Test("A push in clear with the same event id does not block the real event")
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

    @Test("The number of a message in clear does not block an encrypted one")
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

    @Test("A message in clear is replaced when the same message arrives encrypted")
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

    @Test("A badge of 0 in clear does not remove encrypted notifications")
    func badges() {
        var story = Story()
        story.text("real", id: 11)
        story.push("clear", dialect: .plain, level: .clear)
        story.push(#"{"notification":{"counts":{}}}"#, dialect: .matrix, level: .clear)
        #expect(story.shown == [["real"]])
    }

    @Test(
        "A notification in clear from a trusted sender has actions until somebody else changes it")
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

    @Test("Data for the application is dropped from pushes that may be from anybody")
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

    @Test("A missed call has actions if the call had them")
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
        "Each notification carries its trust level",
        arguments: [TrustLevel.clear, .webpush, .mtproto])
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
