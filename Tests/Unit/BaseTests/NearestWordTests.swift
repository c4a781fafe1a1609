import Base
import Testing

@Suite("The nearest word")
struct NearestWordTests {
    private static let words = ["base-url", "check", "listen", "ui"]

    @Test(
        "A mistyped word is recognised, and another is not",
        arguments: [
            ("chekk", "check"), ("CHECK", "check"), ("base_url", "base-url"), ("lsiten", "listen"),
            ("u", "ui"), ("", nil), ("a", nil), ("xy", nil), ("frobnicate", nil),
            (String(repeating: "check", count: 20), nil),
        ] as [(String, String?)])
    func nearest(_ text: String, _ word: String?) {
        #expect(NearestWord.to(text, in: Self.words) == word)
    }

    @Test("Nothing is near if there are no words")
    func none() { #expect(NearestWord.to("check", in: []) == nil) }
}
