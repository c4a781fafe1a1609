import Testing
@testable import Notifications

@Suite("Payloads of other kinds")
struct OtherDialectTests {
    private func messages(
        _ json: String, _ dialect: Dialect, level: TrustLevel = .webpush
    ) -> [IncomingMessage] {
        let context = DialectContext(level: level)
        return dialect.events(Array(json.utf8), context).compactMap {
            if case .message(let message) = $0 { message } else { nil }
        }
    }

    @Test(
        "ZPNs: the sender's own name is found wherever it travels",
        arguments: [
            #"{"aps":{"alert":"a","mutable-content":1},"payload":"{\"customId\":\"1\"}"}"#,
            #"{"aps":{"alert":"a","mutable-content":"1"},"payload":{"customId":1}}"#,
            #"{"aps":{"alert":{"title":"t","subtitle":"s","body":"a"},"mutable-content":1},"customId":"1"}"#,
        ])
    func customID(json: String) {
        let message = messages(json, .zpns).first
        #expect(message?.name == "zpns:1" && message?.replacement == .inPlace)
        #expect(message?.content.text == "a")
        #expect(message?.presentation?.title == (json.contains("title") ? "t – s" : ""))
    }

    @Test(
        "ZPNs: without mutable-content, or with a broken payload, the push is shown as it is",
        arguments: [
            #"{"aps":{"alert":"a"},"payload":"{\"customId\":\"1\"}"}"#,
            #"{"aps":{"alert":"a","mutable-content":0},"payload":"{\"customId\":\"1\"}"}"#,
            #"{"aps":{"alert":"a","mutable-content":1},"payload":"{"}"#,
            #"{"aps":{"alert":"a","mutable-content":1}}"#,
            #"{"aps":{"alert":"a","mutable-content":1},"payload":"{\"x\":1}"}"#,
        ])
    func unchanged(json: String) {
        let message = messages(json, .zpns).first
        #expect(message?.content.text == "a")
        #expect(message?.replacement == .beside || message?.name == "")
    }

    @Test("Declarative: everything it says about itself")
    func declarative() throws {
        let json = """
            {"web_push": 8030, "notification": {"title": "T", "body": "b", "lang": "de", \
            "dir": "rtl", "tag": "x", "silent": true, "navigate": "https://a/", \
            "actions": [{"action": "r", "title": "Reply", "navigate": "https://b/"}], \
            "app_badge": "3", "mutable": true}}
            """
        let message = messages(json, .declarative).first
        #expect(message?.name == "web:x" && message?.replacement == .inPlace)
        #expect(message?.isSilent == true)
        var expected = Presentation(title: "T", body: "b")
        (expected.language, expected.direction, expected.link) = ("de", "rtl", "https://a/")
        expected.actions = [.init(name: "r", label: "Reply", link: "https://b/")]
        expected.data = #"{"navigate":"https://a/"}"#
        #expect(message?.presentation == expected)
        let events = Dialect.declarative.events(Array(json.utf8), DialectContext())
        #expect(events.first == .badge(unread: 3, missedCalls: nil))
        #expect(events.last == .fetchRequired(reason: "mutable", details: []))
        #expect(messages(json, .declarative, level: .clear).first?.presentation?.actions == [])
        var trusted = DialectContext(level: .clear)
        trusted.isTrusted = true
        let shown = DeclarativeDialect.events(Array(json.utf8), trusted)
        #expect(shown.contains(.message(try #require(message))))
    }

    @Test("Only https links are accepted", arguments: ["file:///etc", "javascript:1", "http://a"])
    func links(link: String) {
        let json = #"{"web_push":8030,"notification":{"title":"T","navigate":"\#(link)"}}"#
        #expect(messages(json, .declarative).first?.presentation?.link == "")
    }

    @Test("Plain: text as it is, and the members that scripts send")
    func plain() {
        #expect(messages("hello", .plain).first?.content.text == "hello")
        let json = """
            {"title": "T", "message": "m", "priority": 5, "tags": ["a"], "click": "https://c", \
            "icon": "https://i", "topic": "door"}
            """
        let message = messages(json, .plain).first
        #expect(message?.chat == .conversation("plain:door") && message?.content.text == "m")
        #expect(message?.presentation?.isCritical == true)
        #expect(message?.presentation?.tags == ["a"])
        for low in ["1", #""1""#, #""min""#] {
            let json = #"{"message":"m","priority":\#(low)}"#
            #expect(messages(json, .plain).first?.isSilent == true)
        }
        #expect(messages(#"{"x":1}"#, .plain).first?.content.text == #"{"x":1}"#)
    }

