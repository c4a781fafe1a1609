import Base
import Testing
import Topics

@testable import bellwire

@Suite("What is taken of another server")
struct ImportPlanTests {
    private func grant(_ pattern: String, _ rights: TopicRights) throws -> ForeignServer.Grant {
        try grant(sql: pattern.replacing("_", with: "\\_").replacing("*", with: "%"), rights)
    }

    private func grant(
        sql: String, _ rights: TopicRights
    ) throws -> ForeignServer.Grant {
        try #require(ForeignServer.Grant(sql: sql, rights: rights))
    }

    private func ntfy(_ topics: [String]) throws -> ForeignServer {
        var server = ForeignServer(product: "ntfy")
        server.topics = topics.map { ForeignServer.Topic(key: $0, name: $0) }
        server.users = [
            ForeignServer.User(
                name: "ann", grants: [try grant("builds", .usual), try grant("home-*", .usual)]),
            ForeignServer.User(name: "bob", grants: [try grant("builds", .read)]),
            ForeignServer.User(name: "root", isAdministrator: true),
        ]
        server.tokens = [
            token("a", of: "ann", "laptop"), token("b", of: "bob"), token("r", of: "root"),
        ]
        return server
    }

    private func token(
        _ letter: String, of user: String, _ label: String = ""
    ) -> ForeignServer.Token {
        ForeignServer.Token(text: ForeignFixture.token(letter), user: user, label: label)
    }

    private func scopes(_ plan: ImportPlan) -> [String: String] {
        let pairs = plan.tokens.map { token in
            (token.name, "\(token.rights.rawValue) " + (token.pattern?.text ?? "-"))
        }
        return Dictionary(pairs) { $1 }
    }

    private func reasons(_ plan: ImportPlan) -> [String: String] {
        Dictionary(plan.refusals.map { ($0.name, $0.reason) }) { $0 + ", " + $1 }
    }

    @Test("A token opens what is taken of what it opened, and names of several users stay out")
    func rights() throws {
        let plan = try ImportPlan(try ntfy(["builds", "home-1", "alone"]), ImportPlan.Wish())
        #expect(plan.topics.map(\.name.text) == ["home-1", "alone"])
        #expect(reasons(plan)["builds"]?.contains("--user") == true)
        #expect(scopes(plan) == ["ann: laptop": "3 home-1", "root": "3 home-1,alone"])
        #expect(plan.tokens.map(\.former) == ["builds,home-*", "*"])
        #expect(reasons(plan)["bob"]?.contains("no rights on what is taken") == true)
        #expect(plan.topics.allSatisfy { !$0.isOpen })
    }

    @Test("Only the new owner's own tokens may open more than what is taken")
    func wider() throws {
        let names = (0..<40).map { "home-\($0)-with-a-long-name" }
        let server = try ntfy(names)
        let all = try ImportPlan(server, ImportPlan.Wish())
        #expect(all.topics.count == 40 && all.tokens.isEmpty)
        #expect(reasons(all)["ann: laptop"]?.contains("--user") == true)
        let root = try ImportPlan(server, ImportPlan.Wish(user: "root"))
        #expect(scopes(root) == ["root": "3 *"])
        #expect(root.tokens.allSatisfy { $0.isWider && $0.former == nil })
    }

