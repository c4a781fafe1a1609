import Testing

@testable import Base

@Suite("Lines of a stream")
struct LineSplitterTests {
    private static func lines(_ text: String, inPiecesOf size: Int) -> [LineSplitter.Line] {
        var splitter = LineSplitter(limit: 5)
        var lines: [LineSplitter.Line] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            splitter.append(bytes.span.extracting(start..<min(start + size, bytes.count)))
            let hasNext = splitter.hasNext
            let former = lines.count
            while let line = splitter.next() { lines.append(line) }
            #expect(hasNext == (lines.count > former))
        }
        return lines + (splitter.takeRest().map { [$0] } ?? [])
    }

    @Test("They are the same however the pieces come; a long one is skipped", arguments: 1...30)
    func pieces(size: Int) {
        func line(_ text: String) -> LineSplitter.Line { .bytes(Array(text.utf8)) }
        #expect(
            Self.lines("a\n\nbcdef\nlonger than that\nghijkl\nm\n", inPiecesOf: size)
                == [line("a"), line(""), line("bcdef"), .tooLong, .tooLong, line("m")])
        #expect(Self.lines("a\nb", inPiecesOf: size) == [line("a"), line("b")])
        #expect(Self.lines("a\nbcdefg", inPiecesOf: size) == [line("a"), .tooLong])
        #expect(Self.lines("", inPiecesOf: size).isEmpty)
    }

    @Test("A line that is too long is noticed before its end")
    func overlong() {
        var splitter = LineSplitter(limit: 3)
        for (byte, isOverlong) in zip("abcde".utf8, [false, false, false, true, true]) {
            splitter.append([byte].span)
            #expect(splitter.next() == nil && splitter.isOverlong == isOverlong)
        }
        splitter.append(Array("f\ng".utf8).span)
        #expect(splitter.next() == .tooLong && !splitter.isOverlong)
        #expect(splitter.next() == nil && splitter.takeRest() == .bytes([UInt8(ascii: "g")]))
    }
}
