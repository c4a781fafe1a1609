import Base
import TestSupport
import Testing

@Suite("JSON scanner")
struct JSONScannerTests {
    /// Reads everything; returns the number of tokens, or nil for invalid JSON.
    static func tokens(_ bytes: [UInt8]) -> Int? {
        var scanner = JSONScanner(bytes)
        var count = 0
        do throws(JSONScanner.Failure) {
            while try scanner.next() != .end { count += 1 }
        } catch {
            return nil
        }
        return count
    }

    @Test(
        "Valid texts are read to the end",
        arguments: [
            "0", "-0", "1.5e+3", "\"\"", "\"\\u00e4\\n\"", "true", "false", "null", "[]", "{}",
            " [ 1 , [ ] , { } ] ", "{\"a\":{\"b\":[1,2,3]},\"c\":\"d\"}", "\"\u{10FFFF}ä\"",
            "[1e400]", "{\"a\":1,\"a\":2}",
        ])
    func valid(text: String) {
        #expect(Self.tokens(Array(text.utf8)) != nil)
    }

    @Test(
        "Everything else is refused",
        arguments: [
            "", " ", "01", "1.", ".5", "+1", "1e", "-", "'a'", "\"a", "\"\\x\"", "\"\\u12g4\"",
            "\"\u{1}\"", "tru", "nulll", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{a:1}",
            "{\"a\":1,}", "{,}", "[1]]", "{}{}", "\u{FEFF}{}", "NaN", "[}", "{]", "\"a\"b",
        ])
    func invalid(text: String) {
        #expect(Self.tokens(Array(text.utf8)) == nil)
    }

    @Test(
        "Strings are UTF-8 in its shortest form",
        arguments: [
            [0x80], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0xAF],
            [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xC3], [0xE2, 0x82],
        ] as [[UInt8]])
    func utf8(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(Self.tokens([quote] + bytes + [quote]) == nil)
    }

    @Test("A text cut anywhere is refused, and the error stays")
    func cutAnywhere() {
        let text = #"{"a":[1,-2.5e3,true,false,null,"x\u00e4\ud83d\ude00"],"b":{"c":"ü"}}"#
        for prefix in prefixes(of: Array(text.utf8)) {
            #expect(Self.tokens(prefix) == nil, "after \(prefix.count) bytes")
            var scanner = JSONScanner(prefix)
            while (try? scanner.next()) != nil {}
            #expect((try? scanner.next()) == nil)
        }
    }

    @Test("Nesting is read down to the limit")
    func depth() {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                (String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(Self.tokens(nested(JSONScanner.depthLimit)) == 2 * JSONScanner.depthLimit)
        #expect(Self.tokens(nested(JSONScanner.depthLimit + 1)) == nil)
        #expect(Self.tokens([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)) == nil)
    }

    @Test("Escapes give the characters they stand for; a lone surrogate gives U+FFFD")
    func strings() throws {
        let text = #"["\"\\\/\b\f\n\r\t","\u00e4\ud83d\ude00","\ud83dx","\udE00","plain ü"]"#
        let expected = ["\"\\/\u{8}\u{C}\n\r\t", "ä😀", "\u{FFFD}x", "\u{FFFD}", "plain ü"]
        var scanner = JSONScanner(Array(text.utf8))
        var found: [String] = []
        try scanner.forEachElement { scanner throws(JSONScanner.Failure) in
            if let text = try scanner.stringOrSkip() { found.append(scanner.string(text)) }
        }
        try scanner.expectEnd()
        #expect(found == expected)
    }

    @Test("Names compare with and without escapes")
    func names() throws {
        var scanner = JSONScanner(Array(#"{"alg":1,"\u0061lg":2,"algo":3}"#.utf8))
        var found: [Bool] = []
        try scanner.forEachMember { name, scanner throws(JSONScanner.Failure) in
            found.append(scanner.isEqual(name, "alg"))
            try scanner.skipValue()
        }
        #expect(found == [true, true, false])
    }

    @Test("Looking ahead skips whitespace and moves nothing", arguments: ["", " ", "\n ", " \t\r"])
    func looksAhead(space: String) {
        func scanner(_ text: String) -> JSONScanner { JSONScanner(Array((space + text).utf8)) }
        #expect(scanner("{}").isAtObject && !scanner("{}").isAtArray)
        #expect(scanner("[]").isAtArray && !scanner("[]").isAtObject)
        #expect(!scanner("").isAtObject && scanner("{}").position == 0)
    }
}