    @Test("An icon is embedded in the payload or only a name; it is never fetched")
    func icons() {
        for (icon, expected) in [
            ("https://i", "https://i"), ("data:image/png;base64,AA", "data:image/png;base64,AA"),
            ("data:image/jpeg;base64,AA", "data:image/jpeg;base64,AA"), ("http://i", ""),
            ("data:image/svg+xml;base64,AA", ""), ("data:text/html,x", ""), ("file:///x", ""),
        ] {
            let plain = messages(#"{"message":"m","icon":"\#(icon)"}"#, .plain)
            #expect(plain.first?.presentation?.icon == expected)
            let json = #"{"web_push":8030,"notification":{"title":"T","icon":"\#(icon)"}}"#
            #expect(messages(json, .declarative).first?.presentation?.icon == expected)
        }
    }

    @Test("What a dialect does not understand is shown as text", arguments: Dialect.allCases)
    func notUnderstood(dialect: Dialect) {
        guard dialect != .telegram else { return }
        #expect(messages("¡hola!", dialect).first?.content.text == "¡hola!")
    }

    @Test(
        "The dialect of an unknown source is detected",
        arguments: [
            (#"{"web_push":8030,"notification":{"title":"x"}}"#, Dialect.declarative),
            (#"{"notification":{}}"#, .matrix), (#"{"loc_key":"X"}"#, .telegram),
            (#"{"data":{"loc_key":"X"}}"#, .telegram), (#"{"p":"x"}"#, .telegram),
            (#"{"aps":{},"payload":"x"}"#, .zpns), (#"{"aps":{"alert":"x"}}"#, .zpns),
            (#"{"aps":{"alert":{"loc-key":"IM2"}},"payload":"x"}"#, .icq),
            (#"{"Aps":{"alert":{"Loc-Key":"AR2"}}}"#, .icq), ("hi", .plain),
            (#"{"message":"x"}"#, .plain),
        ])
    func automatic(json: String, dialect: Dialect) {
        #expect(AutomaticDialect.dialect(of: Array(json.utf8)) == dialect)
    }

    @Test("A client may submit a payload of a named or an unknown dialect")
    func processPush() throws {
        var account = Account()
        account.options = [OptionName.groupCountMax: .integer(5)]
        let none = HostedEngine.Cryptography(secret: { _ in nil }, open: { _, _ in nil })
        var hosted = HostedEngine(account, cryptography: none, templates: .english, now: 1)
        let matrix = #"{\"notification\":{\"event_id\":\"$ID\",\"content\":{\"body\":\"b\"}}}"#
        func answer(_ id: Int, _ dialect: String) -> String {
            let payload = matrix.replacing("ID", with: "\(id)")
            let request =
                #"{"@type":"bellwire.processPush","payload":"\#(payload)"\#(dialect)}"#
            return String(decoding: hosted.answer(Array(request.utf8), now: 2), as: UTF8.self)
        }
        for (id, dialect) in ["", #","dialect":"auto""#, #","dialect":"matrix""#].enumerated() {
            #expect(answer(id, dialect) == #"{"@type":"ok"}"#)
        }
        #expect(answer(3, #","dialect":"plain""#) == #"{"@type":"ok"}"#)
        #expect(
            answer(4, #","dialect":"x""#)
                == #"{"@type":"error","code":400,"message":"Dialect is unknown"}"#)
        let groups = hosted.engine.activeGroups
        #expect(groups.map(\.totalCount).sorted() == [1, 3], "one of them as it is written")
    }

    @Test("In clear Telegram's service keys do nothing")
    func clear() {
        for key in ["DC_UPDATE", "GEO_LIVE_PENDING", "READ_HISTORY"] {
            let json =
                #"{"loc_key":"\#(key)","custom":{"dc":2,"addr":"1.2.3.4:443","from_id":1,"max_id":5}}"#
            let events = Dialect.telegram.events(
                Array(json.utf8), DialectContext(level: .clear))
            #expect(events == [.ignored])
        }
    }

    @Test("Deep and huge payloads are shown as text or refused", arguments: Dialect.allCases)
    func bounded(dialect: Dialect) {
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        let wide =
            Array("{".utf8) + Array(repeatElement(Array(#""a":1,"#.utf8), count: 50_000).joined())
        for payload in [deep, wide] {
            #expect(dialect.events(payload, DialectContext()).count <= 2)
        }
    }
}
