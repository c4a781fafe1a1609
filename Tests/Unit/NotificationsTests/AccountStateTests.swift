import Foundation
import TestSupport
import Testing

@testable import Notifications

@Suite("An account as one value")
struct AccountStateTests {
    private func fullAccount() throws -> Account {
        var story = Story()
        story.text("one", id: 11)
        story.text("two", id: 12)
        story.push(#"{"loc_key":"PHONE_CALL_REQUEST","loc_args":["A"],"custom":{"from_id":"2"}}"#)
        story.push(
            #"{"loc_key":"MESSAGE_ANNOUNCEMENT","message":"News","custom":{"announcement":"7"}}"#)
        story.push(#"{"aps":{"alert":"x"},"payload":"{\"customId\":\"1\"}"}"#, dialect: .zpns)
        story.push(#"{"payload":"{\"customId\":\"9\",\"retract\":true}"}"#, dialect: .zpns)
        try story.request(
            #"{"@type":"setChatNotificationSettings","chat_id":1,"notification_settings":{"mute_for":9,"sound_id":"5","use_default_show_preview":true}}"#
        )
        try story.request(
            #"{"@type":"registerDevice","device_token":{"@type":"deviceTokenSimplePush","endpoint":"https://a"},"other_user_ids":[5]}"#
        )
        return story.engine.account
    }

    @Test("Values are read back as written")
    func roundTrip() throws {
        let account = try fullAccount()
        #expect(try Account(state: account.state) == account)
        #expect(try Account(state: account.state).state == account.state)
    }

    @Test("A payload that is urgent in two ways is stored as it is shown")
    func twoLevels() throws {
        for (payload, dialect) in [
            (
                #"{"aps":{"alert":"x","interruption-level":"passive","sound":{"critical":1}}}"#,
                Dialect.zpns
            ),
            (
                #"{"message":"m","data":{"importance":"min","push":{"sound":{"critical":1}}}}"#,
                .homeAssistant
            ),
        ] {
            var story = Story()
            story.push(payload, dialect: dialect)
            let account = story.engine.account
            #expect(account.groups.all.count == 1)
            #expect(try Account(state: account.state) == account, "\(dialect)")
        }
    }

    @Test("State cut anywhere, or with trailing bytes, is damaged")
    func cut() throws {
        let state = try fullAccount().state
        for prefix in prefixes(of: state) {
            #expect(throws: Account.StateError.damaged) { try Account(state: prefix) }
        }
        #expect(throws: Account.StateError.damaged) { try Account(state: state + [0]) }
    }

    @Test("A counter below zero, or at its end, is damage", arguments: [-1, Int32.max])
    func counters(last: Int32) throws {
        var account = try fullAccount()
        account.lastNotificationID = last
        #expect(throws: Account.StateError.damaged) { try Account(state: account.state) }
    }

    @Test("Text that would be passed on as JSON, and is none, is damage")
    func foreignJSON() throws {
        for source in ["1.2.3e", "", "{}{}"] {
            var account = try fullAccount()
            account.owed = Owed()
            account.owed.add(
                .fetchRequired(reason: "x", details: [Update.Detail("updates", source: source)]),
                at: 1_800_000_000)
            #expect(throws: Account.StateError.damaged) { try Account(state: account.state) }
        }
    }

    @Test("A waiting update with a number beyond the last one is damage")
    func owedNumbers() throws {
        var account = try fullAccount()
        account.owed = Owed()
        for reason in ["x", "y"] {
            account.owed.add(.fetchRequired(reason: reason, details: []), at: 1_800_000_000)
        }
        #expect(try Account(state: account.state) == account)
        account.owed.lastID = 1
        #expect(throws: Account.StateError.damaged) { try Account(state: account.state) }
    }

    @Test("A time that is not a number is damage")
    func times() throws {
        var account = try fullAccount()
        account.source.lastActivity = .nan
        #expect(throws: Account.StateError.damaged) { try Account(state: account.state) }
    }

    @Test("A stored option outside its range is damage, as a client's is refused")
    func options() throws {
        var account = try fullAccount()
        for (name, value) in [
            (OptionName.groupSizeMax, OptionValue.integer(-12)),
            (OptionName.groupCountMax, .integer(26)), (OptionName.groupCountMax, .boolean(true)),
        ] {
            account.options = [name: value]
            #expect(throws: Account.StateError.damaged) { try Account(state: account.state) }
        }
    }

    @Test("State of another version is distinguished from damage", arguments: [0, 2, 6, 255])
    func version(_ version: UInt8) throws {
        let state = [version] + (try fullAccount().state.dropFirst())
        let error = Account.StateError.unknownVersion(version)
        #expect(throws: error) { try Account(state: state) }
    }

    @Test("A printed account or engine shows no message")
    func printing() throws {
        let account = try fullAccount()
        var dumped = ""
        dump(account, to: &dumped)
        dump(Engine(account), to: &dumped)
        #expect("\(account) \(Engine(account))" == "<Account> <Engine>")
        #expect(!dumped.contains("one") && !dumped.contains("https"))
    }

    @Test("Changed bytes never crash the reader")
    func flipped() throws {
        let state = try fullAccount().state
        for index in state.indices {
            var changed = state
            changed[index] ^= 0xFF
            _ = try? Account(state: changed)
        }
    }

    /// Start states for the fuzzer: each contains something that the others do not.
    private func seeds() throws -> [String: Account] {
        var crowded = Story(.strict, count: 2, size: 2)
        for id in 11...16 { crowded.text("m\(id)", from: id % 4 + 1, id: id, date: id) }
        try crowded.settings(of: -1_000_000_000_088, #""disable_mention_notifications":true"#)
        crowded.say("PINNED_TEXT", ["U", "p", "Super88"], id: 20)
        try crowded.set("notification_group_count_max", "0")

        var waiting = Story()
        try waiting.request(
            #"{"@type":"bellwire.setOnline","self":false,"others_online_since":\#(Int(waiting.now) + 100)}"#
        )
        try waiting.request(
            #"{"@type":"bellwire.addMessage","message":{"@type":"message","id":\#(11 << 20),"chat_id":1,"date":1800000060,"content":{"@type":"messageText"}}}"#
        )
        try waiting.request(
            #"{"@type":"bellwire.addSecretChat","chat_id":-1999999999995,"title":"S"}"#)
        waiting.push(
            #"{"web_push":8030,"notification":{"title":"T","actions":[{"action":"a","title":"A"}],"tag":"x"}}"#,
            dialect: .declarative)
        waiting.push(#"{"message":"m","tags":["a"],"priority":5}"#, dialect: .plain, level: .clear)
        try waiting.request(
            #"{"@type":"bellwire.setSource","notify_mode":"sendOnlyOne","session_timeout":9,"presentation":{"loc_args":"srcId"}}"#
        )
        waiting.push(#"{"message":"n"}"#, dialect: .plain, id: "push")
        waiting.push("{}")
        waiting.push(
            #"{"loc_key":"DC_UPDATE","loc_args":[],"custom":{"dc":2,"addr":"1.2.3.4:5"}}"#,
            level: .mtproto)
        waiting.push(#"{"aps":{"alert":"x","badge":4}}"#, dialect: .zpns)
        try waiting.request(#"{"@type":"bellwire.setRaw","active":true}"#)
        _ = waiting.engine.keepRaw([1, 2, 3], encoding: "clear", now: waiting.now)
        waiting.settle()
        if let group = waiting.engine.activeGroups.first, let id = group.notifications.first?.id {
            try waiting.request(
                #"{"@type":"bellwire.invokeNotificationAction","notification_group_id":\#(group.id),"notification_id":\#(id),"action":"reply","text":"y"}"#
            )
        }
        return [
            "empty": Account(), "full": try fullAccount(), "crowded": crowded.engine.account,
            "waiting": waiting.engine.account,
        ]
    }

    @Test("The fuzzer starts from states in today's format")
    func corpus() throws {
        let folder = Vectors.checkout.appending(
            path: "Tests/Programs/Fuzz/Seeds/engine-state")
        for (name, account) in try seeds() {
            let file = folder.appending(path: name)
            if ProcessInfo.processInfo.environment["BELLWIRE_WRITE_SEEDS"] != nil {
                try Data(account.state).write(to: file)
            }
            let bytes = Array(try Data(contentsOf: file))
            #expect(try Account(state: bytes) == account, "write it anew: BELLWIRE_WRITE_SEEDS=1")
        }
    }
}
