import Base
import Terminal
import Testing
import WebPush

@testable import bellwire

@Suite("The terminal view of bellwire top")
struct TopViewTests {
    private static let context = ViewContext(
        language: .english,
        localTime: { seconds in
            let minutes = seconds / 60 % 1_440
            let hour = minutes / 60
            let minute = minutes % 60
            return "2027-01-15 \(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
        })

    private static let whole = """
        {"version":"0.1.0","address":"https://push.example","now":90000,"began":500,"usable":true,
        "administrator":true,"owner":"local","counts":{"accepted":10,"delivered":8,"refused":2},
        "durations":{"bounds":[0.0005,0.001,0.25],"counts":[0,60,99,100]},
        "waiting":{"messages":3,"bytes":2560},"user_agents":2,
        "devices":[{"id":1,"name":"desk\\u001b[2J","owner":"me","created":7,"connected":true},
        {"id":2,"name":"日本","created":8,"connected":false,"last_seen":86400}],
        "registrations":[{"id":"r1","app":"telegram","account":"me","waiting":3,"paused":true,
        "last_delivery":3600,"expires":90000},
        {"id":"r2","app":"script","account":"builds","waiting":0,"unheard":true}],
        "errors":[{"errno":104,"status":413,"count":2,"message":"too large","advice":"send less"}],
        "events":[{"time":61000,"kind":"accepted","subject":"telegram/me"},
        {"time":3661000,"kind":"delivered","subject":"telegram/me","detail":"to desk"}]}
        """

    private static func report(_ text: String) throws -> Overview {
        Overview(shown: try JSONDocument(Array(text.utf8)).root)
    }

    private var view: TopView

    init() throws { view = TopView(try Self.report(Self.whole), Self.context, at: 10) }

    private mutating func lines(_ rows: Int = 14, _ columns: Int = 70) -> [String] {
        view.screen(ScreenSize(rows: rows, columns: columns), now: 90_000).lines
    }

    @Test("The state of the server stands above the tables")
    mutating func above() throws {
        let lines = lines(14, 80)
        #expect(lines[0].hasPrefix(" bellwire 0.1.0 https://push.example"))
        #expect(lines[0].hasSuffix("up 1 d 0 h"))
        #expect(lines[2] == " accepted 10  delivered 8  refused 2")
        #expect(
            lines[3] == " waiting 3 (2.5 KiB)  clients 2  half within 1 ms  99 % within 250 ms")
        #expect(lines[4] == " 1 registrations (2)  2 devices (2)  3 errors (1)  4 events (2)")
    }

    @Test("Keys choose the table")
    mutating func tables() {
        #expect(lines()[6].hasPrefix(" telegram/me  paused     01:00"))
        #expect(lines()[7].hasPrefix(" builds       no screen"))
        #expect(lines()[12] == " r1")
        _ = view.typed(.tab)
        #expect(lines()[6].contains(#"desk\u{1b}[2J"#) && lines()[7].hasPrefix(" 日本"))
        _ = view.typed(.text("3"))
        #expect(lines()[6].hasPrefix(" 104") && lines()[12] == " advice: send less")
        _ = view.typed(.right)
        // The newest event comes first.
        #expect(lines()[6].hasPrefix(" 01:01:01  delivered  telegram/me  to desk"))
        #expect(lines()[7].hasPrefix(" 00:01:01  accepted"))
        #expect(view.typed(.down) == [] && view.list.selected == 1)
        _ = view.typed(.right)
        #expect(view.table == .registrations)
        _ = view.typed(.backTab)
        #expect(view.table == .events && view.list.selected == 0)
        #expect(view.typed(.text("?")) == [] && lines().contains { $0.contains("the next table") })
        #expect(view.typed(.text("q")) == [] && view.typed(.text("q")) == [.quit])
        #expect(view.typed(.control("z")) == [.pause] && view.typed(.control("l")) == [.redraw])
    }

    @Test("The rate comes from differences, and a server that began anew counts anew")
    mutating func rates() throws {
        func report(_ began: Int, _ accepted: Int) throws -> Overview {
            try Self.report(#"{"began":\#(began),"counts":{"accepted":\#(accepted)}}"#)
        }
        #expect(view.rates.current == nil)
        view.received(try report(500, 30), at: 12)
        #expect(view.rates.current == 10 && lines()[1].hasPrefix(" 10 pushes/s  █"))
        view.received(try report(900, 40), at: 13)
        #expect(view.rates.values == [10])
        view.received(try report(900, 41), at: 13)
        view.received(try report(900, 41), at: 15)
        #expect(view.rates.values == [10, 0])
    }

    @Test("A server that is away is waited for, and shows what it said last")
    mutating func away() throws {
        view.missed(nil)
        #expect(lines()[0].hasSuffix("the server is away; waiting for it"))
        #expect(lines()[2].contains("accepted 10"))
        view.missed("not allowed")
        #expect(lines()[0].hasSuffix("the server refused: not allowed"))
        view.received(try Self.report(Self.whole), at: 20)
        #expect(lines()[0].hasSuffix("up 1 d 0 h"))
    }

    @Test(
        "What the server does not tell does no harm",
        arguments: [
            "{}", #"{"counts":7,"durations":{},"waiting":[],"devices":{},"events":[1,{}]}"#,
            #"{"usable":false,"registrations":[{}],"devices":[{}],"errors":[{}],"now":-5,"began":1e400}"#,
            #"{"durations":{"bounds":[1],"counts":[0]},"now":1.5,"began":0.25}"#,
        ])
    mutating func missing(text: String) throws {
        view = TopView(try Self.report(text), Self.context, at: 10)
        for table in 1...4 {
            _ = view.typed(.text(String(table)))
            #expect(lines().count == 14)
        }
        _ = OverviewText(report: view.report, context: Self.context).plain(now: 0)
    }

    @Test("No size is too small", arguments: [1, 2, 5, 7, 8], [1, 2, 5, 20])
    mutating func sizes(rows: Int, columns: Int) {
        for key in ["1", "2", "3", "4", "?"] {
            _ = view.typed(.text(key))
            let screen = view.screen(ScreenSize(rows: rows, columns: columns), now: 0)
            #expect(screen.rows.count == rows && screen.rows.allSatisfy { $0.count == columns })
        }
    }

    @Test("As plain text, everything comes once, without escapes")
    func plain() throws {
        let text = OverviewText(report: try Self.report(Self.whole), context: Self.context)
            .plain(now: 90_000)
        #expect(text.hasPrefix("bellwire 0.1.0 https://push.example  up 1 d 0 h\naccepted 10"))
        for part in [
            "\nregistrations\n", "telegram/me", #"desk\u{1b}[2J"#, "too large", "01:01:01",
        ] {
            #expect(text.contains(part))
        }
        #expect(!text.contains("\u{1B}"))
    }
}
