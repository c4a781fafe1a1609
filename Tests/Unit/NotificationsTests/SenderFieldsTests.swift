import Base
import Testing
@testable import Notifications

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
        var fields = fields(lines)
        return String(
            decoding: try PlainDialect.payload(Array(body.utf8), &fields), as: UTF8.self)
    }

    private func message(
        _ body: String, _ lines: [(name: String, value: String)]
    ) throws -> IncomingMessage? {
        var fields = fields(lines)
        let payload = try PlainDialect.payload(Array(body.utf8), &fields)
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
            (expected.urgency, expected.tags) = (.critical, ["warning", "a", "x"])
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

    @Test("Members of JSON have the names and limits of the fields")
    func members() throws {
        let short = try message(
            #"{"t":"","message":"m","t":"T","title":"no","prio":"high","p":900,"ta":"x, y"}"#, [])
        let look = try #require(short?.presentation)
        #expect(look.title == "T" && look.body == "m" && look.isHigh && look.tags == ["x", "y"])
        #expect(try message(#"{"title":"T","m":"text"}"#, [])?.presentation?.body == "text")
        let lines = [("Title", "t"), ("Click", "https://c/"), ("Priority", "5")]
        #expect(
            try payload(#"{"message":"m","title":"","click":null,"p":2}"#, lines)
                == #"{"message":"m","p":2,"title":"t","click":"https://c/"}"#)
        let link = "https://a/" + String(repeating: "b", count: 2_039)
        for (link, shown) in [(link, ""), (String(link.dropLast()), String(link.dropLast()))] {
            let body = #"{"message":"m","click":"\#(link)"}"#
            #expect(try message(body, [])?.presentation?.link == shown)
        }
        for word in [#""much""#, "0", "6", "true", "3.5"] {
            #expect(throws: PlainDialect.Refusal.badPriority, "\(word)") {
                try payload(#"{"message":"m","priority":\#(word)}"#, [])
            }
        }
        for word in ["1800000000", #"{"h":1}"#] {
            #expect(throws: PlainDialect.Refusal.delayed, "\(word)") {
                try payload(#"{"message":"m","delay":\#(word)}"#, [])
            }
        }
        var said = fields([])
        let body =
            #"{"message":"m","click":"http://a/","attach":"https://a/","icon":"x","actions":[],"#
            + #""own":1,"md":""}"#
        _ = try PlainDialect.payload(Array(body.utf8), &said)
        #expect(said.ignored == ["click", "attach", "icon", "actions"])
        #expect(fields([("Click", "mailto:a@b")]).ignored == ["click"])
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
            var fields = SenderFields()
            #expect(throws: PlainDialect.Refusal.notText) {
                try PlainDialect.payload(body, &fields)
            }
        }
    }

    @Test(
        "Words of RFC 2047 are decoded; what cannot be decoded stays",
        arguments: [
            ("=?UTF-8?B?QsO8cm8=?=", "Büro"), ("=?utf-8?q?B=C3=BCro_7?=", "Büro 7"),
            ("a =?UTF-8?Q?b?= c", "a b c"), ("=?UTF-8?Q?a?= =?UTF-8?Q?b?=", "ab"),
            ("=?UTF-8?B?w?= =?UTF-8?Q?=C3?==?UTF-8?Q?=BC?=", "=?UTF-8?B?w?= ü"),
            ("=?ISO-8859-1?Q?B=FCro?=", "Büro"), ("=?KOI8-R?Q?x?=", "=?KOI8-R?Q?x?="),
            ("=?UTF-8?X?x?=", "=?UTF-8?X?x?="), ("=?", "=?"),
            ("=?UTF-8?Q?=G0?=", "=?UTF-8?Q?=G0?="),
            ("=?utf-8*de?Q?B=C3=BCro?=", "Büro"), ("a=b?c", "a=b?c"),
        ])
    func words(value: String, text: String) {
        #expect(fields([("Title", value)]).title == text)
        for length in 0..<value.utf8.count {
            let cut = Array(value.utf8.prefix(length))
            _ = EncodedWords.decoded(cut)
        }
    }

    @Test("The query counts as header fields do, which count before it")
    func query() throws {
        var fields = fields([("Title", "t")])
        let query = Array("title=no&message=a+b%21&tags=x,y&prio=high&version=7&up=1&&=".utf8)
        fields.record(query: query.span)
        #expect(fields.title == "t" && fields.message == "a b!" && fields.priority == 4)
        #expect(fields.ignored == ["up"])
        let payload = try PlainDialect.payload([], &fields)
        #expect(
            String(decoding: payload, as: UTF8.self)
                == #"{"message":"a b!","title":"t","priority":4,"tags":["x","y"]}"#)
        fields.useBody()
        #expect(fields.ignored == ["up", "message"])
    }

    @Test("At most eight names of other fields are repeated, each once, and none that is no word")
    func ignored() {
        var fields = SenderFields()
        let names = (1...20).map { "n\($0)=1" }.joined(separator: "&")
        let long = String(repeating: "x", count: 41)
        let query = Array("N1=1&a%0Ab=1&\(long)=1&\(names)".utf8)
        fields.record(query: query.span)
        #expect(fields.ignored == (1...8).map { "n\($0)" })
    }

    @Test("A form of title and message is understood; any other is refused")
    func form() throws {
        func payload(_ body: String) throws -> String {
            let type = [("Content-Type", "multipart/form-data; boundary=\"x y\"")]
            return try self.payload(body, type)
        }
        func part(_ rest: String, _ value: String) -> String {
            "--x y\r\nContent-Disposition: form-data; \(rest)\r\n\r\n\(value)\r\n"
        }
        let long = String(repeating: "é", count: 2_000)
        let whole = part("name=title", "Büro") + part("name=\"message\"", "a\r\nb")
        let form = whole + part("name=priority", "4") + "--x y--\r\n"
        let root = try JSONDocument(Array(try payload(form).utf8)).root
        #expect(root["message"]?.text == "a\r\nb" && root["title"]?.text == "Büro")
        #expect(root["priority"]?.integer == 4)
        #expect(try payload(part("name=title", "only") + "--x y--") == #"{"message":"only"}"#)
        for length in 1..<form.utf8.count - 4 {
            let cut = String(decoding: Array(form.utf8.prefix(length)), as: UTF8.self)
            #expect(throws: PlainDialect.Refusal.self, "\(length)") { try payload(cut) }
        }
        // As in header fields: short names, the first counts, what is empty says nothing.
        let short =
            part("name=X-T", "") + part("name=t", "first") + part("name=title", "second")
            + part("name=m", "text") + part("name=message", "no")
            + part("name=p", "") + part("name=prio", "high")
            + part("name=ta", "x, y") + part("name=click", "https://a/" + long) + "--x y--"
        #expect(
            try payload(short)
                == #"{"message":"text","title":"first","priority":4,"tags":["x","y"]}"#)
        #expect(throws: PlainDialect.Refusal.delayed) {
            try payload(part("name=message", "x") + part("name=in", "1h") + "--x y--")
        }
        for bad in [
            part("name=colour", "red") + "--x y--", "--x y--", "--x y\r\n--x y--",
            part("name=message; filename=a", "x") + "--x y--", "hello",
            part("name=message", "x") + part("name=priority", "much") + "--x y--",
        ] {
            #expect(throws: PlainDialect.Refusal.self, "\(bad)") { try payload(bad) }
        }
    }

    @Test("What would be another push without it is an objection")
    func objections() throws {
        for name in ["Delay", "x-at", "IN"] {
            #expect(throws: PlainDialect.Refusal.delayed) { try payload("x", [(name, "1h")]) }
            #expect(try payload("x", [(name, "")]) == "x")
        }
        let later = #"{"message":"x","delay":"30m"}"#
        #expect(throws: PlainDialect.Refusal.delayed) { try payload(later, []) }
        #expect(try payload(#"{"delay":"30m"}"#, []) == #"{"delay":"30m"}"#)
        #expect(throws: PlainDialect.Refusal.badPriority) { try payload("x", [("Priority", "P1")]) }
        let json = [("Content-Type", "application/json; charset=utf-8")]
        #expect(throws: PlainDialect.Refusal.badJSON) { try payload("{", json) }
        let deep = String(repeating: "[", count: 101) + String(repeating: "]", count: 101)
        #expect(throws: PlainDialect.Refusal.tooDeep) { try payload(deep, json) }
        #expect(try payload("[1]", json) == "[1]")
        #expect(try payload("{", [("Content-Type", "application/json-seq")]) == "{")
    }

    @Test("Four levels of priority look different")
    func levels() throws {
        let looks = try (2...5).map { number in
            try message("x", [("Priority", "\(number)")])?.presentation
        }
        #expect(looks[0]?.isLow == true && looks[2]?.isHigh == true && looks[3]?.isCritical == true)
        #expect(looks[1]?.isLow == false && looks[1]?.isHigh == false)
    }

    @Test("A value cut anywhere stays text", arguments: 0..<12)
    func cut(length: Int) {
        let value = Array("é€𝄞é".utf8)
        var fields = SenderFields()
        let name = Array("Title".utf8)
        fields.record(name.span, value.span.extracting(0..<min(length, value.count)))
        let again = try? PlainDialect.payload(Array("x".utf8), &fields)
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
