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
        _ = story.engine.keepUndelivered([1, 2, 3], now: story.now)
        return story.engine.account
    }

    @Test("What was written is read back the same")
    func roundTrip() throws {
        let account = try fullAccount()
        #expect(try Account(state: account.state) == account)
        #expect(try Account(state: account.state).state == account.state)
    }

    @Test("State cut anywhere, or with something behind it, is damaged")
    func cut() throws {
        let state = try fullAccount().state
        for prefix in prefixes(of: state) {
            #expect(throws: Account.StateError.damaged) { try Account(state: prefix) }
        }
        #expect(throws: Account.StateError.damaged) { try Account(state: state + [0]) }
    }

    @Test("State of another version is told apart from damage")
    func version() throws {
        var state = try fullAccount().state
        state[0] += 1
        let error = Account.StateError.unknownVersion(state[0])
        #expect(throws: error) { try Account(state: state) }
    }

    @Test("An account and its engine print as their names, and show no message")
    func printing() throws {
        let account = try fullAccount()
        var dumped = ""
        dump(account, to: &dumped)
        dump(Engine(account), to: &dumped)
        #expect("\(account) \(Engine(account))" == "<Account> <Engine>")
        #expect(!dumped.contains("one") && !dumped.contains("https"))
    }

    @Test("Changed bytes never bring the reader down")
    func flipped() throws {
        let state = try fullAccount().state
        for index in state.indices {
            var changed = state
            changed[index] ^= 0xFF
            _ = try? Account(state: changed)
        }
    }
}
