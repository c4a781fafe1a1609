import Base
import Notifications
import System
import Terminal
import Testing

@testable import bellwire

@Suite("The terminal view of bellwire watch")
struct WatchViewTests {
    static let now = 1_800_000_000
    private static let context = ViewContext(
        language: .english,
        localTime: { seconds in
            let minutes = (seconds - Self.now) / 60 + 12 * 60
            return "2027-01-15 \(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
        })

    private var view = WatchView(["telegram/me"], Self.context, opensLinks: true)

    init() throws {
        view.joined()
        _ = try receive(
            #"{"@type":"updateActiveNotifications","groups":[\#(group(1, "Ada", [(7, "one"), (8, "two")])),\#(group(2, "Team", [(3, "three")]))]}"#
        )
    }

    private func note(_ id: Int, _ body: String, _ rest: String = "") -> String {
        """
        {"id":\(id),"date":\(Self.now + id * 60),\(rest)"type":{"@type":
        "notificationTypeNewPushMessage","message_id":\(id),"sender_name":"","bellwire.presentation":
        {"body":"\(body)","link":"https://example.org/\(id)"}}}
        """
    }

    private func group(_ id: Int, _ title: String, _ notes: [(Int, String)]) -> String {
        let list = notes.map { note($0.0, $0.1) }.joined(separator: ",")
        return """
            {"id":\(id),"chat_id":\(id * 10),"bellwire.chat_title":"\(title)",
            "notifications":[\(list)]}
            """
    }

