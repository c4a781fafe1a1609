import Testing
@testable import Notifications

/// The promises of the source documents, each by its name.
@Suite("Capabilities of Telegram and TDLib")
struct CapabilityTests {
    private func details(_ story: Story) -> [Update.Detail] {
        var all: [Update.Detail] = []
        for case .fetchRequired(_, let details) in story.updates { all += details }
        return all
    }

    private func pushMessage(_ story: Story) -> PushMessage? {
        guard
            case .newPushMessage(let message) = story.engine.activeGroups.first?.notifications
                .last?.content
        else { return nil }
        return message
    }

    @Test("Notifications are off at first; a number switches them on, 0 or nothing off again")
    func emptyOption() throws {
        let empty =
            #"{"@type":"setOption","name":"notification_group_count_max","value":{"@type":"optionValueEmpty"}}"#
        for end in [empty, empty.replacing("Empty\"", with: "Integer\",\"value\":0")] {
            var story = Story()
            try story.request(empty)
            try story.restart()
            story.updates = []
            story.text("a", id: 11)
            #expect(story.updates.isEmpty, "nobody has asked for any")
            try story.set("notification_group_count_max", "1")
            story.text("b", id: 12)
            #expect(story.shown == [["b"]])
            try story.request(end)
            #expect(story.client.visible.isEmpty && story.engine.activeGroups.isEmpty)
        }
    }

