import Base
import Notifications
import Testing

@testable import Dialects

@Suite("Header fields of an unencrypted push")
struct SenderFieldsTests {
    private func fields(_ lines: [(name: String, value: String)]) -> SenderFields {
        var fields = SenderFields()
        for line in lines {
            let (name, value) = (Array(line.name.utf8), Array(line.value.utf8))
            fields.record(name.span, value.span)
        }
        return fields
    }

    private func payload(
        _ body: String, _ lines: [(name: String, value: String)]
    ) throws -> String {
        String(
            decoding: try PlainDialect.payload(Array(body.utf8), fields(lines)), as: UTF8.self)
    }

    private func message(
        _ body: String, _ lines: [(name: String, value: String)]
    ) throws -> IncomingMessage? {
        let payload = try PlainDialect.payload(Array(body.utf8), fields(lines))
        guard
            case .message(let message) = Dialect.plain.events(
                payload, DialectContext(level: .clear)
            ).first
        else { return nil }
        return message
    }

    @Test("Title, priority, tags and link of the fields are shown with the text of the body")
    func all() throws {
        for mark in ["", "X-", "x-"] {
            let message = try message(
                "the build is green\n",
                [
                    (mark + "Title", "Büro"), (mark + "PRIORITY", "urgent"),
                    (mark + "tags", "warning, a b ,,x"), (mark + "Click", "https://ci/1"),
                ])
            #expect(message?.content.text == "the build is green\n")
            var expected = Presentation(title: "Büro", body: "the build is green\n")
            (expected.isCritical, expected.tags) = (true, ["warning", "a", "x"])
            (expected.link, expected.data) = ("https://ci/1", #"{"click":"https://ci/1"}"#)
            #expect(message?.presentation == expected)
        }
    }

    @Test("Without such fields the body is the payload, byte for byte")
    func untouched() throws {
        for body in ["", "hello", #"{"message": "m"}"#, "{", "aesgcm\n"] {
            let others = [("Host", "a"), ("TTL", "5"), ("X", "1"), ("X-", "1"), ("Titles", "t")]
            #expect(try payload(body, others) == body)
        }
    }

    @Test(
        "A priority is a number from 1 to 5 or ntfy's word; other words are no priority",
        arguments: [
            ("1", 1), ("min", 1), ("2", 2), ("low", 2), ("3", 3), ("default", 3), ("4", 4),
            ("High", 4), ("5", 5), ("max", 5), ("urgent", 5), ("0", nil), ("6", nil), ("", nil),
            ("u=3, i", nil), ("u=1", nil), ("05", nil), ("highest", nil), ("-1", nil),
        ] as [(String, Int64?)])
    func priorities(word: String, number: Int64?) {
        #expect(fields([("Priority", word)]).priority == number)
    }

    @Test("What JSON says itself counts before the fields")
    func json() throws {
        let lines = [("Title", "t"), ("Priority", "5"), ("Tags", "x"), ("Click", "https://c/")]
        #expect(
            try payload(#"{"message":"m","title":"own","priority":1}"#, lines)
                == #"{"message":"m","title":"own","priority":1,"tags":["x"],"click":"https://c/"}"#)
        #expect(
            try payload(#"{"message":"m","message":"n"}"#, [("Title", "t")])
                == #"{"message":"m","title":"t"}"#)
    }

    @Test("JSON without a text, broken JSON and deep JSON are text")
    func otherJSON() throws {
        let deep =
            #"{"message":"m","x":"# + String(repeating: "[", count: 70)
            + String(repeating: "]", count: 70) + "}"
        for body in [#"{"a":1}"#, #"{"message":"#, "[1]", deep] {
            #expect(try message(body, [("Title", "t")])?.content.text == body)
            #expect(try message(body, [])?.presentation?.body == (body == deep ? "m" : body))
        }
    }

    @Test("A title alone is the text")
    func titleAlone() throws {
        #expect(try payload("", [("Title", "done")]) == #"{"message":"done"}"#)
    }

    @Test("Of several fields the first counts; too long ones are cut, and a link is left out")
    func limits() {
        let long = String(repeating: "é", count: 4_000)
        let cut = fields([("Title", "a" + long), ("Title", "b"), ("Tags", "x"), ("Tags", "y")])
        #expect(cut.title.hasPrefix("aé") && cut.title.utf8.count == 1_023)
        #expect(!cut.title.contains("\u{FFFD}") && cut.tags == ["x"])
        #expect(fields([("Click", "https://a/" + long)]).click == "")
        let links = fields([("Click", "https://a/"), ("Click", "https://b/")])
        #expect(links.click == "https://a/" && fields([("Range", "https://a/")]).isEmpty)
        let many = String(repeating: "t,", count: 500)
        #expect(fields([("Tags", many)]).tags.count == 16)
    }

    @Test("A long value in which no character begins says nothing")
    func noCharacter() {
        var fields = SenderFields()
        let (name, value) = (Array("Title".utf8), [UInt8](repeating: 0x80, count: 2_000))
        fields.record(name.span, value.span)
        #expect(fields.title.isEmpty)
    }

    @Test("Only text can be shown")
    func notText() {
        for body: [UInt8] in [[0xFF], [0x61, 0xC3], [0xED, 0xA0, 0x80]] {
            #expect(throws: PlainDialect.Refusal.notText) {
                try PlainDialect.payload(body, SenderFields())
            }
        }
    }

    @Test("A value cut anywhere stays text", arguments: 0..<12)
    func cut(length: Int) {
        let value = Array("é€𝄞é".utf8)
        var fields = SenderFields()
        let name = Array("Title".utf8)
        fields.record(name.span, value.span.extracting(0..<min(length, value.count)))
        let again = try? PlainDialect.payload(Array("x".utf8), fields)
        #expect(again.map { String(validating: $0, as: UTF8.self) != nil } == true)
    }

    @Test("Only what is not Telegram's at all is read as text in its place")
    func readers() {
        for (payload, reader) in [
            ("hello", Dialect.plain), (#"{"message":"m"}"#, .plain), ("[]", .plain), ("{", .plain),
            ("{}", .telegram), (#"{"loc_key":"X"}"#, .telegram), (#"{"p":"x"}"#, .telegram),
            (#"{"data":{"custom":{}}}"#, .telegram), (#"{"user_id":1}"#, .telegram),
            (#"{"data":{}}"#, .plain),
        ] {
            #expect(Dialect.telegram.reader(of: Array(payload.utf8)) == reader, "\(payload)")
            #expect(Dialect.icq.reader(of: Array(payload.utf8)) == .icq)
        }
    }
}
