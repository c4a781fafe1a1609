import Foundation
import TestSupport
import Testing

@testable import bellwire

@Suite("bellwire import of other servers")
struct ForeignImportTests {
    private let fixture: ServeFixture
    private let server: ServerProcess
    private let now = Int(Date().timeIntervalSince1970)

    init() throws {
        fixture = try ServeFixture()
        server = try fixture.startInClear()
    }

    private func row(_ id: String, _ topic: String, _ text: String, _ age: Int) -> [String: String]
    {
        [
            "mid": "'\(id)'", "topic": "'\(topic)'", "message": "'\(text)'",
            "time": "\(now - age)", "published": age < 0 ? "0" : "1",
        ]
    }

    /// The configuration of an ntfy server, which names its files.
    private func ntfy(_ rows: [[String: String]]) throws -> String {
        let (cache, users) = (fixture.home.file("cache.db"), fixture.home.file("user.db"))
        let folder = fixture.home.file("attachments")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try ForeignFixture.database(cache, ForeignFixture.ntfyCache(15, rows))
        try ForeignFixture.database(users, ForeignFixture.ntfyUsers(9))
        let path = fixture.home.file("server.yml")
        try """
        cache-file: "\(cache)"
        auth-file: "\(users)"
        attachment-cache-dir: "\(folder)"
        auth-default-access: deny-all
        """.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private func run(_ words: String...) throws -> (code: Int32, [String: Any]) {
        let outcome = try fixture.run(["import"] + words + ["--json"])
        #expect(!outcome.output.isEmpty, "\(outcome.errors)")
        return (outcome.exitCode, try ServeFixture.object(outcome.output))
    }

    private func row(_ report: [String: Any], _ list: String, _ name: String) -> [String: Any] {
        let rows = report[list] as? [[String: Any]] ?? []
        return rows.first { $0["name"] as? String == name } ?? [:]
    }

    private func texts(_ topic: String) throws -> [String] {
        let lines = try fixture.run(["messages", topic, "--json", "--limit", "100"]).output
        return try lines.split(separator: "\n").map {
            try ServeFixture.object(String($0))["message"] as? String ?? ""
        }
    }

    private func status(_ words: String...) throws -> String {
        String(try fixture.curl(["-o", "/dev/null"] + words).suffix(3))
    }

    @Test("ntfy's topics, messages, files and tokens come, and nothing comes twice")
    func ntfy() throws {
        var file = row("FFFFFFFFFFFF", "home-1", "see it", 40)
        file["attachment_name"] = "'log.txt'"
        file["attachment_url"] = "'https://ntfy.example.org/file/FFFFFFFFFFFF.txt'"
        (file["attachment_size"], file["attachment_expires"]) = ("5", "\(now + 500)")
        var lost = file
        lost["mid"] = "'GGGGGGGGGGGG'"
        let path = try ntfy([
            row("zzzzzzzzzzz1", "home-1", "first", 60), row("zzzzzzzzzzz2", "home-1", "second", 50),
            file, lost, row("zzzzzzzzzzz3", "home-1", "due later", -600),
            row("zzzzzzzzzzz4", "home-1", "very old", 40 * 86_400),
            row("zzzzzzzzzzz5", "builds", "shared", 30),
        ])
        try Data("hello".utf8).write(
            to: URL(filePath: fixture.home.file("attachments/FFFFFFFFFFFF")))
        let trial = try run("ntfy", path, "--dry-run")
        #expect(trial.code == 3)
        #expect(row(trial.1, "topics", "home-1")["messages"] as? Int == 5)
        #expect(try fixture.run(["topic", "list"]).output.hasPrefix("no topics"))
        #expect(try fixture.run(["token", "list"]).output.hasPrefix("no tokens"))

        let taken = try run("ntfy", path)
        let home = row(taken.1, "topics", "home-1")
        #expect(home["messages"] as? Int == 4 && home["files"] as? Int == 1, "\(home)")
        #expect(home["lost_files"] as? Int == 1 && home["scheduled"] as? Int == 1)
        #expect(home["expired"] as? Int == 1)
        #expect(try texts("home-1") == ["first", "second", "see it", "see it"])
        #expect(row(taken.1, "not_taken", "builds")["kind"] as? String == "topic")
        let lines = try fixture.run(["messages", "home-1", "--json"]).output
        let message = try ServeFixture.object(String(lines.split(separator: "\n")[2]))
        let attachment = try #require(message["attachment"] as? [String: Any])
        #expect(attachment["name"] as? String == "log.txt")
        let link = try #require(attachment["url"] as? String)
        let name = try #require(link.split(separator: "/").last)
        #expect(try fixture.curl(["\(server.baseURL)/file/\(name)"]) == "hello 200")
        #expect(message["time"] as? Int == now - 40)

        let again = try run("ntfy", path)
        #expect(row(again.1, "topics", "home-1")["known"] as? Int == 4, "\(again.1)")
        #expect(try texts("home-1").count == 4)
        #expect(row(again.1, "tokens", "ann: laptop")["result"] as? String == "known")

        // The token works on, as far as it did; who was there goes on after the last message.
        let bearer = "Authorization: Bearer " + ForeignFixture.token("a")
        let topic = "\(server.baseURL)/home-1"
        #expect(try status("-H", bearer, "-d", "next", topic) == "200")
        #expect(try status("-H", bearer, "-d", "next", "\(server.baseURL)/other") == "403")
        #expect(
            try fixture.curl(["-H", bearer, "\(topic)/raw?poll=1&since=zzzzzzzzzzz2"])
                == "see it\nsee it\nnext\n 200")
        #expect(
            try status("-H", "Authorization: Bearer " + ForeignFixture.token("g"), "-d", "x", topic)
                == "401")
        let list = try fixture.run(["token", "list"]).output
        #expect(
            list.contains("ann: laptop") && list.contains("home-1") && list.contains("root"))
        #expect(!list.contains("*"))
        #expect(row(taken.1, "tokens", "ann: laptop")["former_topics"] as? String != nil)
        // What came counts as what was sent: 4 messages and 1 behind them.
        let owners = try fixture.run(["owner", "list"]).output
        #expect(owners.contains("5 messages kept"), "\(owners)")
        #expect(!(list + lines).contains("tk_"))
        #expect(server.end() == 0)
    }

    @Test(
        "What several users have goes to one of them; a topic is open, and later ones come, if asked"
    )
    func options() throws {
        let path = try ntfy([
            row("zzzzzzzzzzz1", "builds", "shared", 60), row("zzzzzzzzzzz2", "builds", "later", -2),
            row("zzzzzzzzzzz3", "builds", "much later", -600),
        ])
        let report = try run(
            "ntfy", path, "--user", "ann", "--open", "builds", "--scheduled"
        ).1
        #expect(row(report, "topics", "builds")["messages"] as? Int == 3, "\(report)")
        let made = row(report, "tokens", "bob")
        let token = try #require(made["token"] as? String)
        let topic = "\(server.baseURL)/builds"
        let reads = try fixture.curl([
            "-H", "Authorization: Bearer \(token)", "\(topic)/raw?poll=1",
        ])
        #expect(reads.hasPrefix("shared\n") && reads.hasSuffix("200"))
        let topics = try fixture.run(["topic", "list", "--json"]).output
        #expect(topics.components(separatedBy: #""open":true"#).count == 2, "\(topics)")
        let again = try run("ntfy", path, "--user", "ann", "--open", "builds", "--scheduled").1
        #expect(row(again, "tokens", "bob")["result"] as? String == "known")
        #expect(row(again, "topics", "builds")["known"] as? Int == 3)
        let deadline = Date(timeIntervalSinceNow: 20)
        while try texts("builds").count < 2, Date() < deadline { usleep(200_000) }
        #expect(try texts("builds") == ["shared", "later"])
        // It is open as long as its owner wants that, and the report says what is.
        #expect(row(again, "topics", "builds")["open"] as? Bool == true)
        #expect(try fixture.run(["topic", "add", "builds", "--private"]).exitCode == 0)
        let plain = try run("ntfy", path, "--user", "ann").1
        #expect(row(plain, "topics", "builds")["open"] as? Bool == false)
        let opened = try run("ntfy", path, "--user", "ann", "--open", "builds").1
        #expect(row(opened, "topics", "builds")["open"] as? Bool == true)
        #expect(
            try fixture.run(["topic", "list", "--json"]).output.contains(#""open":true"#))
        let wrong = try fixture.run(["import", "ntfy", path, "--user", "eve"])
        #expect(wrong.exitCode == 2 && wrong.errors.contains("there is no user eve"))
        #expect(server.end() == 0)
    }

    @Test("If there is no room for all topics, none is made")
    func noRoom() throws {
        let rows = (0...1_000).map { row("zzzzzzz\($0 + 10_000)", "home-\($0)", "text", 60) }
        let path = try ntfy(rows)
        for words in [["--dry-run"], []] {
            let outcome = try fixture.run(["import", "ntfy", path] + words)
            #expect(outcome.exitCode == 3, "\(outcome)")
            #expect(outcome.errors.contains("there is room for 1000 more topics"), "\(outcome)")
            #expect(try fixture.run(["topic", "list"]).output.hasPrefix("no topics"))
        }
        #expect(server.end() == 0)
    }

    @Test("Gotify's applications, messages and clients come, and its tools go on")
    func gotify() throws {
        let path = fixture.home.file("gotify.db")
        let date = ISO8601DateFormatter().string(
            from: Date(timeIntervalSince1970: Double(now - 60))
        )
        .replacingOccurrences(of: "T", with: " ").replacingOccurrences(of: "Z", with: "+00:00")
        try ForeignFixture.database(path, ForeignFixture.gotify(2, at: date))
        let report = try run("gotify", path)
        #expect(report.code == 0, "\(report.1)")
        #expect(row(report.1, "topics", "Backup-Server")["messages"] as? Int == 2)
        #expect(try texts("Backup-Server") == ["vzdump has failed", "fine again"])
        let (application, client) = ("A23456789012345", "C23456789012345")
        #expect(
            try status("\(server.baseURL)/message?token=\(application)", "-F", "message=new")
                == "200")
        let key = "X-Gotify-Key: \(client)"
        let listed = try fixture.curl(["-H", key, "\(server.baseURL)/message?limit=10"])
        #expect(listed.contains(#""title":"Backup","priority":8"#) && listed.contains(#""x":1"#))
        // Of the application, its priority where a message says none.
        #expect(listed.contains(#""title":"Backup Server","priority":4"#), "\(listed)")
        #expect(try run("gotify", path).1["topics"] != nil)
        #expect(try texts("Backup-Server").count == 3)
        #expect(server.end() == 0)
    }

    @Test("A server is asked over its API, with a secret from a file or standard input")
    func overAPI() throws {
        // Bellwire answers as ntfy and Gotify do.
        let other = try ServeFixture()
        let former = try other.startInClear()
        for text in ["one", "two"] {
            #expect(try other.curl(["-d", text, "\(former.baseURL)/builds"]).hasSuffix("200"))
        }
        let added = try ServeFixture.object(
            try other.run(["token", "add", "all", "--read", "--write", "--json"]).output)
        let token = try #require(added["token"] as? String)
        let secret = fixture.home.file("secret")
        try (token + "\n").write(toFile: secret, atomically: true, encoding: .utf8)
        let words = ["ntfy", former.baseURL, "--topic", "builds", "--token-file", secret]
        chmod(secret, 0o644)
        #expect(try fixture.run(["import"] + words).errors.contains("chmod 600"))
        chmod(secret, 0o600)
        let outcome = try fixture.run(["import"] + words)
        #expect(outcome.output.contains("topic  builds  taken: 2 messages"), "\(outcome)")
        // A proxy would see the secret, and must not get what stays on this machine.
        var proxied = fixture
        for name in ["http_proxy", "https_proxy", "all_proxy"] {
            proxied.environment[name] = "http://127.0.0.1:9"
        }
        #expect(try proxied.run(["import"] + words).output.contains("is there: 2 known"))
        #expect(!(outcome.output + outcome.errors).contains(token))
        #expect(try texts("builds") == ["one", "two"])
        #expect(try fixture.run(["import"] + words).output.contains("builds  is there: 2 known"))
        let gotify = try fixture.run([
            "import", "gotify", former.baseURL + "/gotify", "--token-file", secret, "--dry-run",
        ])
        #expect(gotify.output.contains("topic"), "\(gotify)")
        try "wrong\n".write(toFile: secret, atomically: true, encoding: .utf8)
        chmod(secret, 0o600)
        let refused = try fixture.run(["import"] + words)
        #expect(refused.exitCode == 3 && refused.errors.contains("does not take the secret"))
        let clear = ["import", "ntfy", "http://ntfy.example.org", "--token-file", secret]
        #expect(try fixture.run(clear).errors.contains("without TLS"))
        #expect(
            try fixture.run(["import", "ntfy", former.baseURL]).errors.contains("--token-file"))
        #expect(former.end() == 0)
        #expect(server.end() == 0)
    }
}
