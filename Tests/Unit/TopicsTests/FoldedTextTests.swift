import Testing

@testable import Topics

@Suite("Text as a search compares it")
struct FoldedTextTests {
    private func folded(_ text: String) -> String {
        var bytes: [UInt8] = []
        FoldedText.append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func has(_ text: String, _ words: [String]) -> Bool {
        var bytes: [UInt8] = []
        FoldedText.append(text, to: &bytes)
        return FoldedWords(words).areIn(bytes.span)
    }

    @Test(
        "Capitals and accents make no difference, in any form",
        arguments: [
            ("ABC xyz [1]", "abc xyz [1]"), ("Ärger Straße", "arger strasse"),
            ("e\u{301}\u{e9}É", "eee"), ("Ångström Łódź Ørsted", "angstrom lodz orsted"),
            ("Việt", "viet"), ("Ήλιος ΗΛΙΟΣ", "ηλιοσ ηλιοσ"), ("ПРИВЕТ", "привет"),
            ("日本", "日本"), ("", ""),
        ])
    func folds(text: String, folded: String) { #expect(self.folded(text) == folded) }

    @Test(
        "All words must be there, in any order, be it inside others",
        arguments: [
            ("disk full", true), ("FULL disk", true), ("dïsk", true), ("sk", true), ("", true),
            ("disk empty", false), ("disk  \n full", true), ("is full", true),
            ("diskk", false), ("full!", true), ("full!!", false),
        ])
    func words(text: String, isFound: Bool) {
        #expect(has("The Disk is full!", [text]) == isFound)
        #expect(has("The Disk is full!", text.split(separator: " ").map(String.init)) == isFound)
    }

    @Test("Nothing is in an empty text but no words")
    func empty() {
        #expect(!has("", ["a"]))
        #expect(has("", ["\u{301}"]))
    }
}