    private mutating func receive(_ update: String) throws -> [WatchView.Action] {
        view.received(
            try #require(EngineMessage(try JSONDocument(Array(update.utf8)).root)), now: Self.now)
    }

    private mutating func type(_ keys: Key...) -> [WatchView.Action] {
        keys.flatMap { view.typed($0) }
    }

    private mutating func lines(_ rows: Int = 14, _ columns: Int = 60) -> [String] {
        view.screen(ScreenSize(rows: rows, columns: columns), now: Self.now).lines
    }

    @Test("Groups stand with their notifications, the newest group first")
    mutating func groups() throws {
        let lines = lines()
        #expect(
            lines[0].hasPrefix(" bellwire  telegram/me") && lines[0].hasSuffix("3 notifications"))
        #expect(lines[1] == " Ada")
        #expect(lines[2] == "   one" + String(repeating: " ", count: 48) + "12:07")
        #expect(lines[3].hasPrefix("   two") && lines[4] == " Team")
        let added = #"{"@type":"updateNotificationGroup","notification_group_id":2,"chat_id":20,"#
        #expect(
            try receive(added + #""added_notifications":[\#(note(9, "four"))]}"#) == [
                .send(WatchedAccount.chatsRequest)
            ]
        )
        #expect(
            self.lines()[1...5].map { String($0.prefix(8)) } == [
                " Team", "   three", "   four ", " Ada", "   one  ",
            ])
        _ = try receive(added + #""total_count":30,"removed_notification_ids":[3]}"#)
        #expect(self.lines()[1] == " Team  +29")
        _ = try receive(added + #""removed_notification_ids":[9]}"#)
        #expect(!self.lines().contains(" Team"))
        _ = try receive(
            #"{"@type":"updateNotification","notification_group_id":1,"notification":\#(note(8, "new"))}"#
        )
        #expect(self.lines()[3].hasPrefix("   new"))
    }

    @Test("Accounts stand together, with their names, and each is asked about its own")
    mutating func several() throws {
        view = WatchView(["builds", "telegram/me"], Self.context, opensLinks: true)
        view.joined(0)
        view.joined(1)
        func shown(_ groups: String) throws -> EngineMessage {
            let update = #"{"@type":"updateActiveNotifications","groups":[\#(groups)]}"#
            return try #require(EngineMessage(try JSONDocument(Array(update.utf8)).root))
        }
        _ = view.received(
            try shown(group(1, "builds", [(7, "green")])), from: 0, now: Self.now)
        _ = view.received(try shown(group(1, "Ada", [(8, "hello")])), from: 1, now: Self.now)
        let lines = lines()
        #expect(lines[0].hasPrefix(" bellwire  builds, telegram/me"))
        #expect(lines[0].hasSuffix("2 notifications"))
        #expect(lines[1] == " telegram/me  Ada" && lines[2].hasPrefix("   hello"))
        #expect(lines[3] == " builds" && lines[4].hasPrefix("   green"))
        // The selection has stayed on the group that was there first.
        #expect(type(.text("d")) == [.send(.removeGroup(1, through: 7), account: 0)])
        #expect(type(.home, .text("d")) == [.send(.removeGroup(1, through: 8), account: 1)])
        #expect(
            type(.end, .text("d"))
                == [.send(.remove(group: 1, notification: 7), account: 0)])
        #expect(
            type(.text("m"), .text("2")) == [.send(.mute(chat: 10, seconds: 3_600), account: 0)])
        // One of them ends, and the other goes on.
        view.lost(0)
        view.ended(0)
        #expect(self.lines()[0].hasSuffix("1 notification"))
        #expect(type(.home, .text("d")) == [.send(.removeGroup(1, through: 8), account: 1)])
        view.lost(1)
        #expect(self.lines()[0].hasSuffix("the server is away; waiting for it"))
        #expect(type(.text("d")) == [])
    }

    @Test("Hostile text stays in its cell")
    mutating func hostile() throws {
        let texts = [
            #"\u001b[2Jclear"#, #"\u009b31mred"#, #"\u202eevil\u2066"#, "日本語日本語日本語日本語日本語日本語日本語",
            "👨‍👩‍👧‍👦 family",
            #"e\u0301\u0301\u0301"#, #"\u200b\u200bzero"#, #"two\nlines"#, "🇩🇪❤\u{FE0F}",
        ]
        let notes = texts.enumerated().map { (20 + $0, $1) }
        _ = try receive(
            #"{"@type":"updateActiveNotifications","groups":[\#(group(1, #"\u001b]0;x\u0007日本\u202e"#, notes))]}"#
        )
        for columns in [20, 39, 40, 41, 60] {
            let screen = view.screen(ScreenSize(rows: 30, columns: columns), now: Self.now)
            for (row, number) in zip(2..., notes.indices) {
                let cells = screen.rows[row]
                #expect(cells.count == columns)
                let time = cells[(columns - 6)...].map(\.text).joined()
                #expect(time == "12:\(20 + number) ")
                #expect(cells[columns - 7].text == " ")
            }
            let scalars = screen.lines.joined().unicodeScalars
            #expect(!scalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
            #expect(!scalars.contains { (0x202A...0x202E).contains($0.value) })
        }
    }

    @Test("What is opened is opened here, and the application need not hear of it")
    mutating func open() throws {
        let link = try #require(ExternalLink("https://example.org/7"))
        let act = EngineRequest.act(group: 1, notification: 7, action: "default")
        #expect(type(.down, .enter) == [.open(link), .send(act)])
        let owed = #"{"@type":"bellwire.updateNotificationAction","id":"5","chat_id":10,"#
        #expect(
            try receive(owed + #""message_id":7,"action":"default"}"#)
                == [.send(.actionTaken(id: "5"))])
        #expect(try receive(owed + #""message_id":7,"action":"default"}"#) == [])
        view.notOpened(link)
        #expect(lines().contains("https://example.org/7"))
        #expect(type(.text("x")) == [] && view.mode == .list)
    }

    @Test("A header stands for its newest notification, and is dismissed as a whole")
    mutating func header() {
        #expect(type(.text("d")) == [.send(.removeGroup(1, through: 8))])
        #expect(type(.end, .text("d")) == [.send(.remove(group: 2, notification: 3))])
        #expect(type(.text("D")) == [.send(.removeGroup(2, through: 3))])
    }

    @Test("A chat is muted for the time that was chosen, and unmuted")
    mutating func mute() throws {
        #expect(type(.text("m")) == [])
        #expect(lines().contains { $0.contains("mute Ada: 1 15 minutes") })
        #expect(
            type(.text("9")) == [] && type(.text("2")) == [.send(.mute(chat: 10, seconds: 3_600))])
        #expect(
            try receive(#"{"@type":"ok","@extra":{"chat":10,"mute_for":3600}}"#) == [
                .send(WatchedAccount.chatsRequest)
            ])
        #expect(lines()[12] == " Ada is muted until 13:00")
        _ = try receive(
            #"{"@type":"bellwire.chats","chats":[{"chat_id":10,"title":"Ada","type":"private","mute_for":3600},{"chat_id":20,"title":"Team","type":"group","mute_for":2147483647}],"scopes":{"private":0,"group":9}}"#
        )
        #expect(lines()[1].hasSuffix("muted 13:00") && lines()[4].hasSuffix("muted"))
        #expect(type(.text("u")) == [.send(.mute(chat: 10, seconds: nil))])
        // All groups are muted, so this one becomes an exception.
        #expect(type(.end, .text("u")) == [.send(.mute(chat: 20, seconds: 0))])
        #expect(type(.text("m"), .escape) == [] && view.mode == .list)
    }

    @Test("A reply goes where replies are taken, and waits while the server is away")
    mutating func reply() throws {
        #expect(
            type(.down, .text("r")) == [] && view.message == "this application takes no replies")
        _ = try receive(#"{"@type":"bellwire.updateSource","replies":true}"#)
        #expect(type(.text("r"), .text("h"), .paste("i\u{1B}[2J\nq")) == [])
        #expect(lines()[12].hasPrefix(" reply to Ada: hi[2J q"))
        let screen = view.screen(ScreenSize(rows: 14, columns: 60), now: Self.now)
        #expect(screen.cursor?.row == 12 && screen.cursor?.column == 22)
        view.lost()
        #expect(type(.enter) == [] && lines()[12].contains("hi[2J q"))
        #expect(lines()[0].hasSuffix("the server is away; waiting for it"))
        view.joined()
        _ = try receive(#"{"@type":"bellwire.updateSource","replies":true}"#)
        let act = EngineRequest.act(
            group: 1, notification: 7, action: "reply", text: "hi[2J q")
        #expect(type(.enter) == [.send(act)] && view.mode == .list)
    }

    @Test("What anybody may have sent can only be dismissed")
    mutating func clear() throws {
        _ = try receive(
            #"{"@type":"updateActiveNotifications","groups":[{"id":1,"notifications":[\#(note(7, "x", #""bellwire.clear":true,"#))]}]}"#
        )
        #expect(type(.enter) == [] && view.message.contains("can only be dismissed"))
        #expect(type(.text("r")) == [] && type(.text("m")) == [])
        #expect(type(.down, .text("d")) == [.send(.remove(group: 1, notification: 7))])
    }

    @Test("A link of a kind that the application did not allow is not opened")
    mutating func refused() throws {
        let note = note(7, "x").replacing("https://example.org/7", with: "matrix:r/x")
        let update =
            #"{"@type":"updateActiveNotifications","groups":[{"id":1,"notifications":[\#(note)]}]}"#
        _ = try receive(update)
        let act = EngineRequest.act(group: 1, notification: 7, action: "default")
        #expect(type(.enter) == [.send(act)] && view.message.contains("not allowed"))
        _ = try receive(#"{"@type":"bellwire.updateSource","link_schemes":["matrix"]}"#)
        #expect(type(.enter).count == 2)
    }

    @Test("The view ends, pauses and draws again; help goes away with any key")
    mutating func control() {
        #expect(type(.text("q")) == [.quit] && type(.control("c")) == [.quit])
        #expect(type(.control("z")) == [.pause] && type(.control("l")) == [.redraw])
        #expect(type(.text("?")) == [] && lines().contains { $0.contains("mute the chat") })
        #expect(type(.text("q")) == [] && view.mode == .list)
    }

    @Test("No size is too small", arguments: [1, 2, 3, 5, 12], [1, 2, 3, 7, 40])
    mutating func sizes(rows: Int, columns: Int) {
        for mode in 0..<5 {
            switch mode {
            case 1: view.mode = .help
            case 2: view.mode = .muting(chat: 10, title: "Ada")
            case 3: view.mode = .link("https://example.org")
            case 4:
                view.mode = .replying(group: 1, notification: 7, title: "日本語", LineEditor())
            default: view.mode = .list
            }
            let screen = view.screen(ScreenSize(rows: rows, columns: columns), now: Self.now)
            #expect(screen.rows.count == rows && screen.rows.allSatisfy { $0.count == columns })
        }
    }
}
