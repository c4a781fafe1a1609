import Testing
@testable import Notifications

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

    @Test("The four shapes, as damaged as they were published", arguments: shapes)
    func shape(json: String, badge: Int64, conversation: String, text: String) throws {
        let (found, message) = message(json)
        #expect(found == badge)
        #expect(message?.chat == .conversation(conversation))
        #expect(message?.content.text == text)
        let sound = try #require(message?.presentation?.sound)
        #expect(!sound.isEmpty && message?.isSilent == false)
    }

    @Test("An alert with a text of its own is shown, whatever its badge is")
    func ownText() {
        for alert in [#""hello""#, #"{"body":"hello"}"#, #"{"title":"hello","body":""}"#] {
            for badge in ["", #","badge":0"#, #","badge":3"#] {
                let (_, message) = message(#"{"aps":{"alert":\#(alert)\#(badge)}}"#)
                #expect(message?.content.text == "hello", "\(alert) \(badge)")
            }
        }
    }

    @Test("The number of all messages replaces the number before")
    func summary() {
        var account = Account()
        account.options = [OptionName.groupCountMax: .integer(5)]
        var engine = Engine(account)
        engine.start(now: 1)
        for (index, name) in [(1, "messages"), (3, "requests")] {
            let json = Self.shapes[index].0
            for number in [2, 5, 7] {
                let text = json.replacing("\"5\"", with: "\"\(number)\"")
                    .replacing("\"2\"", with: "\"\(number)\"")
                _ = engine.process(payload: Array(text.utf8), dialect: .icq, level: .clear, now: 2)
            }
            let shown = engine.activeGroups.map { group in
                (group.totalCount, group.notifications.map(Self.text))
            }
            #expect(shown.last?.0 == 1 || shown.first?.0 == 1)
            #expect(shown.contains { $0.1.count == 1 && $0.1[0].contains("7") }, "\(name)")
        }
        #expect(engine.activeGroups.count == 2 && engine.account.lastNotificationID == 6)
    }

    private static func text(_ notification: Notification) -> String {
        guard case .newPushMessage(let message) = notification.content else { return "" }
        return message.content.text
    }

    @Test("Every field that ICQ can be asked for stands in the sentence")
    func fields() throws {
        var context = DialectContext()
        context.now = 1_800_000_060
        context.presentation.sentence = "{1} {2} {3} {4} {5} {6}"
        context.presentation.arguments = [
            "srcName", "srcId", "destName", "timestamp", "message", "unknown",
        ]
        func body(_ more: String) -> String? {
            let json =
                #"{"aps":{"alert":{"loc-key":"IM2","loc-args":["111","222","hi"]}}\#(more)}"#
            for case .message(let message) in ICQDialect.events(Array(json.utf8), context) {
                return message.presentation?.body
            }
            return nil
        }
        #expect(body("") == "111 111 222 2027-01-15T08:01:00Z hi ")
        #expect(body(#","timestamp":"0""#) == "111 111 222 1970-01-01T00:00:00Z hi ")
        for time in [Int64.min, -1] {
            #expect(body(#","timestamp":\#(time)"#)?.contains("1970-01-01T00:00:00Z") == true)
        }
        #expect(body(#","timestamp":\#(Int64.max)"#)?.contains("9999-12-31T23:59:59Z") == true)
        context.now = .infinity
        #expect(body("")?.contains("9999-12-31T23:59:59Z") == true)
    }

    @Test(
        "A badge alone shows nothing, and 0 clears it",
        arguments: [
            (#"{"badge":3}"#, [.badge(unread: 3, missedCalls: nil)]),
            (#"{"badge":0,"sound":"IM"}"#, [.badge(unread: 0, missedCalls: nil)]),
            (#"{"alert":"","badge":1}"#, [.badge(unread: 1, missedCalls: nil)]),
            (
                #"{"alert":{"loc-key":"","loc-args":[]},"badge":1}"#,
                [.badge(unread: 1, missedCalls: nil)]
            ),
            ("{}", [.ignored]), (#"{"badge":-1}"#, [.ignored]),
        ] as [(String, [Event])])
    func badgeAlone(aps: String, events: [Event]) {
        #expect(ICQDialect.events(Array(#"{"aps":\#(aps)}"#.utf8), DialectContext()) == events)
    }

    @Test("Beside a text, a badge of 0 removes nothing from the screen")
    func badgeBesideText() {
        let json = Self.shapes[0].0.replacing(#""badge" : 1"#, with: #""badge":0"#)
        let events = ICQDialect.events(Array(json.utf8), DialectContext())
        #expect(events.first == .unread(0) && events.count == 2)
    }

    @Test("An unknown key shows its arguments; no sound is silence")
    func unknown() {
        let found = message(#"{"aps":{"alert":{"loc_key":"NEW","LOC_ARGS":["a","b"]}}}"#).1
        #expect(found?.content.text == "a b" && found?.isSilent == true)
    }

    @Test("The label of the default action is passed on")
    func action() {
        let found = message(
            #"{"aps":{"alert":{"loc-key":"IM2","loc-args":["1","2","t"],"action-loc-key":"READ"}}}"#
        ).1
        #expect(found?.presentation?.defaultAction == "READ")
    }
}
