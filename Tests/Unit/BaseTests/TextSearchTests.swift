import Base
import Testing

@Suite("Searching in text")
struct TextSearchTests {
    @Test("The first place is found by bytes")
    func place() {
        let text = "wss://a/u/é://b"
        #expect(text.place(of: "://").map { String(text[..<$0.lowerBound]) } == "wss")
        #expect(text.place(of: "/u/").map { String(text[$0.upperBound...]) } == "é://b")
        #expect(text.dropFirst(4).place(of: "://").map { String(text[$0.upperBound...]) } == "b")
        #expect(text.place(of: "://c") == nil)
        #expect("".place(of: "a") == nil)
        #expect("ab".place(of: "").map { "ab"[$0].isEmpty } == true)
    }

    @Test("Every occurrence of a scalar is replaced, also beside one that joins it")
    func replacing() {
        #expect("a-b--".replacing(each: "-", by: "\\-") == "a\\-b\\-\\-")
        #expect("\u{201C}\u{301}x\u{201C}".replacing(each: "\u{201C}", by: "'") == "'\u{301}x'")
        #expect("".replacing(each: "a", by: "b") == "")
    }
}
