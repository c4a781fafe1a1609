import Base
import TestSupport
import Testing

@testable import Notifications

/// Clients and senders may send any number.
@Suite("Numbers from the whole range")
struct WholeRangeTests {
    private static let numbers: [Int64] = [
        .min, .min + 1, -(1 << 53), -4_000_000_000_000, Int64(Int32.min) - 1, Int64(Int32.min), -1,
        0, 1, 2, 5, 777_000, 1_048_576, 1_800_000_000, Int64(Int32.max) - 1, Int64(Int32.max),
        Int64(Int32.max) + 1, 1 << 40, (1 << 51) - 1, 1 << 51, 1 << 52, .max - 1, .max,
    ]

    private static let requests: [String] = [
        #""bellwire.setMe","user_id":N"#,
        #""bellwire.setOnline","self":true,"others_online_since":N"#,
        #""bellwire.setOnline","self":false,"others_online_since":N"#,
        #""bellwire.setCall","call_id":N,"chat_id":N,"state":"pending""#,
        #""bellwire.setCall","call_id":N,"chat_id":N,"state":"discarded""#,
        #""bellwire.setChat","chat_id":N,"title":"t","type":"private","unread_count":N,"unread_mention_count":N,"last_read_inbox_message_id":N"#,
        #""bellwire.removeChat","chat_id":N"#,
        #""bellwire.addSecretChat","chat_id":N,"title":"s","date":N"#,
        #""bellwire.removeSecretChat","chat_id":N"#,
        #""bellwire.addMessage","message":{"id":N,"chat_id":N,"date":N,"sender_id":{"user_id":N},"contains_unread_mention":true,"content":{"@type":"messagePinMessage","message_id":N}}"#,
        #""bellwire.editMessage","message":{"id":N,"chat_id":N,"date":N,"sender_id":{"chat_id":N}}"#,
        #""bellwire.deleteMessages","chat_id":N,"message_ids":[N,N]"#,
        #""bellwire.setPinnedMessage","chat_id":N,"message":{"id":N,"chat_id":N}"#,
        #""bellwire.setPinnedMessage","chat_id":N"#,
        #""bellwire.muteChat","chat_id":N,"mute_for":N"#,
        #""bellwire.pause","paused":true,"paused_for":N"#, #""bellwire.pause","paused":false"#,
        #""bellwire.setSource","session_timeout":N,"notify_mode":"sendOnlyOne""#,
        #""bellwire.getChats","limit":N"#, #""bellwire.heard","through":N"#,
        #""bellwire.actionTaken","id":N"#, #""bellwire.rawPushTaken","id":N"#,
        #""bellwire.setRaw","active":N"#, #""bellwire.setFetching","active":N"#,
        #""bellwire.release""#,
        #""bellwire.invokeNotificationAction","notification_group_id":N,"notification_id":N,"action":"default""#,
        #""setOption","name":"notification_group_count_max","value":{"@type":"optionValueInteger","value":N}"#,
        #""setOption","name":"notification_cloud_delay_ms","value":{"@type":"optionValueInteger","value":N}"#,
        #""setOption","name":"online_cloud_timeout_ms","value":{"@type":"optionValueInteger","value":N}"#,
        #""setOption","name":"notification_group_size_max","value":{"@type":"optionValueInteger","value":N}"#,
        #""removeNotification","notification_group_id":N,"notification_id":N"#,
        #""removeNotificationGroup","notification_group_id":N,"max_notification_id":N"#,
        #""setChatNotificationSettings","chat_id":N,"notification_settings":{"mute_for":N,"sound_id":N,"story_sound_id":N}"#,
        #""getChatNotificationSettings","chat_id":N"#,
        #""setScopeNotificationSettings","scope":{"@type":"notificationSettingsScopePrivateChats"},"notification_settings":{"mute_for":N,"sound_id":N}"#,
        #""getScopeNotificationSettings","scope":{"@type":"notificationSettingsScopePrivateChats"}"#,
        #""openChat","chat_id":N"#, #""closeChat","chat_id":N"#,
        #""viewMessages","chat_id":N,"message_ids":[N,N],"force_read":true"#,
        #""getMessageLocally","chat_id":N,"message_id":N"#,
        #""registerDevice","device_token":{"@type":"deviceTokenSimplePush","endpoint":"https://a.b/c"},"other_user_ids":[N]"#,
    ]

