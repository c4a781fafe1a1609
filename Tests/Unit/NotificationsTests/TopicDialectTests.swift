import Base
import Testing

@testable import Notifications

@Suite("What this server writes of a topic's messages")
struct TopicDialectTests {
    private static let json = """
        {"message":"**m**","title":"t","markdown":true,"click":"https://c/","actions":[\
        {"action":"a","title":"Look","kind":"view","navigate":"https://h/"},\
        {"action":"b","title":"Unlock","kind":"http","url":"https://l/","method":"PUT",\
        "headers":{"A":"1","B":"2"},"body":"x","inside":true,"clear":true},\
        {"action":"c","title":"Code","kind":"copy","value":"4711"},\
        {"action":"d","title":"?","kind":"start"},{"title":"no name"}]}
        """

    private func look(
        _ dialect: Dialect, _ level: TrustLevel = .clear, isTrusted: Bool = true
    ) -> Presentation? {
        var context = DialectContext(level: level)
        context.isTrusted = isTrusted
        guard case .message(let message)? = dialect.events(Array(Self.json.utf8), context).first
        else { return nil }
        return message.presentation
    }

    @Test("It has Markdown, and buttons that do more than to tell an application")
    func all() throws {
        let look = try #require(self.look(.topic))
        #expect(look.isMarkdown && look.body == "**m**" && look.link == "https://c/")
        #expect(look.actions.map(\.kind) == [.view, .http, .copy])
        let http = look.actions[1]
        #expect(http.link == "https://l/" && http.method == "PUT" && http.body == "x")
        #expect(http.fields == [.init("A", "1"), .init("B", "2")])
        #expect(http.mayStayInside && http.clears && look.actions[2].value == "4711")
        #expect(!look.data.contains("4711") && !look.data.contains("actions"))
        #expect(self.look(.topic, isTrusted: false)?.actions.isEmpty == true)
    }

    @Test("A payload of somebody else never has such a button", arguments: Dialect.allCases)
    func others(dialect: Dialect) {
        guard dialect != .topic else { return }
        for level in [TrustLevel.clear, .webpush, .mtproto] {
            let kinds = look(dialect, level)?.actions.map(\.kind) ?? []
            #expect(kinds.allSatisfy { $0 == .own })
            #expect(look(dialect, level)?.isMarkdown != true)
        }
        #expect(dialect.reader(of: Array(Self.json.utf8)) != .topic)
    }

    @Test("Nobody can name this dialect")
    func unnamed() {
        #expect(Dialect(word: "topic") == nil && Dialect(app: "topic") == nil)
        #expect(AutomaticDialect.dialect(of: Array(Self.json.utf8)) != .topic)
    }

    @Test("Clients of the engine read what it has, and the store keeps it")
    func roundTrip() throws {
        let look = try #require(self.look(.topic))
        #expect(Presentation.decoded(look.coded) == look)
        var writer = JSONWriter()
        writer.array { writer in
            for var action in look.actions { writer.object { $0.fields { action.fields(&$0) } } }
        }
        let node = try JSONDocument(writer.bytes).root
        #expect(Presentation.Action.list(node) == look.actions)
        // A client that knows links alone does not open the address of a request.
        #expect(node.elements.map { $0.has("navigate") } == [true, false, false])
    }

    @Test("Only what an application has to hear of is told to the engine")
    func told() throws {
        var account = Account()
        account.policy = .learn
        account.options = [
            OptionName.groupCountMax: .integer(3), OptionName.groupSizeMax: .integer(2),
        ]
        var engine = Engine(account)
        engine.start(now: 1)
        _ = engine.process(
            payload: Array(Self.json.utf8), dialect: .topic, level: .clear, isTrusted: true, now: 2)
        let group = try #require(engine.activeGroups.first)
        let id = try #require(group.notifications.first?.id)
        let request = """
            {"@type":"bellwire.invokeNotificationAction","notification_group_id":\(group.id),
            "notification_id":\(id),"action":"b"}
            """
        let outcome = engine.handle(try JSONDocument(Array(request.utf8)).root, now: 3)
        #expect(outcome != .ok)
    }
}
