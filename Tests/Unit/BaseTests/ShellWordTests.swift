import Base
import TestSupport
import Testing

@Suite("Text as one word for a shell")
struct ShellWordTests {
    @Test("A plain word stays as it is", arguments: ["a", "/usr/bin/bellwire-1.0_x", "7"])
    func plain(text: String) {
        #expect(ShellWord.quoted(text) == text)
    }

    @Test(
        "A shell reads the same text again",
        arguments: ["", " ", "a b", "it's", "''", "$HOME", "a;b", "\\", "ü", "*", "\"x\""])
    func special(text: String) throws {
        let command = "printf %s-%s \(ShellWord.quoted(text)) end"
        #expect(try RunningProcess("/bin/sh", ["-c", command]).text() == text + "-end")
    }
}
