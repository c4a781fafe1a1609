import Testing

@testable import Crypto

@Suite("What may come in TLS 1.3 records")
struct ReceivedRecordsTests {
    @Test("Only the alerts that are no errors are warnings (RFC 9846 section 6)")
    func levels() {
        for alert in [TLSAlert.closeNotify, .userCanceled, .unexpectedMessage, .badRecordMAC] {
            let isWarning = alert == .closeNotify || alert == .userCanceled
            let content = alert.content
            #expect(content.span.array(0..<2) == [isWarning ? 1 : 2, alert.rawValue])
        }
    }

    /// The texts of records, each as content and type, and what the last of them means.
    struct Rule: Sendable, CustomStringConvertible {
        let description: String
        let texts: [[UInt8]]
        let event: ReceivedRecords.Event

        init(_ description: String, _ texts: [[UInt8]], _ event: ReceivedRecords.Event) {
            (self.description, self.texts, self.event) = (description, texts, event)
        }
    }

    private static let update: [UInt8] = [24, 0, 0, 1, 0]
    private static let asking: [UInt8] = [24, 0, 0, 1, 1]
    private static let half: [UInt8] = [24, 0, 22]
    private static let part = ReceivedRecords.Event.nothing(nil)
    private static let unexpected = ReceivedRecords.Event.refused(.unexpectedMessage)
    private static let overflow = ReceivedRecords.Event.refused(.recordOverflow)

    private static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

    static let rules: [Rule] = [
        Rule("data", [[7, 8, 23]], .data(0..<2)),
        Rule("data that ends with zeros, padded", [[7, 0, 23, 0, 0]], .data(0..<2)),
        Rule("the longest data", [zeros(1 << 14) + [23]], .data(0..<1 << 14)),
        Rule("the longest padding", [[7, 23] + zeros((1 << 14) - 1)], .data(0..<1)),
        Rule("a text that is too long for its padding", [[7, 23] + zeros(1 << 14)], overflow),
        Rule("data that is too long", [zeros((1 << 14) + 1) + [23]], overflow),
        Rule("only zeros", [zeros(100)], unexpected),
        Rule("nothing but a zero", [[0]], unexpected),
        Rule("empty data", [[23]], .nothing(.emptyRecords)),
        Rule("empty data, padded", [[23, 0, 0]], .nothing(.emptyRecords)),
        Rule("an empty alert", [[21]], unexpected),
        Rule("an empty alert, padded", [[21, 0]], unexpected),
        Rule("an empty message", [[22]], unexpected),
        Rule("an empty message, padded", [[22, 0]], unexpected),
        Rule("change_cipher_spec", [[1, 20]], unexpected),
        Rule("heartbeat", [[1, 24]], unexpected),
        Rule("an unknown type", [[1, 255]], unexpected),
        Rule("close_notify", [[1, 0, 21]], .closeNotify),
        Rule("close_notify that is fatal", [[2, 0, 21, 0]], .closeNotify),
        Rule("user_canceled", [[1, 90, 21]], .nothing(.alerts)),
        Rule("a fatal alert", [[2, 40, 21]], .alert(TLSAlert(rawValue: 40))),
        Rule("an error that is a warning", [[1, 40, 21]], .alert(TLSAlert(rawValue: 40))),
        Rule("an unknown alert", [[7, 200, 21]], .alert(TLSAlert(rawValue: 200))),
        Rule("half an alert", [[2, 21]], .refused(.decodeError)),
        Rule("two alerts", [[1, 90, 1, 0, 21]], .refused(.decodeError)),
        Rule("KeyUpdate", [update + [22]], .keyUpdate(asksForOurs: false)),
        Rule("KeyUpdate, padded", [update + [22, 0, 0]], .keyUpdate(asksForOurs: false)),
        Rule("KeyUpdate that asks", [asking + [22]], .keyUpdate(asksForOurs: true)),
        Rule("KeyUpdate with another value", [[24, 0, 0, 1, 2, 22]], .refused(.illegalParameter)),
        Rule("KeyUpdate without a value", [[24, 0, 0, 0, 22]], .refused(.decodeError)),
        Rule("KeyUpdate of two bytes", [[24, 0, 0, 2, 0, 0, 22]], .refused(.decodeError)),
        Rule("KeyUpdate of 16 MB", [[24, 255, 255, 255, 0, 22]], .refused(.decodeError)),
        Rule("two of KeyUpdate", [update + update + [22]], unexpected),
        Rule("a byte behind KeyUpdate", [update + [24, 22]], unexpected),
        Rule("a byte behind the rest of KeyUpdate", [half, [0, 1, 0, 9, 22]], unexpected),
        Rule("half of KeyUpdate", [half], part),
        Rule("KeyUpdate in halves", [half, [0, 1, 1, 22]], .keyUpdate(asksForOurs: true)),
        Rule("KeyUpdate in bytes", update.map { [$0, 22] }, .keyUpdate(asksForOurs: false)),
        Rule(
            "KeyUpdate after another", [update + [22], asking + [22]], .keyUpdate(asksForOurs: true)
        ),
        Rule("data between halves", [half, [7, 23]], unexpected),
        Rule("empty data between halves", [half, [23]], unexpected),
        Rule("an alert between halves", [half, [1, 90, 21]], unexpected),
        Rule("close_notify between halves", [half, [1, 0, 21]], unexpected),
        Rule("an empty message between halves", [half, [22]], unexpected),
        Rule("a wrong type of another message", [update + [22], [20, 22]], unexpected),
    ]

