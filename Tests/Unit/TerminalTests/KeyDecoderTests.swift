import Testing

@testable import Terminal

@Suite("Keys from the bytes of a terminal")
struct KeyDecoderTests {
    private func keys(_ text: String) -> [Key] {
        var decoder = KeyDecoder()
        return decoder.decode(Array(text.utf8)) + decoder.flush()
    }

    @Test("Each key by its sequence")
    func sequences() {
        #expect(keys("\u{1B}[A\u{1B}OB\u{1B}[1;5C\u{1B}[D") == [.up, .down, .right, .left])
        #expect(keys("\u{1B}[5~\u{1B}[6~\u{1B}[3~") == [.pageUp, .pageDown, .delete])
        #expect(keys("\u{1B}[H\u{1B}[4~\u{1B}[1~\u{1B}OF") == [.home, .end, .home, .end])
        #expect(
            keys("q\r\n\t\u{7F}\u{8}\u{1B}[Z") == [
                .text("q"), .enter, .enter, .tab, .backspace, .backspace, .backTab,
            ])
        #expect(keys("\u{3}\u{1A}\u{0}") == [.control("c"), .control("z"), .other])
        #expect(keys("\u{1B}") == [.escape])
        #expect(keys("\u{1B}\u{1B}[A") == [.escape, .up])
        #expect(keys("\u{1B}x\u{1B}[12;34R") == [.other, .other])
    }

    private static let story =
        "aé日👍\u{1B}[A\u{1B}[5~\u{1B}OH\u{1B}[200~two\nlines\u{1B}[B\u{1B}[201~q"

    @Test("A sequence may be cut anywhere", arguments: 0...42)
    func cut(place: Int) {
        let bytes = Array(Self.story.utf8)
        let place = min(place, bytes.count)
        var decoder = KeyDecoder()
        let found = decoder.decode(bytes[..<place]) + decoder.decode(bytes[place...])
        #expect(
            found == [
                .text("a"), .text("é"), .text("日"), .text("👍"), .up, .pageUp, .home,
                .paste("two\nlines\u{1B}[B"), .text("q"),
            ])
        #expect(!decoder.isUndecided)
    }

    @Test("Bytes that are no text are left out")
    func broken() {
        var decoder = KeyDecoder()
        #expect(
            decoder.decode([0xFF, 0xC3, 0x61, 0xE2, 0x82, 0x1B, 0x5B, 0x41]) == [.text("a"), .up])
        #expect(decoder.decode([0xC2, 0x9B]) == [])
        #expect(decoder.decode([0xED, 0xA0, 0x80, 0x62]) == [.text("b")])
        #expect(decoder.decode([0xE2, 0x82]) == [] && decoder.isUndecided)
        #expect(decoder.flush() == [] && !decoder.isUndecided)
    }

    @Test("Neither a long sequence nor a long paste is kept")
    func bounds() {
        var decoder = KeyDecoder()
        #expect(
            decoder.decode(Array("\u{1B}[".utf8) + Array(repeating: 0x31, count: 40)).first
                == .other)
        var pasting = KeyDecoder()
        _ = pasting.decode(Array("\u{1B}[200~".utf8))
        for _ in 0..<100 { #expect(pasting.decode(Array(repeating: 0x61, count: 1_000)) == []) }
        guard case .paste(let text)? = pasting.decode(Array("\u{1B}[201~".utf8)).first else {
            Issue.record("nothing was pasted")
            return
        }
        #expect(text.utf8.count == 16 << 10)
    }
}
