import Base
import Foundation
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
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", "printf %s-%s \(ShellWord.quoted(text)) end"]
        let output = Pipe()
        shell.standardOutput = output
        try shell.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        shell.waitUntilExit()
        #expect(String(decoding: said, as: UTF8.self) == text + "-end")
    }
}
