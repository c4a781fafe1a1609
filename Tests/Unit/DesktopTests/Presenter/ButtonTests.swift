import Base
import Notifications
import System
import Testing

@testable import Desktop

@Suite("Buttons of a topic's notification")
struct ButtonTests {
    private static let view =
        #"{"action":"v","title":"Look","kind":"view","navigate":"https://h/"}"#
    private static let copy = #"{"action":"c","title":"Code","kind":"copy","value":"4711"}"#

    private static func http(_ more: String = "") -> String {
        #"{"action":"h","title":"Unlock","kind":"http","method":"POST","#
            + #""url":"https://lock.example/open"\#(more)}"#
    }

    private func screen(
        _ buttons: String..., message: Int? = nil, capabilities: [String] = Screen.dunst
    ) throws -> Screen {
        var screen = Screen()
        screen.serverAppears(capabilities)
        try screen.show(buttons)
        return screen
    }

    @Test("The sender's three come first, and where a request goes is said before it is sent")
    func labels() throws {
        let screen = try screen(Self.view, Self.http(), Self.copy)
        let actions = try #require(screen.calls.last).actions
        #expect(
            actions.map(\.label).prefix(4)
                == ["Open", "Look", "lock.example: Unlock", "Code"])
        #expect(actions.dropFirst(4).allSatisfy { !$0.key.hasPrefix("action-") })
        #expect(screen.calls.last?[hint: "resident"] == .flag(true))
    }

    @Test("A label says the host first, whatever its sender does, so that no screen cuts it off")
    func hostileLabels() throws {
        func label(_ title: String, _ url: String) throws -> String? {
            let button = """
                {"action":"h","title":\(JSONText.quoted(title)),"kind":"http","method":"GET",
                "url":"\(url)"}
                """
            return try screen(button).calls.last?.actions.first { $0.key == "action-0" }?.label
        }
        let long = String(repeating: "x", count: 500)
        let cut = "h.example: " + String(repeating: "x", count: 48) + "…"
        #expect(try label(long, "https://h.example/") == cut)
        let hostile = "A\n\u{202E}\u{1B}[0m good.example"
        #expect(try label(hostile, "https://h/") == "h: A [0m good.example")
        let host = String(repeating: "a.", count: 60) + "example"
        let end = try #require(try label("A", "https://\(host)/"))
        #expect(end.hasPrefix("…") && end.hasSuffix("a.example: A"))
        #expect(end.unicodeScalars.count <= 60)
    }

    @Test(
        "What is never sent, and what opens nothing, has no button",
        arguments: [
            #""kind":"http","method":"POST","url":"file:///etc/passwd""#,
            #""kind":"http","method":"A B","url":"https://h/""#,
            #""kind":"http","method":"GET","url":"https://h/","headers":{"Host":"b"}"#,
            #""kind":"http","method":"GET","url":"https://h/","headers":{"A":"b\r\nC: d"}"#,
            #""kind":"view","navigate":"file:///usr/bin/x""#,
            #""kind":"view","navigate":"-x""#,
            #""kind":"start","navigate":"https://h/""#,
        ])
    func others(button: String) throws {
        let screen = try screen(#"{"action":"x","title":"X",\#(button)}"#)
        #expect(screen.calls.last?.actions.contains { $0.key.hasPrefix("action-") } == false)
        var pressed = screen
        pressed.user(chooses: "action-0", on: 1)
        #expect(pressed.others.isEmpty && pressed.requests.isEmpty)
    }

    @Test("A press is noted before it is sent, and its answer is shown in place without a sound")
    func answered() throws {
        var screen = try screen(Self.http())
        screen.user(chooses: "action-0", on: 1)
        let (key, press, request) = try #require(screen.sent.first)
        #expect(screen.records[key]?.press == press)
        #expect(!request.mayStayInside && press.key == "key")
        #expect(screen.requests.isEmpty)
        // Most servers close it then.
        screen.user(closes: 1)
        #expect(screen.requests.isEmpty && screen.bodies == ["Unlock: sent, no answer yet\nHello"])
        // Pressed twice is sent once.
        let id = try #require(screen.visible.keys.first)
        screen.user(chooses: "action-0", on: id)
        #expect(screen.sent.count == 1)
        screen.handle(.pressEnded(key, press, .answered(status: 200)))
        #expect(screen.bodies == ["Unlock: 200\nHello"])
        // The second click of a double one may come after the answer.
        screen.user(chooses: "action-0", on: id)
        #expect(screen.sent.count == 1)
        screen.now += .seconds(2)
        screen.user(chooses: "action-0", on: id)
        screen.handle(.pressEnded(key, screen.sent[1].press, .answered(status: 503)))
        #expect(screen.bodies == ["Unlock: failed: 503\nHello"])
        #expect(screen.sounding.count == 1)
        screen.now += .seconds(2)
        screen.user(closes: id)
        #expect(screen.requests == [.remove(group: 1, notification: 1)])
    }

    @Test("`clear` takes the notification away on success alone")
    func clears() throws {
        for (status, isRemoved) in [(204, true), (302, false), (404, false)] {
            var screen = try screen(Self.http(#","clear":true"#))
            screen.user(chooses: "action-0", on: 1)
            let sent = try #require(screen.sent.first)
            screen.handle(.pressEnded(sent.key, sent.press, .answered(status: status)))
            #expect(screen.requests.isEmpty != isRemoved, "\(status)")
        }
    }

    @Test("After a kill nothing is sent by itself, and another press is the same to the other side")
    func killed() throws {
        var screen = try screen(Self.http())
        screen.user(chooses: "action-0", on: 1)
        screen.user(closes: 1)
        screen.restart()
        let count = screen.sent.count
        screen.serverAppears()
        try screen.show([Self.http()])
        #expect(screen.sent.count == count)
        #expect(screen.bodies == ["Unlock: unknown whether it ran\nHello"])
        let id = try #require(screen.visible.keys.max())
        let labels = screen.visible[id]?.call.actions.map(\.label)
        #expect(labels?.contains("lock.example: Again: Unlock") == true)
        #expect(screen.sounding.count == 1)
        screen.user(chooses: "action-0", on: id)
        #expect(screen.sent.count == count + 1)
        #expect(screen.sent.last?.press.key == screen.sent.first?.press.key)
        // A late answer of the former process does not count, and the first of this one does.
        let sent = try #require(screen.sent.last)
        screen.handle(.pressEnded(sent.key, sent.press, .unknown))
        screen.handle(.pressEnded(sent.key, sent.press, .answered(status: 200)))
        #expect(screen.bodies == ["Unlock: unknown whether it ran\nHello"])
    }

    @Test("An answer survives a restart")
    func kept() throws {
        var screen = try screen(Self.http())
        screen.user(chooses: "action-0", on: 1)
        let sent = try #require(screen.sent.first)
        screen.handle(.pressEnded(sent.key, sent.press, .unsent(.forbidden)))
        #expect(screen.bodies == ["Unlock: failed: its address is not allowed\nHello"])
        let press = try #require(screen.records[sent.key]?.press)
        let stored = try #require(ButtonPress(stored: Array(press.json.utf8)))
        #expect(stored == press && stored.afterRestart == press)
        #expect(ButtonPress(stored: Array("{}".utf8)) == nil)
        let under = ButtonPress(of: "h", key: "k")
        #expect(ButtonPress(stored: Array(under.json.utf8))?.afterRestart.state == .unknown)
    }

    @Test("What became of a press is not said of a later state")
    func later() throws {
        var screen = try screen(Self.http())
        screen.user(chooses: "action-0", on: 1)
        let sent = try #require(screen.sent.first)
        screen.handle(.pressEnded(sent.key, sent.press, .answered(status: 200)))
        // The engine says the same again.
        try screen.show([Self.http()])
        #expect(screen.bodies == ["Unlock: 200\nHello"])
        try screen.show([Self.http(), Self.copy])
        #expect(screen.bodies == ["Hello"] && screen.records[sent.key]?.press == nil)
    }

    @Test("`copy` copies, or shows what was to be copied")
    func copies() throws {
        let texts: [(ButtonPress.State, String)] = [
            (.copied, "Code: copied"), (.uncopied, "Code: 4711"),
        ]
        for (state, text) in texts {
            var screen = try screen(Self.copy)
            screen.user(chooses: "action-0", on: 1)
            guard case .copy(let key, let press, "4711")? = screen.others.first else {
                Issue.record("nothing was copied")
                return
            }
            screen.user(closes: 1)
            screen.handle(.pressEnded(key, press, state))
            #expect(screen.bodies == ["\(text)\nHello"])
            #expect(screen.requests.isEmpty)
            #expect(press.isNoted == false)
        }
    }

    @Test("`view` opens its link, and stays unless it clears")
    func views() throws {
        var screen = try screen(Self.view)
        screen.user(chooses: "action-0", on: 1, token: "t")
        let link = try #require(ExternalLink("https://h/"))
        #expect(screen.others == [.open(link: link, nil, token: "t")])
        screen.user(closes: 1)
        #expect(screen.requests.isEmpty && screen.bodies == ["Hello"])
        let button = Self.view.dropLast() + #","clear":true}"#
        var other = try self.screen(String(button))
        other.user(chooses: "action-0", on: 1)
        #expect(other.requests == [.remove(group: 1, notification: 1)])
    }

    @Test("Markdown is markup where a server reads markup, and plain text elsewhere")
    func markdown() throws {
        func body(_ capabilities: [String]) throws -> String? {
            var screen = Screen()
            screen.serverAppears(name: "x", capabilities)
            let text = "**<b>** [l](https://h/)"
            try screen.group(added: [Screen.push(1, text, more: #","markdown":true"#)])
            return screen.calls.last?.body
        }
        #expect(
            try body(["body", "body-markup", "body-hyperlinks"])
                == #"<b>&lt;b&gt;</b> <a href="https://h/">l (h)</a>"#)
        #expect(try body(["body", "body-markup"]) == "<b>&lt;b&gt;</b> l (https://h/)")
        #expect(try body(["body"]) == "<b> l (https://h/)")
    }
}

extension Screen {
    fileprivate mutating func show(_ buttons: [String]) throws {
        let more = #","actions":[\#(buttons.joined(separator: ","))]"#
        try group(added: [Screen.push(1, more: more)])
    }

    fileprivate var sent: [(key: ShownKey, press: ButtonPress, request: ButtonRequest)] {
        others.compactMap { action in
            guard case .send(let key, let press, let request) = action else { return nil }
            return (key, press, request)
        }
    }
}
