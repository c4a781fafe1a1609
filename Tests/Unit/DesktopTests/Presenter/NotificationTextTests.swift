import Notifications
import Testing

@testable import Desktop

@Suite("Texts and hints of a notification")
struct NotificationTextTests {
    static let hostile = "<b>&amp; <a href=\"https://x\">'x'</a> &"

    private func call(
        _ notification: String, _ capabilities: [String] = Screen.dunst, name: String = "dunst",
        spec: String = "1.2", title: String = "", source: PresentedSource = Screen.account
    ) throws -> NotifyCall {
        var screen = Screen([source])
        screen.serverAppears(name: name, spec: spec, capabilities)
        try screen.group(added: [notification], title: title)
        return try #require(screen.calls.first)
    }

    /// Capabilities that the servers of Debian 12 report.
    static let servers: [(name: String, spec: String, capabilities: String)] = [
        (
            "dunst", "1.2",
            "actions body body-hyperlinks icon-static synchronous private-synchronous "
                + "x-canonical-private-synchronous x-dunst-stack-tag body-markup"
        ),
        (
            "Notification Daemon", "1.2",
            "actions body body-hyperlinks body-markup icon-static sound persistence action-icons"
        ),
        (
            "Notification Daemon", "1.1",
            "actions action-icons body body-hyperlinks body-markup icon-static sound"
        ),
        (
            "Xfce Notify Daemon", "1.2",
            "action-icons actions body body-hyperlinks body-markup icon-static "
                + "x-canonical-private-icon-only"
        ),
        (
            "lxqt-notificationd", "1.2",
            "actions body body-hyperlinks body-images body-markup persistence"
        ),
    ]

    @Test(
        "Servers that render markup get it escaped, without links; none gets `value`",
        arguments: 0..<5
    )
    func servers(index: Int) throws {
        let server = Self.servers[index]
        let call = try call(
            Screen.push(1, Self.hostile, title: Self.hostile, more: #","link":"https://x/""#),
            server.capabilities.split(separator: " ").map(String.init), name: server.name,
            spec: server.spec)
        #expect(
            call.body == "&lt;b&gt;&amp;amp; &lt;a href=&quot;https://x&quot;&gt;&#39;x&#39;"
                + "&lt;/a&gt; &amp;")
        #expect(call.summary == Self.hostile, "a summary never is markup")
        #expect(call[hint: "value"] == nil)
        #expect(call.actions.map(\.key) == ["default", "mark-read", "mute-hour", "mute"])
    }

    @Test("Without body-markup nothing is escaped; without body the text is in the summary")
    func poorServers() throws {
        let plain = try call(Screen.push(1, Self.hostile), ["body"], name: "other")
        #expect(plain.body == Self.hostile && plain.actions.isEmpty)
        // dunst may render markup without reporting it.
        let dunst = try call(Screen.push(1, "<b>&amp;"), ["body"])
        #expect(dunst.body == "<\u{2060}b>&\u{2060}amp;")
        let bare = try call(Screen.push(1, "Hi\nthere", title: "Alice"), [])
        #expect(bare.summary == "Alice: Hi there" && bare.body.isEmpty)
    }

    @Test("Characters that reorder, hide or break text are removed")
    func unsafe() throws {
        let text = "a\u{202E}b\u{2066}c\u{200F}\u{0}\u{1B}[31m\u{85}\r\nd\u{FEFF}\u{2028}e\t\u{7F}f"
        let call = try call(Screen.push(1, text, title: text))
        #expect(call.body == "abc[31m\nd\ne f" && call.summary == "abc[31m d e f")
    }

    @Test("Titles have 200 and bodies 4,000 Unicode scalars")
    func limits() throws {
        let long = String(repeating: "x", count: 5000)
        let call1 = try call(Screen.push(1, long, title: long))
        #expect(call1.summary.count == 200 && call1.body.count == 4000)
        #expect(call1.summary.hasSuffix("x…") && call1.body.hasSuffix("x…"))
        let marks = "a" + String(repeating: "\u{301}", count: 5000)
        let call2 = try call(Screen.push(1, marks, title: "z" + marks))
        #expect(call2.summary.unicodeScalars.count <= 200 && call2.summary.hasPrefix("z"))
        #expect(call2.body.unicodeScalars.count <= 4000 && !call2.body.isEmpty)
        let exact = String(repeating: "é", count: 200)
        #expect(try call(Screen.push(1, title: exact)).summary == exact)
        let family = String(repeating: "👨‍👩‍👧", count: 60)
        let cut = try call(Screen.push(1, title: family)).summary
        #expect(cut.dropLast().allSatisfy { $0 == "👨‍👩‍👧" } && cut.unicodeScalars.count <= 200)
    }

