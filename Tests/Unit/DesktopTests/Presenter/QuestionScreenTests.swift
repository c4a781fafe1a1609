import Base
import Notifications
import System
import Testing

@testable import Desktop

@Suite("Questions on the screen")
struct QuestionScreenTests {
    private static let answers =
        #","actions":[{"action":"question:x:1:0","title":"yes","kind":"answer"},"#
        + #"{"action":"question:x:1:1","title":"no","kind":"answer"},"#
        + #"{"action":"question:x:1","title":"","kind":"answer","value":"*"}]"#

    private func screen(_ capabilities: [String] = ["inline-reply"]) throws -> Screen {
        var screen = Screen()
        screen.serverAppears(Screen.dunst + capabilities)
        try screen.group(added: [Screen.push(1, more: Self.answers)])
        return screen
    }

    @Test("There is a button for each answer, and a reply where the server has one; it stays")
    func shown() throws {
        let call = try #require(try screen().visible[1]?.call)
        #expect(call.actions.filter { $0.key.hasPrefix("action-") }.map(\.label) == ["yes", "no"])
        #expect(call.actions.contains { $0.key == "inline-reply" } && call.expiry == 0)
        let bare = try #require(try screen([]).visible[1]?.call)
        #expect(!bare.actions.contains { $0.key == "inline-reply" })
    }

    @Test("A press goes to the engine once, also after a kill; the answer of another ends it")
    func pressed() throws {
        var screen = try screen()
        screen.user(chooses: "action-1", on: 1)
        let press = EngineRequest.act(group: 1, notification: 1, action: "question:x:1:1")
        #expect(screen.requests == [press] && screen.others.isEmpty)
        screen.user(closes: 1)
        screen.user(chooses: "action-0", on: 1)
        #expect(screen.requests == [press])
        screen.restart()
        screen.handle(.joined("telegram/me"))
        try screen.active([(1, [Screen.push(1, more: Self.answers)])])
        #expect(screen.requests == [press, press])
        try screen.group(removed: [1])
        #expect(screen.records.isEmpty && screen.visible.isEmpty)
    }

    @Test("What the reader writes is the answer, without the consent of an application")
    func written() throws {
        var screen = try screen()
        screen.handle(.replied(id: 1, text: "later", sender: screen.identity?.owner ?? ""))
        #expect(
            screen.requests == [
                .act(group: 1, notification: 1, action: "question:x:1", text: "later")
            ])
    }
}