    private static let payloads: [String] = [
        #"{"date":N,"user_id":N,"data":{"loc_key":"MESSAGE_TEXT","loc_args":["A","b"],"custom":{"from_id":"N","msg_id":"N","top_msg_id":N,"ringtone":N},"badge":N,"google.sent_time":N}}"#,
        #"{"data":{"loc_key":"CHAT_MESSAGE_TEXT","loc_args":["A","C","b"],"custom":{"chat_id":"N","chat_from_id":N,"msg_id":"N","mention":N,"edit_date":N}}}"#,
        #"{"data":{"loc_key":"MESSAGE_DELETED","custom":{"channel_id":N,"messages":"N,N"},"badge":N}}"#,
        #"{"data":{"loc_key":"READ_HISTORY","custom":{"from_id":N,"max_id":N},"badge":N}}"#,
        #"{"data":{"loc_key":"MESSAGE_ANNOUNCEMENT","message":"News","custom":{"announcement":"N"}}}"#,
        #"{"data":{"loc_key":"DC_UPDATE","custom":{"dc":N,"addr":"a:1"}}}"#,
        #"{"data":{"loc_key":"ENCRYPTED_MESSAGE","custom":{"encryption_id":N,"random_id":"N"}}}"#,
        #"{"data":{"loc_key":"PINNED_GIVEAWAY","loc_args":["A","N","N"],"custom":{"channel_id":N,"msg_id":"N"}}}"#,
        #"{"data":{"loc_key":"MESSAGE_PHOTOS","loc_args":["A","N"],"custom":{"from_id":"1","msg_id":"N"}}}"#,
        #"{"data":{"loc_key":"SESSION_REVOKE","loc_args":[],"date":N}}"#,
        #"{"aps":{"alert":{"title":"a","body":"b"},"badge":N,"mutable-content":N},"payload":{"customId":N,"timestamp":N,"type":"call"}}"#,
        #"{"aps":{"alert":{"loc-key":"IM2","loc-args":["N","N","hi"]},"badge":N},"timestamp":N}"#,
        #"{"notification":{"event_id":"$N","room_id":"!r","type":"m.room.message","content":{"body":"x"},"counts":{"unread":N,"missed_calls":N}}}"#,
        #"{"web_push":8030,"notification":{"title":"t","app_badge":N}}"#,
        #"{"message":"m","priority":N}"#,
    ]

    private func filled(_ text: String, _ generator: inout SeededGenerator) -> String {
        text.split(separator: "N", omittingEmptySubsequences: false).map(String.init)
            .reduce(into: "") { text, part in
                if !text.isEmpty {
                    let isKnown = Bool.random(using: &generator)
                    let place = Int.random(in: 0..<Self.numbers.count, using: &generator)
                    // Otherwise an existing one, so that something happens.
                    text +=
                        "\(isKnown ? Int64.random(in: 1...4, using: &generator) : Self.numbers[place])"
                }
                text += part
            }
    }

    @Test(
        "No number from a client or sender stops an engine",
        arguments: 1...6 as ClosedRange<UInt64>)
    func operations(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var now = [0, 1_800_000_000, 2_147_483_640, 4_294_967_290][Int(seed % 4)] as Double
        var account = Account()
        account.policy = seed.isMultiple(of: 2) ? .strict : .learn
        account.options[OptionName.groupCountMax] = .integer(5)
        for id in [1, 2, 3, 777_000] as [Int64] { account.chats[.user(id)] = Chat(.user(id)) }
        let none = HostedEngine.Cryptography(secret: { _ in nil }, open: { _, _ in nil })
        var hosted = HostedEngine(account, cryptography: none, templates: .english, now: now)
        for number in 0..<4_000 {
            now += Double(Int.random(in: 0...70, using: &generator))
            if Bool.random(using: &generator) {
                let place = Int.random(in: 0..<Self.requests.count, using: &generator)
                let request = #"{"@type":"# + filled(Self.requests[place], &generator) + "}"
                let answer = hosted.answer(Array(request.utf8), now: now)
                #expect(StrictJSON.isLine(answer), "\(request)")
            } else {
                let place = Int.random(in: 0..<Self.payloads.count, using: &generator)
                _ = hosted.process(
                    Array(filled(Self.payloads[place], &generator).utf8), .auto,
                    [.clear, .webpush, .mtproto][number % 3], isTrusted: true, now: now)
            }
            for update in hosted.takeNews().updates {
                var writer = JSONWriter()
                update.write(to: &writer)
                #expect(StrictJSON.isLine(writer.bytes))
            }
            guard number % 500 == 499 || !hosted.engine.isRunning else { continue }
            let kept = hosted.engine.account
            #expect(try Account(state: kept.state) == kept)
            hosted = HostedEngine(
                kept, cryptography: none, templates: .english, now: now)
        }
    }

