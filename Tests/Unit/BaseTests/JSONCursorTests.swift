import TestSupport
import Testing

@testable import Base

@Suite("JSON cursor")
struct JSONCursorTests {
    /// Whether the whole text is one value.
    private func isValid(_ bytes: [UInt8]) -> Bool {
        var cursor = JSONCursor()
        do throws(JSONCursor.Invalid) {
            try cursor.skipValue(in: bytes.span)
            try cursor.expectEnd(in: bytes.span)
            return true
        } catch {
            return false
        }
    }

    private func scannerTakes(_ bytes: [UInt8]) -> Bool {
        var scanner = JSONScanner(bytes)
        do throws(JSONScanner.Failure) {
            try scanner.skipValue()
            try scanner.expectEnd()
            return true
        } catch {
            return false
        }
    }

    static let documents = [
        "{}", "[]", " { } ", #"{"a":1}"#, #"{"a":[1,2,{"b":null}],"c":true}"#, "[[],{},[[]]]",
        #""text""#, #""\"\\\/\b\f\n\r\té""#, "-1.5e+10", "0", "1E-2", "false", "null",
        "\t[\n1 ,\r2 ]", "{,}", "[1,]", #"{"a":1,}"#, #"{"a"}"#, #"{a:1}"#, "[1 2]", "01", "-",
        "1.",
        ".5", "1e", "+1", "nul", "truefalse", "[", "{", "]", "}", #""\x""#, #""\u12G4""#,
        "\"\u{1}\"",
        #""open"#, "1 1", "", " ", "[1]]", "{]", "[}", #"{"a":1 "b":2}"#, #"{"a":,"b":2}"#, "'a'",
    ]

    @Test("It accepts and refuses what the scanner does", arguments: documents)
    func asTheScanner(document: String) {
        let bytes = Array(document.utf8)
        #expect(isValid(bytes) == scannerTakes(bytes))
        for prefix in prefixes(of: bytes) { #expect(isValid(prefix) == scannerTakes(prefix)) }
        for index in bytes.indices {
            for byte in [UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "\""), 0x20, 0x00] {
                var changed = bytes
                changed[index] = byte
                // The cursor does not check bytes outside ASCII.
                guard bytes.allSatisfy({ $0 < 0x80 }) else { continue }
                #expect(isValid(changed) == scannerTakes(changed), "\(changed)")
            }
        }
    }

    @Test("Nesting is limited")
    func depth() {
        func nested(_ depth: Int) -> [UInt8] {
            Array(repeating: UInt8(ascii: "["), count: depth)
                + Array(repeating: UInt8(ascii: "]"), count: depth)
        }
        #expect(isValid(nested(JSONCursor.depthLimit)))
        #expect(!isValid(nested(JSONCursor.depthLimit + 1)) && !isValid(nested(60_000)))
    }

    @Test("A text with escapes is decoded")
    func text() throws {
        let bytes = Array(#"["plain","\u0061\n\ud83d\ude00"]"#.utf8)
        var cursor = JSONCursor()
        var texts: [String] = []
        try cursor.beginArray(in: bytes.span)
        while try cursor.nextElement(in: bytes.span) {
            let text = try cursor.string(in: bytes.span)
            texts.append(
                text.withValue(in: bytes.span) { value in
                    String(decoding: value.array(value.indices), as: UTF8.self)
                })
        }
        #expect(texts == ["plain", "a\n😀"])
    }
}
