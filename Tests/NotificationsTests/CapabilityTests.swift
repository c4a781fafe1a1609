import Dialects
import Testing

@testable import Notifications

/// What the source documents promise, each by its name.
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

    @Test("An empty option switches the notifications off")
    func emptyOption() throws {
        var story = Story()
        story.text("a", id: 11)
        try story.request(
            #"{"@type":"setOption","name":"notification_group_count_max","value":{"@type":"optionValueEmpty"}}"#
        )
        #expect(story.client.visible.isEmpty && story.engine.activeGroups.isEmpty)
    }

    @Test("A message of a chat that is being looked at waits a second")
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

    @Test("The name of a sound travels, a path does not")
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

    @Test("A ringing call is ended by what the client says of it")
    func setCall() throws {
        var story = Story()
        try story.request(
            #"{"@type":"bellwire.setCall","call_id":9,"chat_id":1,"state":"pending"}"#)
        #expect(story.shown == [["call"]])
        try story.request(
            #"{"@type":"bellwire.setCall","call_id":9,"chat_id":1,"state":"discarded"}"#)
        #expect(story.shown.isEmpty)
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
    }

    @Test("top_msg_id becomes the thread of the message")
    func thread() {
        var story = Story()
        story.push(
            #"{"loc_key":"CHAT_MESSAGE_TEXT","loc_args":["A","Super88","t"],"custom":{"channel_id":88,"chat_from_id":1,"msg_id":5,"top_msg_id":3}}"#
        )
        #expect(pushMessage(story)?.threadID == MessageID(server: 3))
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

    @Test("Live locations are asked for; muted messages are counted and fetched")
    func otherServiceKeys() {
        var story = Story()
        story.push(#"{"loc_key":"GEO_LIVE_PENDING"}"#)
        story.push(#"{"loc_key":"MESSAGE_MUTED","badge":"7","custom":{"from_id":1}}"#)
        #expect(story.updates.contains(.liveLocationsNeeded))
        #expect(story.updates.contains(.unreadBadge(count: 7, missedCalls: nil)))
        #expect(!details(story).isEmpty && story.shown.isEmpty)
    }

    @Test("A login from a new device is critical and belongs to no chat of the user")
    func login() {
        var story = Story()
        story.push(#"{"loc_key":"AUTH_UNKNOWN","loc_args":["Phone"]}"#)
        #expect(pushMessage(story)?.presentation?.isCritical == true)
        #expect(story.engine.activeGroups.first?.chatID == .serviceNotifications)
    }

    @Test("A file of sentences in another language can take the place of the English ones")
    func language() {
        let german = TelegramTemplates(table: "MESSAGE_PHOTO\t{1} hat dir ein Foto geschickt\tUser")
        let text = german.text("MESSAGE_PHOTO", ["Ann"], inGroup: false)
        #expect(text?.body == "Ann hat dir ein Foto geschickt")
    }

    private static func message(_ id: Int, date: Int) -> String {
        #"{"@type":"bellwire.addMessage","message":{"@type":"message","id":\#(id << 20),"chat_id":1,"date":\#(date),"sender_id":{"@type":"messageSenderUser","user_id":1},"content":{"@type":"messageText"}}}"#
    }
}