    private func story(_ requests: [String]) throws -> (Engine, [Outcome?]) {
        var account = Account()
        account.options[OptionName.groupCountMax] = .integer(5)
        account.chats[.user(1)] = Chat(.user(1))
        var engine = Engine(account)
        engine.start(now: 1_800_000_000)
        var outcomes: [Outcome?] = []
        for request in requests {
            let text = Array(#"{"@type":\#(request)}"#.utf8)
            outcomes.append(engine.handle(try JSONDocument(text).root, now: 1_800_000_001))
        }
        return (engine, outcomes)
    }

    @Test("Identifiers that no server assigns are refused, or count as absent")
    func identifiers() throws {
        let beyond = ["9223372036854775807", "-9223372036854775808", "\(1 << 52 + 1 as Int64)"]
        for id in beyond {
            let (engine, outcomes) = try story([
                #""bellwire.setMe","user_id":\#(id)"#,
                #""bellwire.setChat","chat_id":\#(id)"#,
                #""bellwire.addMessage","message":{"id":\#(id),"chat_id":1}"#,
                #""bellwire.addMessage","message":{"id":1048576,"chat_id":\#(id)}"#,
                #""bellwire.setCall","call_id":\#(id),"chat_id":1,"state":"pending""#,
                #""bellwire.setChat","chat_id":1,"last_read_inbox_message_id":\#(id)"#,
            ])
            for outcome in outcomes.dropLast() {
                guard case .error(code: 400, _) = outcome else {
                    Issue.record("\(id) was taken: \(String(describing: outcome))")
                    continue
                }
            }
            #expect(engine.account.chats.count == 1 && engine.account.userID == 0)
            #expect(engine.account.chats[.user(1)]?.lastRead.isNone == true)
        }
    }

    @Test("After the last message identifier announcements continue without a crash")
    func announcements() throws {
        var (engine, _) = try story([#""bellwire.setChat","chat_id":777000"#])
        engine.account.chats[.serviceNotifications]?.lastMessage = ChatMessageID(.max)
        engine = Engine(try Account(state: engine.account.state))
        engine.start(now: 1_800_000_000)
        for number in 1...3 {
            let payload =
                #"{"loc_key":"MESSAGE_ANNOUNCEMENT","message":"News","custom":{"announcement":"\#(number)"}}"#
            _ = engine.process(
                payload: Array(payload.utf8), dialect: .telegram, level: .mtproto,
                now: 1_800_000_002 + Double(number))
        }
        #expect(engine.activeGroups.first?.notifications.isEmpty == false)
    }

    @Test("After the last identifier, notifications, groups and calls start again at 1")
    func counters() throws {
        var (engine, _) = try story([])
        engine.account.lastNotificationID = Coder.lastCount - 1
        engine.account.lastGroupID = Coder.lastCount - 1
        engine.account.lastCallID = Coder.lastCount - 1
        func push(_ user: Int, _ key: String, _ id: Int) {
            let payload =
                #"{"loc_key":"\#(key)","loc_args":["A","b"],"custom":{"from_id":"\#(user)","msg_id":"\#(id)"}}"#
            _ = engine.process(
                payload: Array(payload.utf8), dialect: .telegram, level: .webpush,
                now: 1_800_000_003)
        }
        for user in 1...4 { push(user, "MESSAGE_TEXT", 1) }
        for number in 0..<4 as Range<Int64> {
            var call = IncomingCall(
                chat: .conversation("c\(number)"), stage: .requested, callerName: "A",
                missedText: "b")
            call.ownID = "x"
            _ = engine.process([.call(call)], level: .webpush, now: 1_800_000_003)
        }
        let shown = engine.activeGroups.flatMap { group in
            group.notifications.map { [group.id, $0.id] }
        }
        #expect(Set(shown).count == shown.count && engine.account.calls.count == 4)
        #expect(engine.account.lastNotificationID < 10 && engine.account.lastCallID < 10)
        // Waiting updates are stored: the account can be written and read again.
        #expect(try Account(state: engine.account.state) == engine.account)
    }
}
