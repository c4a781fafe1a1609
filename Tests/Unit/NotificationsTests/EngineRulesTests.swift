import Testing
@testable import Notifications

@Suite("Rules of the engine")
struct EngineRulesTests {
    @Test("A push that is applied twice changes nothing the second time")
    func twice() {
        var story = Story()
        for _ in 0..<2 {
            story.push(
                #"{"loc_key":"CONTACT_JOINED","loc_args":["A"],"custom":{"from_id":1}}"#, id: "a")
        }
        #expect(story.engine.activeGroups.first?.totalCount == 1)
    }

    @Test("A weaker push changes nothing that came from a stronger one")
    func levels() {
        var story = Story()
        story.text("strong", id: 11)
        let pushes = [
            #"{"loc_key":"MESSAGE_DELETED","custom":{"from_id":"1","messages":"11"}}"#,
            #"{"loc_key":"READ_HISTORY","custom":{"from_id":"1","max_id":"11"}}"#,
            #"{"loc_key":"MESSAGE_TEXT","loc_args":["A","weak"],"custom":{"from_id":"1","msg_id":"11","edit_date":1}}"#,
        ]
        for payload in pushes { story.push(payload, level: .clear) }
        story.push(#"{"notification":{"counts":{}}}"#, dialect: .matrix, level: .clear)
        #expect(story.shown == [["strong"]])
        story.push(pushes[2], level: .webpush)
        #expect(story.shown == [["weak"]])
    }

    @Test("A session is revoked only by a recent payload that Telegram itself encrypted")
    func revoke() {
        var story = Story()
        story.text("hi", id: 11)
        let now = Int(story.now)
        let revocation = { (date: Int) in
            #"{"date":\#(date),"data":{"loc_key":"SESSION_REVOKE"}}"#
        }
        story.push(revocation(now))
        story.push(#"{"loc_key":"SESSION_REVOKE"}"#, level: .mtproto)
        story.push(revocation(now - 29 * 86_400), level: .mtproto)
        #expect(story.shown == [["hi"]])
        let asked = story.updates.filter {
            $0 == .fetchRequired(reason: "session_revoke", details: [])
        }
        #expect(asked.count == 2, "of what is encrypted, but may be a copy, the client asks")
        story.push(revocation(now - 5), level: .mtproto)
        #expect(story.client.visible.isEmpty && story.engine.account == Account())
        #expect(story.updates.contains(.sessionRevoked))
    }

    @Test("Loaded messages replace those from pushes and do not ring again")
    func realMessages() throws {
        var story = Story()
        story.text("push", id: 11)
        story.updates = []
        try story.request(message(11))
        story.pass(1)
        #expect(story.shown == [["message 11"]])
        let updates = story.takeGroups()
        #expect(updates.map(\.soundID) == [0])
        #expect(updates.first?.removed == [1] && updates.first?.added.map(\.id) == [2])
    }

    @Test("The client's count is announced, plus the messages known only from pushes")
    func clientCounts() throws {
        var story = Story()
        try story.request(message(11))
        story.pass(1)
        story.text("push", id: 12)
        story.updates = []
        try story.request(#"{"@type":"bellwire.setChat","chat_id":1,"unread_count":7}"#)
        story.pass(1)
        #expect(story.takeGroups().map(\.totalCount) == [8])
        try story.request(#"{"@type":"bellwire.setChat","chat_id":1,"unread_count":0}"#)
        story.pass(1)
        #expect(story.takeGroups().isEmpty, "fewer than are shown cannot be right")
    }

    @Test("A dismissed notification does not come back as the real message")
    func dismissed() throws {
        var story = Story()
        story.text("a", id: 11)
        story.text("b", id: 12)
        try story.request(
            #"{"@type":"removeNotification","notification_group_id":1,"notification_id":1}"#)
        try story.request(message(11))
        story.pass(1)
        #expect(story.shown == [["b"]])
        try story.request(message(13))
        story.pass(1)
        #expect(story.shown == [["message 13"]])
    }

    @Test("A push without content tells the client to fetch")
    func contentless() {
        var story = Story()
        #expect(story.push("{}") == .ok)
        #expect(story.updates == [.fetchRequired(reason: "empty", details: [])])
    }

    @Test("While another client is in use a message waits; coming online shows it")
    func delay() throws {
        var story = Story()
        try story.request(
            #"{"@type":"bellwire.setOnline","self":false,"others_online_since":\#(Int(story.now) + 100)}"#
        )
        try story.request(message(11))
        story.pass(20)
        #expect(story.shown.isEmpty && story.client.pending?.delayed == true)
        try story.request(#"{"@type":"bellwire.setOnline","self":true}"#)
        story.pass(1)
        #expect(story.shown == [["message 11"]] && story.client.pending?.delayed == false)
    }

    @Test("A message that is read while it waits is never shown")
    func readWhileWaiting() throws {
        var story = Story()
        try story.request(
            #"{"@type":"bellwire.setOnline","self":false,"others_online_since":\#(Int(story.now) + 100)}"#
        )
        try story.request(message(11))
        try story.request(#"{"@type":"viewMessages","chat_id":1,"message_ids":[\#(11 << 20)]}"#)
        story.pass(60)
        #expect(story.takeGroups().flatMap(\.added).isEmpty)
        #expect(story.client.pending?.delayed == false)
    }

    @Test("A change of the pinned message updates its notification")
    func pinnedChange() throws {
        var story = Story()
        story.push(
            #"{"loc_key":"PINNED_TEXT","loc_args":["A","Super88","p"],"custom":{"channel_id":"88","chat_from_id":"1","msg_id":"5"}}"#
        )
        story.updates = []
        try story.request(#"{"@type":"bellwire.setPinnedMessage","chat_id":-1000000000088}"#)
        story.pass(1)
        let isTold = story.updates.contains { if case .notification = $0 { true } else { false } }
        #expect(isTold)
    }

    @Test("A secret chat is announced once, without any content")
    func secretChat() throws {
        var story = Story()
        let chat = -1_999_999_999_995
        try story.request(#"{"@type":"bellwire.addSecretChat","chat_id":\#(chat),"title":"S"}"#)
        #expect(story.shown == [["secret chat"]])
        #expect(story.engine.activeGroups.first?.kind == .secretChat)
        try story.request(message(11, chat: chat))
        story.pass(1)
        #expect(story.shown == [["message 11"]])
        #expect("\(story.engine.activeGroups)".contains("showsPreview: false"))
        try story.request(#"{"@type":"bellwire.removeSecretChat","chat_id":\#(chat)}"#)
        #expect(story.shown.isEmpty)
        #expect(story.engine.account.lastGroupID == 0, "its group's id is free again")
        story.text("a", id: 11)
        #expect(story.engine.activeGroups.map(\.id) == [1])
        #expect(story.engine.activeGroups.map(\.kind) == [.messages])
    }

    @Test("Messages that a client edits change, and those it deletes are removed")
    func ownMessages() throws {
        var story = Story()
        for id in [11, 12] { try story.request(message(id)) }
        for _ in 0..<2 { story.pass(1) }
        story.updates = []
        let edit = message(11).replacing("addMessage", with: "editMessage")
        try story.request(edit.replacing("messageText", with: "messagePhoto"))
        story.pass(1)
        let edited = story.updates.compactMap { update in
            if case .notification(_, let notification) = update { "\(notification)" } else { nil }
        }
        #expect(edited.count == 1 && story.shown == [["message 11", "message 12"]])
        guard
            case .newMessage(let message, _) = story.engine.activeGroups.first?.notifications
                .first?.content
        else {
            Issue.record("no message")
            return
        }
        #expect(String(decoding: message.source, as: UTF8.self).contains("messagePhoto"))
        let delete =
            #"{"@type":"bellwire.deleteMessages","chat_id":1,"message_ids":[\#(11 << 20)]}"#
        try story.request(delete)
        story.pass(1)
        #expect(story.shown == [["message 12"]])
        #expect(story.engine.activeGroups.first?.totalCount == 1)
        try story.request(#"{"@type":"bellwire.removeChat","chat_id":1}"#)
        #expect(story.client.visible.isEmpty)
    }

    @Test("While its client fetches, updates wait for the fetched messages")
    func fetching() throws {
        var story = Story()
        try story.request(#"{"@type":"bellwire.setFetching","active":true}"#)
        #expect(story.client.pending?.unreceived == true)
        for id in [11, 12] { try story.request(message(id)) }
        for _ in 0..<2 { story.pass(1) }
        #expect(story.takeGroups().isEmpty && story.client.pending?.delayed == true)
        try story.request(
            #"{"@type":"bellwire.deleteMessages","chat_id":1,"message_ids":[\#(11 << 20)]}"#)
        try story.request(#"{"@type":"bellwire.setFetching","active":false}"#)
        let updates = story.takeGroups()
        #expect(updates.map { $0.added.map(\.id) } == [[2]], "what was deleted is never told")
        #expect(story.client.pending?.delayed == false)
        #expect(story.client.pending?.unreceived == false)
    }

    @Test("When an account ends while its client fetches, nothing is pending any more")
    func endedWhileFetching() throws {
        var story = Story()
        try story.request(#"{"@type":"bellwire.setFetching","active":true}"#)
        story.text("a", id: 11)
        try story.request(#"{"@type":"destroy"}"#)
        #expect(story.client.pending?.delayed == false)
        #expect(story.client.pending?.unreceived == false)
        #expect(!story.engine.isRunning)
    }

    @Test("A client sets its user, and whether only it may introduce chats")
    func identity() throws {
        var story = Story()
        let push =
            #"{"user_id":778,"loc_key":"MESSAGE_TEXT","loc_args":["Z","a"],"custom":{"from_id":ID,"msg_id":1}}"#
        story.push(push.replacing("ID", with: "1"))
        #expect(story.shown.isEmpty)
        try story.request(#"{"@type":"bellwire.setMe","user_id":778}"#)
        story.push(push.replacing("ID", with: "1"))
        #expect(story.shown == [["a"]])
        let policy = #"{"@type":"bellwire.setChatPolicy","policy":"strict"}"#
        try story.request(policy)
        #expect(
            story.push(push.replacing("ID", with: "4242"))
                == .error(code: 406, message: "Ignore notification in unknown chat"))
        try story.request(#"{"@type":"bellwire.setChat","chat_id":4242,"title":"Zoe"}"#)
        #expect(story.push(push.replacing("ID", with: "4242")) == .ok)
        #expect(story.engine.account.chats[.user(4242)]?.title == "Zoe")
        #expect(
            try story.request(policy.replacing("strict", with: "x"))
                == .badRequest("Policy must be strict or learn"))
    }

    @Test("The group of a new secret chat contains only its notice")
    func secretChatAlone() throws {
        var story = Story()
        let chat = -1_999_999_999_995
        let push =
            #"{"loc_key":"ENCRYPTED_MESSAGE","custom":{"encryption_id":5,"random_id":"RANDOM"}}"#
        story.push(push.replacing("RANDOM", with: "1"))
        try story.request(#"{"@type":"bellwire.addSecretChat","chat_id":\#(chat),"title":"S"}"#)
        #expect(story.shown == [["secret chat"]])
        #expect(story.engine.activeGroups.first?.kind == .secretChat)
        #expect(story.engine.activeGroups.first?.totalCount == 1)
        story.push(push.replacing("RANDOM", with: "2"))
        #expect(story.shown == [[""]] && story.engine.activeGroups.first?.kind == .messages)
        #expect(story.client.visible == Client.visible(story.engine))
    }

    @Test("An announcement is shown once in a week")
    func announcements() {
        var story = Story()
        let payload =
            #"{"loc_key":"MESSAGE_ANNOUNCEMENT","message":"News","custom":{"announcement":"7"}}"#
        story.push(payload)
        story.push(payload)
        #expect(story.engine.activeGroups.first?.totalCount == 1)
        story.pass(7 * 86_400 + 1)
        story.push(payload)
        #expect(story.engine.activeGroups.first?.totalCount == 2)
    }

    @Test("Muting drops new messages and removes nothing that is shown")
    func muting() throws {
        var story = Story()
        story.text("before", id: 11)
        try story.request(
            #"{"@type":"setChatNotificationSettings","chat_id":1,"notification_settings":{"mute_for":3600,"use_default_show_preview":true}}"#
        )
        story.text("muted", id: 12)
        #expect(story.shown == [["before"]])
        story.pass(3601)
        story.text("after", id: 13)
        #expect(story.shown == [["before", "after"]])
    }

    @Test(
        "registerDevice reports errors with TDLib's texts",
        arguments: [
            (#"null"#, "Device token must be non-empty"),
            (#"{"@type":"deviceTokenWebPush","endpoint":"https://a,b"}"#, "Illegal endpoint value"),
            (
                #"{"@type":"deviceTokenWebPush","endpoint":"https://a","p256dh_base64url":"+"}"#,
                "Public key must be base64url-encoded"
            ),
            (
                #"{"@type":"deviceTokenWebPush","endpoint":"https://a","p256dh_base64url":"AA","auth_base64url":"/"}"#,
                "Authentication secret must be base64url-encoded"
            ),
            (
                #"{"@type":"deviceTokenWebPush","endpoint":"\ud800"}"#,
                "Endpoint must be encoded in UTF-8"
            ),
            (
                #"{"@type":"deviceTokenSimplePush","endpoint":"\ud800"}"#,
                "Device token must be encoded in UTF-8"
            ),
            (
                #"{"@type":"deviceTokenTizenPush"},"other_user_ids":[null]"#,
                "Invalid user_id among other user_ids"
            ),
            (
                #"{"@type":"deviceTokenTizenPush"},"other_user_ids":[1099511627776]"#,
                "Invalid user_id among other user_ids"
            ),
        ])
    func devices(token: String, message: String) throws {
        var story = Story()
        let outcome = try story.request(#"{"@type":"registerDevice","device_token":\#(token)}"#)
        #expect(outcome == .error(code: 400, message: message))
    }

    @Test(
        "registerDevice checks shapes before anything is registered",
        arguments: [
            ("5", "Expected Object, but receive Number"),
            ("{}", #"Can't find field "@type""#),
            (#"{"@type":"x"}"#, #"Unknown class "x""#),
            (
                #"{"@type":"deviceTokenSimplePush","endpoint":5}"#,
                "Expected String, but receive Number"
            ),
            (
                #"{"@type":"deviceTokenApplePush","device_token":"t","is_app_sandbox":"x"}"#,
                "Expected Boolean, but receive String"
            ),
            (
                #"{"@type":"deviceTokenTizenPush","reg_id":"t"},"other_user_ids":5"#,
                "Expected Array, but receive Number"
            ),
            (
                #"{"@type":"deviceTokenTizenPush","reg_id":"t"},"other_user_ids":["x"]"#,
                #"Can't parse as an integer string "x""#
            ),
        ])
    func deviceShapes(token: String, mistake: String) throws {
        var story = Story()
        let outcome = try story.request(#"{"@type":"registerDevice","device_token":\#(token)}"#)
        #expect(outcome == .unreadable(mistake) && story.engine.account.devices.isEmpty)
    }

    @Test(
        "Each kind of token has its number, and keeps what it says",
        arguments: [
            (#"ApplePush","device_token":"t""#, 1), (#"FirebaseCloudMessaging","token":"t""#, 2),
            (#"MicrosoftPush","channel_uri":"t""#, 3), (#"SimplePush","endpoint":"t""#, 4),
            (#"UbuntuPush","token":"t""#, 5), (#"BlackBerryPush","token":"t""#, 6),
            (#"WindowsPush","access_token":"t""#, 8), (#"ApplePushVoIP","device_token":"t""#, 9),
            (#"WebPush","endpoint":"t","p256dh_base64url":"AA","auth_base64url":"AA""#, 10),
            (#"MicrosoftPushVoIP","channel_uri":"t""#, 11), (#"TizenPush","reg_id":"t""#, 12),
            (#"HuaweiPush","token":"t""#, 13),
        ])
    func tokenTypes(token: String, type: Int32) throws {
        var story = Story()
        try story.request(
            #"{"@type":"registerDevice","device_token":{"@type":"deviceToken\#(token)}}"#)
        let devices = story.engine.account.devices
        #expect(devices.keys.sorted() == [type])
        let text = type == 10 ? #"{"endpoint":"t","keys":{"p256dh":"AA","auth":"AA"}}"# : "t"
        #expect(devices[type]?.token == text)
    }

    @Test("The token of a Web Push registration is byte for byte what the server wants")
    func token() {
        let text = RegistrationToken.text(
            endpoint: "https://ex.org/ü\"\\\u{1F600}", p256dh: "B", auth: "A")
        #expect(
            text
                == #"{"endpoint":"https://ex.org/\u00fc\"\\\ud83d\ude00","keys":{"p256dh":"B","auth":"A"}}"#
        )
    }

    private func message(_ id: Int, chat: Int = 1) -> String {
        #"{"@type":"bellwire.addMessage","message":{"@type":"message","id":\#(id << 20),"chat_id":\#(chat),"date":1800000060,"sender_id":{"@type":"messageSenderUser","user_id":1},"content":{"@type":"messageText"}}}"#
    }
}
