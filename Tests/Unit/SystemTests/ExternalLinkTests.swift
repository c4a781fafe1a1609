import Testing

@testable import System

@Suite("Links for other programs")
struct ExternalLinkTests {
    @Test("A link is one printable word that begins with a scheme")
    func links() {
        #expect(ExternalLink("https://x/-h")?.scheme == "https")
        #expect(ExternalLink("HTTPS://x")?.scheme == "https")
        #expect(ExternalLink("web+x.1-2:y")?.scheme == "web+x.1-2")
        #expect(ExternalLink("https://" + String(repeating: "x", count: 2_040)) != nil)
    }

    @Test(
        "Anything else is rejected",
        arguments: [
            "", "x", "//x", ":x", "-h", "--help", "-x:y", "--manual:x", "7:x", "a b:x",
            "https://a b", "https://x\n", "\u{2d}x:y", "h\u{e9}:x", "https://\u{202e}x",
            "https://" + String(repeating: "x", count: 2_041),
        ])
    func others(text: String) {
        #expect(ExternalLink(text) == nil)
    }
}
