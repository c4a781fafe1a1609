import Testing
@testable import Notifications

@Suite("Matrix payloads")
struct MatrixDialectTests {
    private func events(_ json: String) -> [Event] {
        MatrixDialect.events(Array(json.utf8), DialectContext())
    }

    private func message(_ json: String) throws -> IncomingMessage {
        for case .message(let message) in events(json) { return message }
        throw Missing()
    }

    private struct Missing: Error {}

    @Test("The shape of the first drafts, with counts and devices outside")
    func draft() throws {
        let json = """
            {"notification": {"id": "$3957tyerfgewrf384", "room_id": "!slw48wfj34rtnrf:example.com", \
            "type": "m.room.message", "sender": "@exampleuser:matrix.org", \
            "sender_display_name": "Major Tom", "room_name": "Mission Control", "prio": "high", \
            "content": {"msgtype": "m.text", "body": "I'm floating in a most peculiar way."}}, \
            "counts": {"unread": 2, "missed_calls": 1}, \
            "devices": [{"app_id": "a", "pushkey": "k", "pushkey_ts": 12345678, "data": {}, \
            "tweaks": {"sound": "bing"}}]}
            """
        #expect(events(json).first == .badge(unread: 2, missedCalls: 1))
        let message = try message(json)
        #expect(message.chat == .conversation("matrix:!slw48wfj34rtnrf:example.com"))
        #expect(message.senderName == "Major Tom" && message.chatTitle == "Mission Control")
        #expect(message.content.text == "I'm floating in a most peculiar way.")
        #expect(message.presentation?.sound == "bing" && !message.isSilent)
        #expect(message.dedupeKey == "matrix:$3957tyerfgewrf384")
    }