    @Test("Rights that cannot be read give none, and the rows are named")
    func unreadable() throws {
        var server = try ntfy(["home-1"])
        server.users[0].hasUnreadableGrants = true
        server.unreadable = [UnreadableRows("user_token"), UnreadableRows("user_access")]
        for number in 1...12 { server.unreadable[1].add(Int64(number)) }
        let plan = try ImportPlan(server, ImportPlan.Wish())
        #expect(scopes(plan) == ["root": "3 home-1"])
        #expect(reasons(plan)["ann: laptop"]?.contains("can be read") == true)
        #expect(plan.refusals.count { $0.kind == .table } == 1)
        #expect(
            reasons(plan)["user_access"]
                == "rows 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 others cannot be read")
    }

    @Test("A name of several users goes to the one that is named, with tokens for the others")
    func shared() throws {
        var server = try ntfy(["builds", "home-1", "alone"])
        let ann = try ImportPlan(server, ImportPlan.Wish(user: "ann"))
        #expect(ann.topics.map(\.name.text) == ["builds", "home-1"])
        #expect(reasons(ann)["alone"] == "it is not ann's")
        #expect(
            scopes(ann)["bob"] == "1 builds" && scopes(ann)["ann: laptop"] == "3 builds,home-1")
        // An administrator of the other server becomes none here.
        #expect(reasons(ann)["root"] != nil && scopes(ann)["root"] == nil)
        server.tokens.removeAll { $0.user == "bob" }
        let made = try #require(
            try ImportPlan(server, ImportPlan.Wish(user: "ann")).tokens.first { $0.user == "bob" })
        #expect(made.text == nil && made.pattern?.text == "builds" && made.rights == .read)
        let root = try ImportPlan(server, ImportPlan.Wish(user: "root"))
        #expect(root.topics.count == 3)
        #expect(throws: CommandError.self) { try ImportPlan(server, ImportPlan.Wish(user: "eve")) }
    }

    @Test("A token whose rights no pattern can say is not taken")
    func unsaid() throws {
        let long = (0..<100).map { "a-long-name-of-a-topic-\($0)" }
        var server = try ntfy(["aa", "bb"] + long)
        let many = try long.map { try grant($0, .usual) }
        for grants in [[try grant("aa", .read), try grant("bb", .usual)], many, []] {
            server.users[0].grants = grants
            let plan = try ImportPlan(server, ImportPlan.Wish())
            #expect(scopes(plan)["ann: laptop"] == nil && reasons(plan)["ann: laptop"] != nil)
        }
        // What is taken away stays out.
        server.users[0].grants = [
            try grant("*", .usual), try grant("a-*", []), try grant("bb", []),
        ]
        #expect(scopes(try ImportPlan(server, ImportPlan.Wish()))["ann: laptop"] == "3 aa")
        server.users[0].grants = nil
        #expect(reasons(try ImportPlan(server, ImportPlan.Wish()))["ann: laptop"] != nil)
    }

    @Test(
        "Of rights that cover a topic, the one counts that counts for ntfy",
        arguments: [
            // Small and capital letters are one.
            ("SecretPlan", [("%", .usual), ("secret%", [])], []),
            ("secretplan", [("%", .usual), ("SECRET%", [])], []),
            // The backslashes count in the length.
            ("a__bcd", [("a\\_\\_%", []), ("a__bcd", .usual)], .usual),
            ("a__bc", [("a\\_\\_%", []), ("a%_bc", .usual)], []),
            // Before version 5 of the schema an underline was not escaped.
            ("secrets", [("%", .usual), ("secret_", [])], []),
            ("secret", [("%", .usual), ("secret_", [])], .usual),
            ("a-b", [("a\\_b", .usual)], []),
            // Of one length, the one that allows to write.
            ("ab", [("a%", .read), ("%b", .write)], .write),
            ("ab", [("a%", .usual), ("%b", .write)], .write),
            ("ab", [("a%", .read), ("%b", [])], []),
        ] as [(String, [(String, TopicRights)], TopicRights)])
    func ranks(name: String, grants: [(String, TopicRights)], rights: TopicRights) throws {
        let topic = try #require(TopicName(name))
        var list = try grants.map { try grant(sql: $0, $1) }
        #expect(list.rights(on: topic) == rights)
        list.reverse()
        #expect(list.rights(on: topic) == rights)
        var server = try ntfy([name])
        server.users = [ForeignServer.User(name: "ann", grants: list)]
        let plan = try ImportPlan(server, ImportPlan.Wish())
        #expect(plan.tokens.first?.rights ?? [] == rights)
    }

    @Test("What everybody may do counts behind all that was said of a user")
    func usualRank() throws {
        let topic = try #require(TopicName("ab"))
        let usual = try #require(ForeignServer.Grant(usual: .usual))
        #expect([usual].rights(on: topic) == .usual)
        #expect([try grant(sql: "%", .read), usual].rights(on: topic) == .read)
        for sql in ["a,b", "a\\", "", "ä", "a\\%"] {
            #expect(ForeignServer.Grant(sql: sql, rights: .usual) == nil, "\(sql)")
        }
    }

    @Test("Who was denied a topic does not become its owner")
    func denied() throws {
        var server = try ntfy(["SecretPlan", "open"])
        server.users = [
            ForeignServer.User(
                name: "ann", grants: [try grant(sql: "%", .usual), try grant(sql: "secret%", [])])
        ]
        let plan = try ImportPlan(server, ImportPlan.Wish(user: "ann"))
        #expect(plan.topics.map(\.name.text) == ["open"])
        #expect(scopes(plan)["ann: laptop"] == "3 open")
    }

    @Test("More topics and rights than can be held against each other are refused")
    func tooMany() throws {
        var server = try ntfy((0..<5_000).map { "t\($0)" })
        let one = try grant("other", .usual)
        server.users[1].grants = Array(repeating: one, count: 2_001)
        let error = #expect(throws: CommandError.self) {
            try ImportPlan(server, ImportPlan.Wish())
        }
        #expect(error?.message == "5000 topics and 2003 rights on them are more than can be taken")
    }

    @Test("Only a topic that is named is open, and names that mean something else stay out")
    func names() throws {
        let server = try ntfy([
            "home-1", "v1", "upAbCdEf012345", "s_secret", "st_abcdefghijklm", "a b",
        ])
        let plan = try ImportPlan(server, ImportPlan.Wish(open: ["home-1"]))
        #expect(plan.topics.map(\.name.text) == ["home-1"] && plan.topics[0].isOpen)
        #expect(plan.refusals.count { $0.kind == .topic } == 5)
        #expect(throws: CommandError.self) {
            try ImportPlan(server, ImportPlan.Wish(open: ["other"]))
        }
    }

    @Test("Who had only a password is named")
    func passwords() throws {
        var server = try ntfy([])
        server.tokens = []
        let plan = try ImportPlan(server, ImportPlan.Wish())
        #expect(plan.refusals.map(\.kind) == [.user, .user, .user] && plan.tokens.isEmpty)
    }

    private func gotify(_ applications: [(name: String, user: String)]) -> ForeignServer {
        var server = ForeignServer(product: "Gotify")
        for (number, application) in applications.enumerated() {
            if !server.users.contains(where: { $0.name == application.user }) {
                server.users.append(ForeignServer.User(name: application.user, grants: nil))
                server.tokens.append(
                    ForeignServer.Token(
                        text: "C0000000000000" + application.user.prefix(1),
                        user: application.user, label: "phone"))
            }
            server.topics.append(
                ForeignServer.Topic(
                    key: "\(number)", name: application.name, user: application.user,
                    application: .init { $0.name = application.name }))
            server.tokens.append(
                ForeignServer.Token(
                    text: "A0000000000000\(number)", user: application.user,
                    label: application.name, topic: "\(number)"))
        }
        return server
    }

    @Test("Applications get names for addresses, and their tokens push to them alone")
    func applications() throws {
        let server = gotify([("Backup Server", "ann"), ("Backup/Server", "ann"), ("ü", "ann")])
        let plan = try ImportPlan(server, ImportPlan.Wish())
        #expect(plan.topics.map(\.name.text) == ["Backup-Server", "Backup-Server-2", "topic"])
        let application = try #require(plan.tokens.first { $0.name == "ann: Backup/Server" })
        #expect(application.topic?.text == "Backup-Server-2" && application.rights == .write)
        let client = try #require(plan.tokens.first { $0.form == .client })
        #expect(client.pattern?.text == "Backup-Server,Backup-Server-2,topic")
        #expect(client.rights == [.read, .end])
    }

    @Test("Any number of applications may have one name", .timeLimit(.minutes(1)))
    func sameNames() throws {
        let count = 5_000
        var server = gotify((0..<count).map { ($0 % 2 == 0 ? "nas" : "n/as", "ann") })
        server.tokens = []
        let names = try ImportPlan(server, ImportPlan.Wish()).topics.map(\.name.text)
        #expect(Set(names).count == count)
        #expect(names.contains("nas-2500") && names.contains("n-as-2500"))
    }

    @Test("Of several users of Gotify, each client reads its own, and equal names are not taken")
    func severalUsers() throws {
        let server = gotify([("nas", "ann"), ("nas", "bob"), ("tv", "bob")])
        let all = try ImportPlan(server, ImportPlan.Wish())
        #expect(all.topics.map(\.name.text) == ["tv"])
        #expect(all.tokens.filter { $0.form == .client }.map(\.pattern?.text) == ["tv"])
        let ann = try ImportPlan(server, ImportPlan.Wish(user: "ann"))
        #expect(ann.topics.map(\.source.key) == ["0"])
        #expect(ann.tokens.map(\.user) == ["ann", "ann"])
    }

    @Test("A token of Gotify 3 is a key, and is not taken")
    func keys() throws {
        var server = gotify([("nas", "ann")])
        server.tokens = [
            ForeignServer.Token(text: "gtfya.abc", user: "ann", label: "nas", topic: "0"),
            ForeignServer.Token(text: "", user: "ann", label: "phone"),
            ForeignServer.Token(text: "Awrong", user: "ann", label: "x", topic: "0"),
        ]
        let plan = try ImportPlan(server, ImportPlan.Wish())
        #expect(plan.tokens.isEmpty && plan.refusals.map(\.kind) == [.token, .token, .token])
        #expect("\(plan)" == "<ImportPlan>" && "\(server.tokens[0])" == "<Token>")
    }
}