    @Test("Each record means what the specification says", arguments: rules)
    func rule(_ rule: Rule) throws {
        var state = ReceivedRecords()
        let events = rule.texts.map { state.opened($0.span) }
        #expect(events.last == rule.event)
        for event in events.dropLast() {
            if case .refused(let alert) = event { Issue.record("refused before: \(alert)") }
        }
    }

    @Test("No other message is waited for", arguments: 0..<24 as Range<UInt8>)
    func messages(type: UInt8) {
        for text in [[type, 22], [type, 0, 0, 0, 22], [type, 0, 0, 1, 0, 22]] {
            var state = ReceivedRecords()
            #expect(state.opened(text.span) == .refused(.unexpectedMessage))
        }
    }

    @Test(
        "Many records without data are a flood, unless data is between them",
        arguments: [
            ([23], .emptyRecords), ([1, 90, 21], .alerts), ([24, 0, 0, 1, 1, 22], .keyUpdates),
        ] as [([UInt8], TLSFlood)])
    func idle(text: [UInt8], kind: TLSFlood) {
        var state = ReceivedRecords()
        for _ in 0..<10 {
            for _ in 0..<32 { #expect(state.opened(text.span) != .flood(kind)) }
            #expect(state.opened([7, 23].span) == .data(0..<1))
        }
        for _ in 0..<32 { _ = state.opened(text.span) }
        #expect(state.opened(text.span) == .flood(kind))
    }

    @Test("The kinds of records without data count together")
    func mixed() {
        var state = ReceivedRecords()
        let kinds: [[UInt8]] = [[23], [1, 90, 21], [24, 0, 0, 1, 0, 22]]
        for index in 0..<32 {
            let text = kinds[index % 3]
            _ = state.opened(text.span)
        }
        #expect(state.opened([23].span) == .flood(.emptyRecords))
    }

    @Test("Short records that were agreed on are the longest", arguments: [512, 4_096])
    func fragments(limit: Int) {
        var state = ReceivedRecords(longestContent: limit)
        #expect(state.opened((Self.zeros(limit) + [23, 0]).span) == .data(0..<limit))
        #expect(state.opened((Self.zeros(limit + 1) + [23]).span) == .refused(.recordOverflow))
    }
}

@Suite("The header of a TLS 1.3 record")
struct RecordHeaderTests {
    @Test("Each byte is judged when it comes, and the body is not waited for")
    func frames() {
        let frames: [([UInt8], RecordHeader.Frame)] = [
            ([], .incomplete),
            ([23], .incomplete),
            ([23, 3, 3, 0], .incomplete),
            ([20], .refused(.unexpectedMessage)),
            ([21, 3, 3, 0, 2, 1, 0], .refused(.unexpectedMessage)),
            ([22], .refused(.unexpectedMessage)),
            (Array("G".utf8), .refused(.unexpectedMessage)),
            ([23, 3, 3, 0, 16], .refused(.badRecordMAC)),
            ([23, 3, 3, 0, 0], .refused(.badRecordMAC)),
            ([23, 3, 3, 0, 17], .incomplete),
            ([23, 3, 3, 0x41, 0], .incomplete),
            ([23, 3, 3, 0x41, 1], .refused(.recordOverflow)),
            ([23, 3, 3, 0xFF, 0xFF], .refused(.recordOverflow)),
            ([23, 9, 9, 0, 17] + Array(repeating: 1, count: 16), .incomplete),
            ([23, 9, 9, 0, 17] + Array(repeating: 1, count: 17), .record(22)),
            ([23, 9, 9, 0, 17] + Array(repeating: 1, count: 30), .record(22)),
        ]
        for (bytes, frame) in frames {
            #expect(RecordHeader.frame(bytes.span) == frame, "\(bytes)")
        }
    }
}

@Suite("What goes out in TLS 1.3 records")
struct SentRecordsTests {
    @Test("A key seals as many records as it may")
    func limit() {
        let state = SentRecords(longestContent: 512)
        #expect(state.next(after: 0, limit: 8) == .data(512))
        #expect(state.next(after: 7, limit: 8) == .data(512))
        #expect(state.next(after: 8, limit: 8) == .keyUpdate)
        #expect(CipherSuite.aes128.recordsPerKey < 23_726_566)
        #expect(CipherSuite.aes256.recordsPerKey < 23_726_566)
    }

    @Test("One KeyUpdate answers many, and none is owed after the end")
    func owed() {
        var state = SentRecords()
        for _ in 0..<3 { state.asksForKeyUpdate() }
        #expect(state.next(after: 0, limit: 8) == .keyUpdate)
        state.hasUpdatedKeys()
        #expect(state.next(after: 0, limit: 8) == .data(1 << 14))
        state.asksForKeyUpdate()
        state.end()
        #expect(!state.owesKeyUpdate)
        state.asksForKeyUpdate()
        #expect(!state.owesKeyUpdate)
        #expect(state.next(after: 0, limit: 8) == .ended)
    }
}
