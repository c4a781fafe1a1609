import Testing
@testable import Notifications

/// The examples of the documents, as printed there.
@Suite("Examples of the documents")
struct DocumentExampleTests {
    private func messages(_ payload: String, _ dialect: Dialect = .telegram) -> [IncomingMessage] {
        dialect.events(Array(payload.utf8), DialectContext()).compactMap {
            if case .message(let message) = $0 { message } else { nil }
        }
    }

    @Test("TDLib's first: a wrapped text with a peer, a badge and ready-made lines")
    func wrapped() {
        let message = messages(
            """
            {"date": 1234567890, "data": {"custom": {"msg_id": "1234567", "from_id": "12345678", \
            "mtpeer": {"ah": "-1234567", "ph": {"volume_id": "987654321", "local_id": "98765", \
            "secret": "998877665544332211", "file_reference": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", \
            "dc_id": 6, "_": "fileLocation"}}}, "badge": "239", "loc_key": "MESSAGE_TEXT", \
            "loc_args": ["First name Last name", "qwerty"], "line1": "First name Last name", \
            "line2": "qwerty", "random_id": 728931540, "text": "First name Last name: qwerty", \
            "system": "Windows 10.0.20573.1"}}
            """
        ).first
        #expect(message?.chat == .id(.user(12_345_678)))
        #expect(message?.content == PushContent(.text, text: "qwerty"))
        #expect(message?.senderName == "First name Last name" && message?.dates == [1_234_567_890])
        #expect(message?.presentation?.body == "First name Last name: qwerty")
    }

    @Test("TDLib's second: a payload encrypted with an unknown key shows nothing")
    func encrypted() {
        let payload =
            #"{"google.sent_time":1234567890123,"p":"jdTXkJnEMUTK6R82AB-55bLA3U_RB-2K-CLDz7mWp7ckjMIfnCoHEcm710SkN"}"#
        var context = DialectContext()
        context.accountID = 777
        #expect(Dialect.telegram.events(Array(payload.utf8), context) == [.ignored])
    }

    @Test("TDLib's third: a mention in a supergroup, without a wrapper")
    func mention() {
        let message = messages(
            """
            {"date": 1234567890, "loc_key": "CHAT_MESSAGE_TEXT", "loc_args": \
            ["First name Last name", "Chat title", "qwerty"], "custom": {"msg_id": "1234567", \
            "channel_id": "56781234", "chat_from_id": "12345678", "mention": "1"}, "badge": "239"}
            """
        ).first
        #expect(message?.chat == .id(.channel(56_781_234)) && message?.isMention == true)
        #expect(message?.sender == .user(12_345_678) && message?.chatTitle == "Chat title")
        #expect(message?.presentation?.body == "First name Last name @ Chat title: qwerty")
        #expect(message?.dates == [])
    }

    @Test("Telegram's: a contact in a group, once its stray comma is gone")
    func contact() {
        let printed = """
            {"data": {"loc_key": "CHAT_MESSAGE_CONTACT", "loc_args": ["John Doe", \
            "My magical group", "Contact Exchange"], "user_id": 14124122, "custom": \
            {"chat_id": 241233, "msg_id": 123}, "sound": "sound1.mp3",}}
            """
        #expect(
            Dialect.telegram.events(Array(printed.utf8), DialectContext())
                == [.refused(code: 400, message: "Failed to parse payload as JSON object")])
        let message = messages(printed.replacing(",}", with: "}")).first
        #expect(message?.content == PushContent(.contact, text: "Contact Exchange"))
        #expect(message?.presentation?.sound == "sound1.mp3")
        #expect(
            message?.presentation?.body
                == "John Doe shared a contact Contact Exchange in the group My magical group")
    }

    @Test("ZEGO's: a text of JSON with a name")
    func customID() {
        let message = messages(
            #"{"aps":{"alert":"call","mutable-content":1},"payload":"{\"customId\":\"1\"}"}"#, .zpns
        ).first
        #expect(message?.name == "zpns:1" && message?.replacement == .inPlace)
    }
}