    @Test("A message in an open chat waits a second")
    func openChat() throws {
        var story = Story()
        try story.request(#"{"@type":"bellwire.setOnline","self":true}"#)
        try story.request(#"{"@type":"openChat","chat_id":1}"#)
        try story.request(Self.message(11, date: 1_800_000_060))
        story.pass(0.5)
        #expect(story.shown.isEmpty)
        story.pass(1)
        #expect(story.shown == [["message 11"]])
    }

    @Test("getMessageLocally gives the message of a notification")
    func getMessageLocally() throws {
        var story = Story()
        try story.request(Self.message(11, date: 1_800_000_060))
        story.pass(2)
        let found = try story.request(
            #"{"@type":"getMessageLocally","chat_id":1,"message_id":\#(11 << 20)}"#)
        guard case .object(let text) = found else {
            Issue.record("no message")
            return
        }
        #expect(text.contains("messageText"))
        let missing = try story.request(
            #"{"@type":"getMessageLocally","chat_id":1,"message_id":5}"#)
        #expect(missing == .error(code: 404, message: "Not Found"))
    }

    @Test(
        "Ready-made texts stand in for missing arguments",
        arguments: [("title", "description"), ("line1", "line2"), ("line1", "text")])
    func readyTexts(name: String, text: String) {
        var story = Story()
        story.push(
            #"{"loc_key":"MESSAGE_NOTEXT","\#(name)":"Ann","\#(text)":"hello","custom":{"from_id":1,"msg_id":5}}"#
        )
        #expect(pushMessage(story)?.senderName == "Ann")
        #expect(pushMessage(story)?.presentation?.body == "hello")
    }

    @Test(
        "The peer's own names replace a missing one",
        arguments: [
            (#""first_name":"Ann","last_name":"Lee""#, "Ann Lee"), (#""title":"Ann""#, "Ann"),
            (#""username":"ann""#, "ann"), (#""ah":"-1""#, ""),
        ])
    func peerNames(members: String, name: String) {
        var story = Story()
        story.push(
            #"{"loc_key":"MESSAGE_NOTEXT","custom":{"from_id":4242,"msg_id":5,"mtpeer":{\#(members)}}}"#
        )
        #expect(pushMessage(story)?.senderName == name)
        #expect(story.engine.account.chats[.user(4242)]?.title == name)
    }

    @Test("Ready-made texts also replace missing arguments of documented sentences")
    func readyTextsOfSentences() {
        var story = Story()
        story.push(
            #"{"loc_key":"REACT_TEXT","title":"Ann","description":"Ann likes it","custom":{"from_id":1}}"#
        )
        #expect(pushMessage(story)?.senderName == "Ann")
        #expect(pushMessage(story)?.presentation?.body == "Ann likes it")
    }

    @Test("The name of a sound is passed on, a path is not")
    func sound() {
        for (sound, expected) in [("sound1.mp3", "sound1.mp3"), ("/etc/x", ""), ("../x", "")] {
            var story = Story()
            story.push(
                #"{"loc_key":"MESSAGE_TEXT","loc_args":["A","b"],"sound":"\#(sound)","custom":{"from_id":1,"msg_id":5}}"#
            )
            #expect(pushMessage(story)?.presentation?.sound == expected)
        }
    }

    @Test("call_id, call_ah and updates reach the client as they came")
    func callDetails() {
        var story = Story()
        story.push(
            #"{"loc_key":"PHONE_CALL_REQUEST","loc_args":["A"],"custom":{"from_id":1,"call_id":"5","call_ah":-7,"updates":"AbC_"}}"#
        )
        let expected = [("call_id", #""5""#), ("call_ah", "-7"), ("updates", #""AbC_""#)]
        for (name, source) in expected {
            #expect(details(story).contains(Update.Detail(name, source: source)))
        }
    }

    @Test("The client ends a ringing call")
    func setCall() throws {
        var story = Story()
        try story.request(
            #"{"@type":"bellwire.setCall","call_id":9,"chat_id":1,"state":"pending"}"#)
        #expect(story.shown == [["call"]])
        try story.request(
            #"{"@type":"bellwire.setCall","call_id":9,"chat_id":1,"state":"discarded"}"#)
        #expect(story.shown.isEmpty)
    }

    @Test(
        "A call announced by a push is ended by the client",
        arguments: [
            #""call_id":1,"chat_id":1,"state":"discarded""#,
            #""call_id":7,"chat_id":1,"state":"pending""#,
        ])
    func setPushedCall(call: String) throws {
        var story = Story()
        story.push(#"{"loc_key":"PHONE_CALL_REQUEST","loc_args":["A"],"custom":{"from_id":1}}"#)
        try story.request("{\"@type\":\"bellwire.setCall\",\(call)}")
        let isTaken = call.contains("pending")
        #expect(story.shown == (isTaken ? [["call"]] : []))
        #expect(story.engine.account.calls.keys.contains(7) == isTaken)
        story.pass(61)
        #expect(story.shown == (isTaken ? [["call"]] : []), "nobody missed it")
    }

    @Test(
        "A push that the call was missed or declined ends its ringing",
        arguments: [
            "PHONE_CALL_MISSED", "PHONE_CALL_DECLINE",
        ])
    func endedCall(key: String) {
        var story = Story()
        for key in ["PHONE_CALL_REQUEST", key] {
            story.push(#"{"loc_key":"\#(key)","loc_args":["A"],"custom":{"from_id":1}}"#)
        }
        #expect(story.engine.account.calls.isEmpty)
        #expect(!story.shown.flatMap { $0 }.contains("call"))
    }

    @Test("A call of a push gets another number than those that the client gave")
    func numbersOfCalls() throws {
        var story = Story()
        try story.request(
            #"{"@type":"bellwire.setCall","call_id":2147483646,"chat_id":2,"state":"pending"}"#)
        story.push(#"{"loc_key":"PHONE_CALL_REQUEST","loc_args":["A"],"custom":{"from_id":1}}"#)
        #expect(story.shown == [["call"], ["call"]] && story.engine.account.calls.count == 2)
        story.push(#"{"loc_key":"PHONE_CALL_DECLINE","loc_args":["A"],"custom":{"from_id":1}}"#)
        #expect(story.shown == [["call"]] && story.engine.account.calls.keys.contains(.max - 1))
    }

    @Test("A call group is reused after the last call of its chat has ended")
    func callGroups() throws {
        var story = Story()
        for (id, chat) in [(1, 1), (2, 1), (3, 2)] {
            try story.request(
                #"{"@type":"bellwire.setCall","call_id":\#(id),"chat_id":\#(chat),"state":"pending"}"#
            )
        }
        #expect(story.engine.account.lastGroupID == 2)
        #expect(story.engine.activeGroups.map(\.kind) == [.calls, .calls])
        let dismissed = try #require(story.engine.activeGroups.last?.notifications.first)
        try story.request(
            #"{"@type":"removeNotification","notification_group_id":1,"notification_id":\#(dismissed.id)}"#
        )
        #expect(story.engine.account.freeCallGroups == [], "the chat's other call still rings")
        try story.request(
            #"{"@type":"bellwire.setCall","call_id":2,"chat_id":1,"state":"discarded"}"#)
        try story.request(
            #"{"@type":"bellwire.setCall","call_id":4,"chat_id":3,"state":"pending"}"#)
        #expect(story.engine.account.lastGroupID == 2)
        #expect(story.engine.account.groups[1]?.chatID == .user(3))
    }

    @Test("A notification that reappears keeps the order of its id and makes no sound")
    func broughtBack() throws {
        var story = Story(.learn, size: 2)
        for id in 11...13 { story.text("m\(id)", id: id) }
        story.updates = []
        try story.request(
            #"{"@type":"removeNotification","notification_group_id":1,"notification_id":3}"#)
        #expect(story.shown == [["m11", "m12"]])
        #expect(story.takeGroups().map(\.soundID) == [0])
    }

    @Test("Registered tokens are refreshed at the start and every 24 hours")
    func refresh() throws {
        var story = Story()
        try story.request(
            #"{"@type":"registerDevice","device_token":{"@type":"deviceTokenSimplePush","endpoint":"https://a"}}"#
        )
        story.updates = []
        story.engine.refreshDevices()
        story.settle()
        #expect(details(story).contains(Update.Detail("token", source: #""https://a""#)))
        story.updates = []
        #expect(story.engine.nextDeadline == story.now + 86_400)
        story.pass(86_399)
        #expect(story.updates.isEmpty)
        story.pass(1)
        #expect(details(story).contains(Update.Detail("token", source: #""https://a""#)))
    }

    @Test("An empty token asks for what unregisterDevice needs")
    func unregister() throws {
        var story = Story()
        let register =
            #"{"@type":"registerDevice","other_user_ids":[5,6],"device_token":{"@type":"deviceTokenSimplePush","endpoint":"ENDPOINT"}}"#
        let registered = try story.request(register.replacing("ENDPOINT", with: "https://a"))
        #expect(registered == .object(#"{"@type":"pushReceiverId","id":"777"}"#), "the user")
        story.updates = []
        let outcome = try story.request(register.replacing("ENDPOINT", with: ""))
        #expect(outcome == .object(#"{"@type":"pushReceiverId","id":"0"}"#))
        guard case .fetchRequired("unregister_device", let details) = story.updates.first else {
            Issue.record("nothing is asked for")
            return
        }
        let expected = [("token_type", "4"), ("token", #""https://a""#), ("other_uids", "[5,6]")]
        for (name, source) in expected {
            #expect(details.contains(Update.Detail(name, source: source)))
        }
    }

    @Test(
        "An announcement's text stands in message, or else in announcement",
        arguments: [
            #""message":"News""#, #""announcement":"News""#,
            #""message":"News","announcement":"Old""#,
        ])
    func announcement(member: String) {
        var story = Story()
        story.push(
            #"{"data":{"loc_key":"MESSAGE_ANNOUNCEMENT",\#(member),"custom":{"announcement":7}}}"#)
        guard
            case .newMessage(let message, _) = story.engine.activeGroups.first?.notifications
                .first?.content
        else {
            Issue.record("no announcement")
            return
        }
        #expect(String(decoding: message.source, as: UTF8.self).contains(#""text":"News""#))
    }

    @Test(
        "Encrypted or locked messages are shown without content",
        arguments: [
            #"{"loc_key":"LOCKED_MESSAGE"}"#, #"{"loc_key":"ENCRYPTION_REQUEST"}"#,
            #"{"loc_key":"ENCRYPTION_ACCEPT","custom":{"encryption_id":5}}"#,
            #"{"loc_key":"ENCRYPTED_MESSAGE","custom":{"encryption_id":5,"random_id":1}}"#,
        ])
    func locked(payload: String) {
        var story = Story()
        story.push(payload)
        #expect(pushMessage(story)?.content == PushContent(.hidden))
        #expect(!details(story).isEmpty, "and has to be fetched")
    }

    @Test("A secret message is announced once, however often its push comes")
    func randomID() {
        var story = Story()
        for _ in 0..<2 {
            story.push(
                #"{"loc_key":"ENCRYPTED_MESSAGE","custom":{"encryption_id":5,"random_id":"99"}}"#)
        }
        #expect(story.engine.activeGroups.first?.totalCount == 1)
        #expect(pushMessage(story)?.content.kind == .hidden)
        story.push(
            #"{"loc_key":"ENCRYPTED_MESSAGE","custom":{"encryption_id":5,"random_id":"100"}}"#)
        #expect(story.engine.activeGroups.first?.totalCount == 2, "another message is another")
    }

    @Test("top_msg_id becomes the thread of the message")
    func thread() {
        var story = Story()
        story.push(
            #"{"loc_key":"CHAT_MESSAGE_TEXT","loc_args":["A","Super88","t"],"custom":{"channel_id":88,"chat_from_id":1,"msg_id":5,"top_msg_id":3}}"#
        )
        #expect(pushMessage(story)?.threadID == ChatMessageID(server: 3))
    }

    @Test("The first data center asks for the configuration; only Telegram itself may name one")
    func dcUpdate() {
        var story = Story()
        story.push(#"{"loc_key":"DC_UPDATE","custom":{"dc":1,"addr":"1.2.3.4:443"}}"#)
        #expect(story.updates.isEmpty)
        for dc in ["1", "2"] {
            story.push(
                #"{"loc_key":"DC_UPDATE","custom":{"dc":\#(dc),"addr":"1.2.3.4:443"}}"#,
                level: .mtproto)
        }
        #expect(
            story.updates == [
                .dcOption(dc: 1, address: "1.2.3.4:443", getConfig: true),
                .dcOption(dc: 2, address: "1.2.3.4:443", getConfig: false),
            ])
    }

    @Test("Live locations are requested; muted messages are counted and fetched")
    func otherServiceKeys() {
        var story = Story()
        story.push(#"{"loc_key":"GEO_LIVE_PENDING"}"#)
        story.push(#"{"loc_key":"MESSAGE_MUTED","badge":"7","custom":{"from_id":1}}"#)
        #expect(story.updates.contains(.liveLocationsNeeded))
        #expect(story.updates.contains(.unreadBadge(count: 7, missedCalls: nil)))
        #expect(!details(story).isEmpty && story.shown.isEmpty)
    }

    @Test(
        "A login from a new device is critical and belongs to no chat of the user",
        arguments: [
            #""AUTH_UNKNOWN","loc_args":["Phone"]"#, #""AUTH_REGION","loc_args":["Phone","Rome"]"#,
        ])
    func login(key: String) {
        var story = Story()
        story.push("{\"loc_key\":\(key)}")
        #expect(pushMessage(story)?.presentation?.isCritical == true)
        #expect(story.engine.activeGroups.first?.chatID == .serviceNotifications)
    }

    @Test("A file of sentences in another language takes the place of the English ones")
    func language() {
        let german = TelegramTemplates(
            table: "MESSAGE_PHOTO\t{1} hat dir ein Foto geschickt\tUser", orElse: .english)
        let text = german.text("MESSAGE_PHOTO", ["Ann"], inGroup: false)
        #expect(text?.body == "Ann hat dir ein Foto geschickt")
        #expect(german.text("MESSAGE_DOC", ["Ann"], inGroup: false)?.body == "Ann sent you a file")
    }

    private static func message(_ id: Int, date: Int) -> String {
        #"{"@type":"bellwire.addMessage","message":{"@type":"message","id":\#(id << 20),"chat_id":1,"date":\#(date),"sender_id":{"@type":"messageSenderUser","user_id":1},"content":{"@type":"messageText"}}}"#
    }
}
