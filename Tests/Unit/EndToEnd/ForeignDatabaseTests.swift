import Base
import Foundation
import SQLite
import TestSupport
import Testing
import Topics

@testable import bellwire

@Suite("Databases of other servers")
struct ForeignDatabaseTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func cache(_ version: Int, _ rows: [[String: String]]) throws -> NtfyDatabase {
        let path = folder.file("cache-\(UUID().uuidString).db")
        try ForeignFixture.database(path, ForeignFixture.ntfyCache(version, rows))
        return try NtfyDatabase(cache: path, users: nil, attachments: nil, now: 1_000)
    }

    private static let row = [
        "mid": "'AbCdEf012345'", "time": "500", "topic": "'builds'", "message": "'it''s green'",
        "title": "'Build'", "priority": "4", "tags": "'tada,x'", "encoding": "'base64'",
        "content_type": "'text/markdown'", "sequence_id": "'night'",
    ]

    private func object(_ message: ForeignMessage?) throws -> JSONNode {
        let text = try #require(message).json()
        return try JSONDocument(Array(text.utf8)).root
    }

    @Test("ntfy's messages are read from every version of its schema", arguments: 0...15)
    func versions(_ version: Int) throws {
        let database = try cache(version, [Self.row])
        let server = try database.survey()
        #expect(server.topics.map(\.name) == ["builds"])
        let found = try database.messages(of: try #require(server.topics.first))
        #expect(found.unreadable == 0 && found.messages.count == 1)
        let message = try object(found.messages.first)
        #expect(message["id"]?.text == "AbCdEf012345" && message["time"]?.integer == 500)
        #expect(message["message"]?.text == "it's green")
        #expect(message["title"]?.text == (version >= 1 ? "Build" : ""))
        #expect(
            message["tags"]?.elements.compactMap(\.text) == (version >= 1 ? ["tada", "x"] : []))
        #expect(message["encoding"]?.text == (version >= 4 ? "base64" : ""))
        #expect(message["content_type"]?.text == (version >= 12 ? "text/markdown" : ""))
        #expect(message["sequence_id"]?.text == (version >= 14 ? "night" : nil))
    }

    @Test("Messages come oldest first, without those that were deleted, and without events")
    func events() throws {
        func row(_ id: String, _ event: String, _ sequence: String = "") -> [String: String] {
            Self.row.merging([
                "mid": "'\(id)AAAAAAAAAAA'", "event": "'\(event)'", "sequence_id": "'\(sequence)'",
            ]) { $1 }
        }
        let database = try cache(
            15,
            [
                row("A", "message", "s"), row("B", "message"), row("C", "message_delete", "s"),
                row("D", "message", "s"), row("E", "message_clear", "s"),
                row("F", "message_delete", "BAAAAAAAAAAA"), row("G", "message"),
            ])
        let found = try database.messages(of: ForeignServer.Topic(key: "builds", name: "builds"))
        #expect(found.messages.map { $0.id.text.first } == ["D", "G"])
    }

    @Test("A row that holds something else costs itself alone")
    func wrongTypes() throws {
        let wrong: [[String: String]] = [
            ["mid": "x'00'"], ["mid": "'short'"], ["time": "'soon'"], ["message": "x'FF'"],
            ["message": "CAST(x'FF' AS TEXT)"], ["title": "zeroblob(5000000)"],
            ["priority": "x'01'"], ["event": "7.5"],
        ]
        let rows = wrong.map { Self.row.merging($0) { $1 } }
        let database = try cache(15, rows + [Self.row])
        let found = try database.messages(of: ForeignServer.Topic(key: "builds", name: "builds"))
        #expect(found.messages.count == 1)
        #expect(found.unreadable >= wrong.count - 1)
    }

    @Test("A file is opened and checked once for all of its topics")
    func once() throws {
        let path = folder.file("cache.db")
        let other = Self.row.merging(["topic": "'other'"]) { $1 }
        try ForeignFixture.database(path, ForeignFixture.ntfyCache(15, [Self.row, other]))
        let database = try NtfyDatabase(cache: path, users: nil, attachments: nil, now: 1_000)
        let topics = try database.survey().topics
        try FileManager.default.removeItem(atPath: path)
        #expect(try topics.map { try database.messages(of: $0).messages.count } == [1, 1])
    }

    @Test("Rows of users, rights, tokens and topics that cannot be read are named")
    func unreadableRows() throws {
        let (cache, users) = (folder.file("cache.db"), folder.file("user.db"))
        let odd = Self.row.merging(["topic": "x'FF'"]) { $1 }
        try ForeignFixture.database(cache, ForeignFixture.ntfyCache(15, [Self.row, odd]))
        func survey(_ statement: String) throws -> ForeignServer {
            try? FileManager.default.removeItem(atPath: users)
            try ForeignFixture.database(users, ForeignFixture.ntfyUsers(9) + [statement])
            return try NtfyDatabase(
                cache: cache, users: users, attachments: nil, usualRights: .usual, now: 1_000
            ).survey()
        }
        func words(_ server: ForeignServer) -> [String: String] {
            let rows = server.unreadable.filter { $0.count > 0 }
            return Dictionary(uniqueKeysWithValues: rows.map { ($0.table, $0.words) })
        }
        let messages = "row 2 cannot be read"
        let ann = try survey("UPDATE user_access SET read = 'x' WHERE topic = 'home-%'")
        #expect(
            words(ann) == ["messages": messages, "user_access": "row 2 cannot be read"])
        #expect(ann.users.map(\.hasUnreadableGrants) == [true, false, false])
        // What everybody may do is in doubt, too.
        #expect(ann.users[1].grants?.map(\.pattern.text) == ["builds"])
        let all = try survey("UPDATE user_access SET user_id = x'00' WHERE user_id = 'u_b'")
        #expect(all.users.allSatisfy { $0.hasUnreadableGrants })
        let long = try survey(
            "UPDATE user_access SET topic = zeroblob(5000000) WHERE user_id = 'u_g'")
        #expect(long.users.allSatisfy { $0.hasUnreadableGrants })
        let token = try survey("UPDATE user_token SET expires = 'x' WHERE label = 'old'")
        #expect(words(token) == ["messages": messages, "user_token": "row 3 cannot be read"])
        let user = try survey("UPDATE user SET user = x'00' WHERE id = 'u_b'")
        #expect(words(user) == ["messages": messages, "user": "row 4 cannot be read"])
        #expect(user.users.map(\.name) == ["ann", "root"])
    }

    private func refusal(_ path: String) -> String? {
        do {
            _ = try NtfyDatabase(cache: path, users: nil, attachments: nil, now: 0).survey()
            return nil
        } catch { return CommandError(error).message }
    }

    @Test("Topics whose names are too long together are refused")
    func longNames() throws {
        let path = folder.file("cache.db")
        let rows = (0..<17).map { number in
            Self.row.merging(["topic": "printf('%.*c', 4000000, 'a') || '\(number)'"]) { $1 }
        }
        try ForeignFixture.database(path, ForeignFixture.ntfyCache(15, rows))
        #expect(refusal(path)?.contains("has more in messages than can be taken") == true)
    }

    @Test("A file that is none, a cut one, a link and a folder are refused")
    func files() throws {
        let path = folder.file("cache.db")
        let long = Self.row.merging(["message": "'" + String(repeating: "a", count: 50_000) + "'"])
        {
            $1
        }
        try ForeignFixture.database(path, ForeignFixture.ntfyCache(15, [long, Self.row]))
        #expect(refusal(path) == nil)
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link.db"), withDestinationPath: path)
        #expect(refusal(folder.file("link.db")) != nil)
        #expect(refusal(folder.path) != nil && refusal(folder.file("none.db")) != nil)
        let whole = try Data(contentsOf: URL(filePath: path))
        for count in [100, 4_096, whole.count - 8_192] {
            try whole.prefix(count).write(to: URL(filePath: folder.file("cut.db")))
            #expect(refusal(folder.file("cut.db")) != nil, "\(count)")
        }
        try Data("not a database, and long enough for a header".utf8)
            .write(to: URL(filePath: folder.file("text.db")))
        #expect(refusal(folder.file("text.db"))?.contains("text.db") == true)
        #expect(mkfifo(folder.file("pipe.db"), 0o600) == 0)
        #expect(refusal(folder.file("pipe.db")) != nil)
    }

    @Test("A view, a generated column and a virtual table are not what a server made")
    func computed() throws {
        let views = [
            ["CREATE TABLE m (a)", "CREATE VIEW messages AS SELECT 1 AS id, 'x' AS topic FROM m"],
            [
                "CREATE TABLE m (a)",
                "CREATE VIEW messages AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
                    + "SELECT x AS id, 'x' AS topic FROM n",
                "CREATE TRIGGER t INSTEAD OF INSERT ON messages BEGIN DELETE FROM m; END",
            ],
            ["CREATE TABLE messages (id, topic AS (hex(zeroblob(100000000))))"],
            ["CREATE TABLE messages (rowid, topic)"],
            ["CREATE TABLE other (id, topic)"],
            ["CREATE VIRTUAL TABLE messages USING fts5(topic)"],
        ]
        for (number, statements) in views.enumerated() {
            let path = folder.file("\(number).db")
            try ForeignFixture.database(path, statements)
            #expect(refusal(path) != nil, "\(statements)")
        }
    }

    @Test("A file is not changed, nor anything beside it")
    func unchanged() throws {
        let path = folder.file("cache.db")
        try ForeignFixture.database(path, ForeignFixture.ntfyCache(15, [Self.row]))
        let before = try Data(contentsOf: URL(filePath: path))
        chmod(path, 0o400)
        #expect(refusal(path) == nil)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["cache.db"])
    }

    @Test("ntfy's users have their rights and tokens, but those who were deleted", arguments: 1...9)
    func users(_ version: Int) throws {
        let (cache, users) = (folder.file("cache.db"), folder.file("user-\(version).db"))
        if !FileManager.default.fileExists(atPath: cache) {
            try ForeignFixture.database(cache, ForeignFixture.ntfyCache(15, [Self.row]))
        }
        try ForeignFixture.database(users, ForeignFixture.ntfyUsers(version))
        let server = try NtfyDatabase(cache: cache, users: users, attachments: nil, now: 1_000)
            .survey()
        #expect(server.users.map(\.name) == ["ann", "bob", "root"])
        #expect(server.users.map(\.isAdministrator) == [false, false, true])
        let ann = server.users[0].grants ?? []
        #expect(Set(ann.map(\.pattern.text)).isSuperset(of: ["builds", "home-*"]))
        #expect(server.users[1].grants?.map(\.rights) == [.read])
        #expect(server.topics.map(\.name) == (version == 1 ? ["builds"] : ["builds", "quiet_one"]))
        #expect(
            Set(server.tokens.map(\.text))
                == (version == 1 ? [] : [ForeignFixture.token("a"), ForeignFixture.token("r")]))
    }

    @Test("Gotify's file is read, in both of its generations", arguments: [2, 3])
    func gotify(_ version: Int) throws {
        let path = folder.file("gotify.db")
        try ForeignFixture.database(
            path, ForeignFixture.gotify(version, at: "2026-11-21 18:05:09.25+01:00"))
        let database = try GotifyDatabase(path)
        let server = try database.survey()
        let topic = try #require(server.topics.first)
        #expect(topic.name == "Backup Server" && topic.user == "admin")
        #expect(topic.application?.priority == 4 && topic.application?.sortKey == "a0")
        #expect(Set(server.tokens.map(\.label)) == ["Backup Server", "phone"])
        let found = try database.messages(of: topic)
        #expect(
            found.unreadable == 0 && found.messages.map(\.time) == [1_795_280_709, 1_795_280_709])
        #expect(found.messages[0].id != found.messages[1].id)
        let message = try object(found.messages[0])
        #expect(
            message["message"]?.text == "vzdump has failed" && message["priority"]?.integer == 8)
        #expect(message["extras"]?["x"]?.integer == 1 && message["gotify"]?.bool == true)
        #expect(throws: CommandError.self) { try GotifyDatabase(folder.file("none")).survey() }
    }

    @Test("A server's configuration names its files")
    func configuration() {
        let configuration = NtfyConfiguration(
            """
            # cache-file: /no
            base-url: "https://ntfy.example.org"
            cache-file: "/var/cache/ntfy/cache.db"
            auth-file: /var/lib/ntfy/user.db  # users
              attachment-cache-dir: /no
            attachment-cache-dir: '/var/cache/ntfy/attachments'
            auth-default-access: "deny-all"
            """)
        #expect(configuration.cache == "/var/cache/ntfy/cache.db")
        #expect(configuration.users == "/var/lib/ntfy/user.db")
        #expect(configuration.attachments == "/var/cache/ntfy/attachments")
        #expect(configuration.usualRights == [])
        #expect(NtfyConfiguration("").usualRights == [.read, .write])
    }
}