    @Test("Hints have the types that servers require")
    func hints() throws {
        let call = try call(Screen.push(1))
        #expect(call[hint: "urgency"] == .byte(1))
        #expect(call[hint: "category"] == .text("im.received"))
        #expect(call[hint: "desktop-entry"] == .text("org.example.Chat"))
        #expect(call[hint: "sound-name"] == .text("message-new-instant"))
        #expect(call.appName == "Telegram" && call.expiry == -1 && call.replacesID == 0)
        // Nothing of it is computed from the name of the account.
        #expect(call[hint: "x-dunst-stack-tag"] == .text("bellwire-1f-1-1"))
        #expect(try self.call(Screen.push(1), ["body"])[hint: "x-dunst-stack-tag"] == nil)
    }

    @Test(
        "A sound is a bare name of the theme, or ours",
        arguments: [
            ("bell", "bell"), ("bell.ogg", "bell"), ("default", "message-new-instant"),
            ("../x", "message-new-instant"), ("/etc/passwd", "message-new-instant"),
            ("a b", "message-new-instant"), ("", "message-new-instant"),
            (String(repeating: "x", count: 200), "message-new-instant"),
        ])
    func sounds(named name: String, is expected: String) throws {
        let call = try call(Screen.push(1, more: #","sound":"\#(name)""#))
        #expect(call[hint: "sound-name"] == .text(expected))
    }

    @Test("Urgency is passed on; an unencrypted notification is never urgent")
    func urgency() throws {
        let critical = #","critical":true"#
        #expect(try call(Screen.push(1, more: critical))[hint: "urgency"] == .byte(2))
        #expect(try call(Screen.push(1, more: #","low":true"#))[hint: "urgency"] == .byte(0))
        let high = try call(Screen.push(1, more: #","high":true"#))
        #expect(high[hint: "urgency"] == .byte(1) && high.expiry == 0)
        #expect(high.summary == "❗ Alice")
        let clear = Screen.push(1, more: critical, outside: #","bellwire.clear":true"#)
        #expect(try call(clear)[hint: "urgency"] == .byte(1))
    }

    @Test("A tag is a sign before the title, or else a word below the text")
    func tags() throws {
        let call = try call(Screen.push(1, more: #","tags":["warning","nightly","tada","a<b"]"#))
        #expect(call.summary == "⚠️ 🎉 Alice")
        #expect(call.body == "Hello\nTags: nightly, a<\u{2060}b" || call.body.contains("a&lt;b"))
        #expect(try self.call(Screen.push(1, more: #","tags":["x"]"#)).body == "Hello")
    }

    @Test("An unencrypted notification starts with a warning, even without a body")
    func clear() throws {
        let clear = Screen.push(1, title: "Alice", outside: #","bellwire.clear":true"#)
        #expect(try call(clear).body == "Not encrypted, may be from anybody:\nHello")
        let bare = try call(clear, [])
        #expect(bare.summary == "Not encrypted, may be from anybody: Alice: Hello")
        #expect(try !call(Screen.push(1)).body.contains("encrypted"))
        // Even a long text does not push it out.
        let long = Screen.push(
            1, String(repeating: "x", count: 5000), outside: #","bellwire.clear":true"#)
        #expect(try call(long).body.hasPrefix("Not encrypted"))
        #expect(try call(clear).actions.isEmpty)
    }

    @Test("A known chat can be muted if three buttons leave room for it")
    func mutes() throws {
        let actions = #","actions":[{"action":"a","title":"A"},{"action":"b","title":"B"}]"#
        #expect(
            try call(Screen.push(1, more: actions)).actions.map(\.key)
                == ["default", "action-0", "action-1", "mark-read"])
        let one = #","actions":[{"action":"a","title":"A"}]"#
        #expect(
            try call(Screen.push(1, more: one)).actions.map(\.label)
                == ["Open", "A", "Mark as read", "Mute for 1 hour"])
        #expect(
            try call(Screen.push(1, message: 0, more: one)).actions.map(\.key)
                == ["default", "action-0", "mute-hour"], "one way to mute beside other buttons")
        var screen = Screen()
        screen.serverAppears()
        try screen.group(chat: 0, added: [Screen.push(1)])
        #expect(screen.calls[0].actions.map(\.key) == ["default", "mark-read"])
    }

    @Test("There is a button to open only where something opens")
    func opens() throws {
        let nothing = PresentedSource(id: Screen.account.id, name: "Script")
        let keys = { (more: String, source: PresentedSource) in
            try call(Screen.push(1, more: more), source: source).actions.map(\.key)
        }
        #expect(try keys("", nothing) == ["mark-read", "mute-hour", "mute"])
        #expect(try keys(#","default_action":"Look""#, nothing).first == "default")
        #expect(try keys("", Screen.account).first == "default")
    }

    @Test(
        "The title is not said again in the text",
        arguments: [
            ("Ann", "Ann: hello", "hello"), ("Family", "Ann @ Family: hello", "Ann: hello"),
            ("Family", "Ann sent a photo to the group Family", "Ann sent a photo"),
            ("Family", "Ann pinned a photo in the group Family", "Ann pinned a photo"),
            ("Family", "Ann joined the group Family", "Ann joined the group"),
            ("Family", "Ann: we are the group Family", "Ann: we are the group Family"),
            ("Family", "Bob @ Family: hello", "Bob @ Family: hello"),
            ("Kitchen", "Fire in the group Kitchen", "Fire in the group Kitchen"),
        ])
    func once(title: String, sentence: String, shown: String) {
        #expect(ShownSentence.body(sentence, under: title, by: "Ann") == shown)
    }

    @Test("Calls ring until they end, and secret chats have a text")
    func otherKinds() throws {
        let ring = try call(
            Screen.notification(1, type: #"{"@type":"notificationTypeNewCall","call_id":5}"#),
            title: "Bob")
        #expect(ring.summary == "Bob" && ring.body == "Incoming call" && ring.expiry == 0)
        #expect(ring.actions.map(\.key) == ["accept", "decline"])
        #expect(ring[hint: "urgency"] == .byte(2))
        #expect(ring[hint: "category"] == .text("call.incoming"))
        let secret = try call(
            Screen.notification(1, type: #"{"@type":"notificationTypeNewSecretChat"}"#))
        #expect(secret.summary == "Telegram" && secret.body == "New secret chat")
    }

    @Test("A message without a preview or text still says what it is")
    func contents() throws {
        func message(_ content: String, preview: Bool = true) -> String {
            Screen.notification(
                1,
                type: #"{"@type":"notificationTypeNewMessage","show_preview":\#(preview),"#
                    + #""message":{"id":5,"content":\#(content)}}"#)
        }
        let photo = #"{"@type":"messagePhoto","caption":{"text":"Look"}}"#
        #expect(try call(message(photo)).body == "Look")
        #expect(try call(message(photo, preview: false)).body == "New message")
        #expect(try call(message(#"{"@type":"messageVoiceNote"}"#)).body == "Voice note")
    }

    @Test("Replies are offered if server and application support them")
    func replies() throws {
        func keys(_ capabilities: [String]) throws -> [[String]] {
            var screen = Screen()
            screen.serverAppears(capabilities)
            try screen.group(added: [Screen.push(1)])
            for willing in [true, true, false] {
                try screen.receive(#"{"@type":"bellwire.updateSource","replies":\#(willing)}"#)
            }
            return screen.calls.map { $0.actions.map(\.key) }
        }
        let rich = try keys(Screen.dunst + ["inline-reply"])
        #expect(rich.map { $0.contains("inline-reply") } == [false, true, false])
        // A server without reply fields gets no reply action.
        #expect(try keys(Screen.dunst).count == 1)
    }

    @Test("With 'do not disturb' only urgent notifications sound")
    func doNotDisturb() throws {
        var screen = Screen()
        screen.serverAppears()
        screen.handle(.inhibited(true))
        try screen.group(added: [Screen.push(1), Screen.push(2, more: #","critical":true"#)])
        #expect(screen.sounding.map { $0[hint: "urgency"] } == [.byte(2)])
        screen.handle(.inhibited(false))
        try screen.group(added: [Screen.push(3)])
        #expect(screen.sounding.count == 2)
    }
}