    @Test(
        "Counts alone set the badge and show nothing; a missing count is 0",
        arguments: [
            (#"{"unread":3}"#, 3, nil), (#"{}"#, 0, nil), (#"{"missed_calls":2}"#, 0, 2),
        ] as [(String, Int64, Int64?)])
    func counts(json: String, unread: Int64, missed: Int64?) {
        #expect(
            events(#"{"notification":{"counts":\#(json),"devices":[]}}"#)
                == [.badge(unread: unread, missedCalls: missed)])
    }

    @Test("With only the event's id, a message is announced without its text")
    func eventIDOnly() throws {
        let message = try message(#"{"notification":{"event_id":"$a","room_id":"!r","counts":{}}}"#)
        #expect(message.content.kind == .hidden && message.presentation?.body == "New message")
    }

    @Test("Without a room's name the title is its alias, and without both the sender")
    func titles() throws {
        let json =
            #"{"notification":{"event_id":"$a","room_id":"!r","sender":"@ann:x",NAMES"content":{"body":"b"}}}"#
        let alias = try message(json.replacing("NAMES", with: ##""room_alias":"#room:x","##))
        #expect(alias.chatTitle == "#room:x" && alias.isGroup && alias.senderName == "@ann:x")
        let all = ##""room_alias":"#room:x","room_name":"Room","sender_display_name":"Ann","##
        let best = try message(json.replacing("NAMES", with: all))
        #expect(best.chatTitle == "Room" && best.senderName == "Ann")
        let sender = try message(json.replacing("NAMES", with: ""))
        #expect(sender.chatTitle == "@ann:x" && !sender.isGroup)
    }

    @Test("Other events than messages are shown, an encrypted one without its text")
    func otherEvents() throws {
        let json =
            #"{"notification":{"event_id":"$a","room_id":"!r","type":"TYPE","content":{"ciphertext":"x"}}}"#
        let encrypted = try message(json.replacing("TYPE", with: "m.room.encrypted"))
        #expect(encrypted.presentation?.body == "Encrypted message")
        #expect(encrypted.content.kind == .hidden)
        let sticker = try message(json.replacing("TYPE", with: "m.sticker"))
        #expect(sticker.presentation?.body == "New message" && sticker.content.kind == .hidden)
    }

    @Test("An event is announced once, by event_id or by id, however often it is sent")
    func duplicates() {
        for name in ["event_id", "id"] {
            var account = Account()
            account.options = [OptionName.groupCountMax: .integer(5)]
            var engine = Engine(account)
            engine.start(now: 1)
            let json = #"{"notification":{"\#(name)":"$a","room_id":"!r","content":{"body":"b"}}}"#
            for _ in 0..<2 {
                _ = engine.process(
                    payload: Array(json.utf8), dialect: .matrix, level: .clear, now: 2)
            }
            #expect(engine.activeGroups.first?.totalCount == 1)
        }
    }

    @Test("An invitation is for its target only")
    func invites() throws {
        let json =
            #"{"notification":{"event_id":"$a","room_id":"!r","type":"m.room.member","sender_display_name":"Ann","content":{"membership":"invite"},"user_is_target":TARGET}}"#
        let invited = try message(json.replacing("TARGET", with: "true"))
        #expect(invited.content.text == "Ann invited you")
        let other = try message(json.replacing("TARGET", with: "false"))
        #expect(other.content.text == "Ann invited somebody")
        // As Synapse sends it without content.
        let alone = try message(
            json.replacing("TARGET", with: "true").replacing(
                #""content":{"membership":"invite"}"#, with: #""membership":"invite""#))
        #expect(alone.presentation?.body == "Ann invited you" && alone.content.kind == .text)
    }

    @Test("The sender is shown in a room, but only once if the room is named after them")
    func sender() throws {
        let json =
            #"{"notification":{"event_id":"$a","room_id":"!r","type":"m.room.message","sender_display_name":"Ann","room_name":"Office","content":{"msgtype":"m.text","body":"b"}}}"#
        let room = try message(json)
        #expect(room.presentation?.title == "Office" && room.presentation?.body == "Ann: b")
        #expect(room.content.text == "b")
        for names in ["Ann", ""] {
            let alone = try message(json.replacing("Office", with: names))
            #expect(alone.presentation?.title == "Ann" && alone.presentation?.body == "b")
            #expect(!alone.isGroup)
        }
        let emote = try message(json.replacing("m.text", with: "m.emote"))
        #expect(emote.presentation?.body == "Ann b")
        let encrypted = try message(json.replacing("m.room.message", with: "m.room.encrypted"))
        #expect(encrypted.presentation?.body == "Ann: Encrypted message")
    }

    @Test(
        "Reactions and changes of membership read as such",
        arguments: [
            (
                "m.reaction", #""content":{"m.relates_to":{"rel_type":"m.annotation","key":"👍"}}"#,
                "Ann reacted with 👍"
            ),
            ("m.room.member", #""content":{"membership":"join"}"#, "Ann joined"),
            ("m.room.member", #""membership":"leave""#, "A member left"),
            ("m.room.member", #""membership":"leave","user_is_target":true"#, "Ann removed you"),
            ("m.room.member", #""content":{"membership":"ban"}"#, "Ann banned a member"),
            ("m.room.member", #""membership":"knock""#, "Ann asks to join"),
            (
                "m.room.member", #""content":{"membership":"invite","displayname":"Bob"}"#,
                "Ann invited Bob"
            ),
            ("m.room.member", #""user_is_target":true"#, "Ann changed your membership"),
        ])
    func changes(type: String, members: String, text: String) throws {
        let found = try message(
            #"{"notification":{"event_id":"$a","room_id":"!r","type":"\#(type)","sender_display_name":"Ann","room_name":"Office",\#(members)}}"#
        )
        #expect(found.presentation?.body == text && found.content.text == text)
    }

    /// An engine that shows something, and what it shows.
    private struct Room {
        var engine: Engine
        private var number = 0

        init() {
            var account = Account()
            account.options = [OptionName.groupCountMax: .integer(5)]
            engine = Engine(account)
            engine.start(now: 1)
        }

        mutating func tell(_ type: String, _ content: String, id: String, _ more: String = "") {
            let json =
                #"{"notification":{"event_id":"\#(id)","room_id":"!r","type":"\#(type)","sender_display_name":"Ann","room_name":"Office","content":\#(content)\#(more)}}"#
            _ = engine.process(payload: Array(json.utf8), dialect: .matrix, level: .clear, now: 2)
        }

        mutating func say(_ text: String, id: String) {
            tell("m.room.message", #"{"msgtype":"m.text","body":"\#(text)"}"#, id: id)
        }

        mutating func edit(_ text: String, of original: String, id: String) {
            tell(
                "m.room.message",
                #"{"body":"* \#(text)","m.new_content":{"body":"\#(text)"},"m.relates_to":{"rel_type":"m.replace","event_id":"\#(original)"}}"#,
                id: id)
        }

        var shown: [String] {
            engine.activeGroups.flatMap(\.notifications).map { notification in
                guard case .newPushMessage(let message) = notification.content else {
                    return "call"
                }
                return message.content.text
            }
        }
    }

    @Test(
        "A redaction removes the notification, in old and new rooms, even if it arrives first")
    func redaction() {
        for (content, more) in [(#"{"redacts":"$a"}"#, ""), ("{}", #","redacts":"$a""#)] {
            var room = Room()
            room.say("one", id: "$a")
            room.say("two", id: "$b")
            room.tell("m.room.redaction", content, id: "$r", more)
            #expect(room.shown == ["two"] && room.engine.activeGroups.first?.totalCount == 1)
            room.say("one", id: "$a")
            #expect(room.shown == ["two"])
            var late = Room()
            late.tell("m.room.redaction", content, id: "$r", more)
            late.say("one", id: "$a")
            #expect(late.shown.isEmpty)
        }
        var room = Room()
        room.tell("m.room.redaction", "{}", id: "$r")
        #expect(room.shown.isEmpty)
    }

    @Test("An edit changes what is shown, and does not bring anything back")
    func edit() throws {
        var room = Room()
        room.say("one", id: "$a")
        room.say("two", id: "$b")
        room.edit("ONE", of: "$a", id: "$c")
        #expect(room.shown == ["ONE", "two"] && room.engine.account.lastNotificationID == 2)
        room.edit("uno", of: "$a", id: "$d")
        #expect(room.shown == ["uno", "two"])
        // Redacted or dismissed messages stay away.
        room.tell("m.room.redaction", #"{"redacts":"$a"}"#, id: "$r")
        room.edit("late", of: "$a", id: "$e")
        #expect(room.shown == ["two"])
        // If the message never arrived, its edit is shown.
        room.edit("new", of: "$x", id: "$f")
        room.say("old", id: "$x")
        #expect(room.shown == ["two", "new"])
    }

    @Test("Low priority makes no sound; a highlight is a mention")
    func tweaks() throws {
        let json =
            #"{"notification":{"event_id":"$a","room_id":"!r","prio":"PRIO","content":{"body":"b"},"devices":[{"tweaks":TWEAKS}]}}"#
        func message(_ prio: String, _ tweaks: String) throws -> IncomingMessage {
            try self.message(
                json.replacing("PRIO", with: prio).replacing("TWEAKS", with: tweaks))
        }
        #expect(try message("low", #"{"sound":"default"}"#).isSilent)
        #expect(try !message("high", #"{"sound":"default"}"#).isSilent)
        #expect(try message("high", "{}").isSilent)
        #expect(try message("high", #"{"highlight":true}"#).isMention)
        #expect(try !message("high", #"{"highlight":false}"#).isMention)
    }

    @Test("A call invitation rings until its end arrives")
    func calls() {
        func stage(_ type: String) -> IncomingCall.Stage? {
            for case .call(let call) in events(
                #"{"notification":{"event_id":"$a","room_id":"!r","type":"\#(type)"}}"#)
            {
                return call.stage
            }
            return nil
        }
        #expect(stage("m.call.invite") == .requested && stage("m.call.hangup") == .declined)
    }

    @Test("Data attached to the pusher is passed on with the notification, and nothing is fetched")
    func data() throws {
        let json =
            #"{"notification":{"event_id":"$a","room_id":"!r","devices":[{"pushkey_ts":5,"data":{"default_payload":{"x":1}}}]}}"#
        #expect(events(json).count == 1)
        #expect(
            try message(json).presentation?.data
                == #"{"room_id":"!r","event_id":"$a","pushkey_ts":5,"data":{"default_payload":{"x":1}}}"#
        )
    }
}
