import Foundation
import TestSupport
import Testing

@testable import Terminal

@Suite("Columns of a character")
struct CellWidthTests {
    @Test("Every scalar is as wide as Unicode's tables say")
    func table() throws {
        let table = try String(
            contentsOf: Vectors.folder.appending(path: "terminal-widths.tsv"), encoding: .utf8)
        // Their category has changed since the version of the table.
        let changed: Set<UInt32> = [0x0CF3, 0x180E, 0x1CF4, 0xA8B4, 0xA8B5, 0x1_171E]
        var count = 0
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: "\t")
            let first = try #require(UInt32(fields[0], radix: 16))
            let last = try #require(UInt32(fields[1], radix: 16))
            let width = try #require(Int(fields[2]))
            for value in first...last where !changed.contains(value) {
                let scalar = try #require(Unicode.Scalar(value))
                count += 1
                if CellWidth.of(scalar) != width {
                    Issue.record("U+\(fields[0])…: \(String(value, radix: 16)) is not \(width)")
                    break
                }
            }
        }
        #expect(count > 140_000)
    }

    @Test(
        "A character of several scalars takes one or two columns",
        arguments: [
            ("e\u{301}", 1), ("각", 2), ("\u{1112}\u{1161}\u{11AB}", 2), ("❤", 1), ("❤\u{FE0F}", 2),
            ("👨‍👩‍👧‍👦", 2), ("👍🏽", 2), ("🇩🇪", 2), ("का", 2), ("1\u{FE0F}\u{20E3}", 2), ("\u{200B}", 0),
            ("日", 2), ("ﾀ", 1),
        ])
    func characters(text: String, width: Int) throws {
        let character = try #require(text.first)
        #expect(text.count == 1 && CellWidth.of(character) == width)
    }
}
