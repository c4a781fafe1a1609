import Notifications
import Testing

@testable import Dialects

@Suite("ICQ payloads")
struct ICQDialectTests {
    private func message(_ json: String) -> (badge: Int64?, IncomingMessage?) {
        var badge: Int64?
        var found: IncomingMessage?
        for event in ICQDialect.events(Array(json.utf8), DialectContext()) {
            if case .badge(let unread, _) = event { badge = unread }
            if case .message(let message) = event { found = message }
        }
        return (badge, found)
    }

    private static let shapes: [(String, Int64, String, String)] = [
        (
            #"{"aps": {"alert": {"loc-key": "IM2", "loc-args": ["111111", "222222", "some_text_here"]}, "badge" : 1, “sound”: “IM”}}"#,
            1, "icq:222222:111111", "some_text_here"
        ),
        (
            #"{"aps": {"alert": {"loc-key": "New Messages" , "Loc-args": ["5"]}, "badge": 5, "sound": "eventSound_ReceiveIm.wav"}}"#,
            5, "icq:messages", "5 new messages"
        ),
        (
            #"{"aps": {"alert": {"loc-key": "AR1", "loc-args": ["111111", "222222", "parparon5", "John", "Johnson"]}, "badge": 1, "sound": "eventSound_ReceiveIm.wav"}}}"#,
            1, "icq:111111:auth:222222", "John Johnson (parparon5) asks for authorization"
        ),
        (
            #"{ "Aps": {"alert": {"loc-key": "AR2", "loc-args": ["2"]}, "badge": 2, "sound": "eventSound_ReceiveIm.wav"}}"#,
            2, "icq:auth", "2 authorization requests"
        ),
    ]

    @Test("The four shapes, with all the damage they were published with", arguments: shapes)
    func shape(json: String, badge: Int64, conversation: String, text: String) throws {
        let (found, message) = message(json)
        #expect(found == badge)
        #expect(message?.chat == .conversation(conversation))
        #expect(message?.content.text == text)
        let sound = try #require(message?.presentation?.sound)
        #expect(!sound.isEmpty && message?.isSilent == false)
    }

    @Test("The number of all messages takes the place of the number before")
    func summary() {
        var engine = Engine()
        engine.start(now: 1)
        let first = message(Self.shapes[1].0).1
        #expect(first?.replaces == true && first?.name == "icq:messages")
    }

    @Test("An unknown key shows its arguments; no sound is silence")
    func unknown() {
        let found = message(#"{"aps":{"alert":{"loc_key":"NEW","LOC_ARGS":["a","b"]}}}"#).1
        #expect(found?.content.text == "a b" && found?.isSilent == true)
    }

    @Test("The label of the default action travels")
    func action() {
        let found = message(
            #"{"aps":{"alert":{"loc-key":"IM2","loc-args":["1","2","t"],"action-loc-key":"READ"}}}"#
        ).1
        #expect(found?.presentation?.defaultAction == "READ")
    }
}
