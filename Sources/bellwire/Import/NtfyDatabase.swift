import Base
import SQLite
import System
import Topics

/// What an ntfy server keeps in its files: messages in the one of its cache, and users with their
/// rights and tokens in another.
struct NtfyDatabase: ForeignSource {
    private let cache: String
    private let users: String?
    /// The folder with the files of messages.
    private let attachments: String?
    /// Nobody has a right that is not in the file of users, unless the server's configuration says so.
    private let usualRights: TopicRights
    private let now: Int64

    init(
        cache: String, users: String?, attachments: String?, usualRights: TopicRights = [],
        now: Int64
    ) {
        (self.cache, self.users, self.attachments) = (cache, users, attachments)
        (self.usualRights, self.now) = (usualRights, now)
    }

    /// A server has at most so many topics.
    private static let topicLimit = 100_000

    func survey() throws -> ForeignServer {
        var server = ForeignServer(product: "ntfy")
        let database = try ForeignDatabase(cache)
        guard try database.columns(of: "messages").contains("topic") else {
            throw ForeignDatabase.refusal(cache, "is no cache of an ntfy server")
        }
        var names = Set(
            try database.texts("SELECT DISTINCT topic FROM messages LIMIT \(Self.topicLimit)"))
        if let users {
            try NtfyUsers(users, usualRights, now: now).read(into: &server)
            // A topic without a message is known by the rights on it.
            for grant in server.users.flatMap({ $0.grants ?? [] }) {
                let text = grant.pattern.text
                if !text.contains("*"), !text.contains(",") { names.insert(text) }
            }
        }
        server.topics = names.sorted().map { ForeignServer.Topic(key: $0, name: $0) }
        return server
    }

    func messages(of topic: ForeignServer.Topic) throws -> ForeignMessages {
        let database = try ForeignDatabase(cache)
        let row = NtfyRow(try database.columns(of: "messages"))
        var found: [NtfyRow.Values] = []
        let unreadable = try database.forEach(
            "messages", row.values, where: "topic = ?1", [topic.key], newest: ForeignMessages.most
        ) { statement in
            guard let values = NtfyRow.Values(statement) else { return nil }
            found.append(values)
            return values.size
        }
        // What was deleted is not shown, and neither are events.
        var deleted: Set<String> = []
        var messages: [ForeignMessage] = []
        for values in found {
            switch values.event {
            case "message_delete": deleted.insert(values.sequence)
            case "message" where !deleted.contains(values.sequence):
                if let message = values.message { messages.append(message) }
            default: break
            }
        }
        return ForeignMessages(messages: messages.reversed(), unreadable: unreadable)
    }

    func file(_ name: String) throws -> [UInt8]? {
        guard let attachments, TopicMessageID(name) != nil else { return nil }
        do throws(SystemError) {
            let file = try LargeFile(attachments + "/" + name, followsLink: false)
            guard 1...Publication.uploadLimit ~= file.size else { return nil }
            return try file.read(at: 0, count: file.size)
        } catch {
            // The server removes files before their messages.
            return nil
        }
    }
}

/// What is read of a row of the table `messages`, whose columns came one after the other: its first
/// form had the id, the time, the topic and the text.
private struct NtfyRow {
    let values: [String]

    init(_ columns: Set<String>) {
        func column(_ name: String, else value: String) -> String {
            columns.contains(name) ? name : value
        }
        values = [
            column("mid", else: "id"), "time", "message", column("title", else: "''"),
            column("priority", else: "0"), column("tags", else: "''"),
            column("click", else: "''"), column("icon", else: "''"),
            column("actions", else: "''"), column("attachment_name", else: "''"),
            column("attachment_url", else: "''"), column("attachment_expires", else: "0"),
            column("content_type", else: "''"), column("encoding", else: "''"),
            column("sequence_id", else: "''"), column("event", else: "'message'"),
        ]
    }

    struct Values {
        let event: String
        let sequence: String
        let message: ForeignMessage?
        let size: Int

        /// Nil for a row that holds something else.
        init?(_ row: borrowing Statement) {
            guard let id = row.strictText(0).flatMap({ TopicMessageID($0) }),
                let time = row.strictInteger(1), let text = row.strictText(2),
                let title = row.strictText(3), let priority = row.strictInteger(4),
                let tags = row.strictText(5), let click = row.strictText(6),
                let icon = row.strictText(7), let actions = row.strictText(8),
                let fileName = row.strictText(9), let url = row.strictText(10),
                let fileEnd = row.strictInteger(11), let type = row.strictText(12),
                let encoding = row.strictText(13), let sequence = row.strictText(14),
                let event = row.strictText(15)
            else { return nil }
            size = text.utf8.count + title.utf8.count + actions.utf8.count + 1_024
            self.event = event
            self.sequence = sequence.isEmpty ? id.text : sequence
            // Readers are told this text of a message without one.
            let shown = text.isEmpty ? "triggered" : text
            guard event == "message" else {
                message = nil
                return
            }
            let isFile = fileEnd > 0
            message = ForeignMessage(id: id, time: time, file: isFile ? id.text : nil) { writer in
                writer.member("title", title)
                writer.member("message", shown)
                if 0...5 ~= priority { writer.member("priority", Int(priority)) }
                writer.member("click", click)
                writer.member("icon", icon)
                writer.name("tags")
                writer.array { writer in
                    for tag in tags.split(separator: ",") { writer.string(String(tag)) }
                }
                if !actions.isEmpty,
                    let list = try? JSONDocument(Array(actions.utf8)).root,
                    !list.isTooNested
                {
                    writer.member("actions", json: JSONText.anew(list))
                }
                if !fileName.isEmpty {
                    writer.name("attachment")
                    writer.object { writer in
                        writer.member("name", fileName)
                        if !isFile { writer.member("url", url) }
                    }
                }
                writer.member("content_type", type)
                writer.member("encoding", encoding)
                if !sequence.isEmpty { writer.member("sequence_id", sequence) }
            }
        }
    }
}

/// The file with users. Before version 2 of its schema they had names and no tokens.
private struct NtfyUsers {
    private let path: String
    private let usualRights: TopicRights
    private let now: Int64
    private static let userLimit = 100_000

    init(_ path: String, _ usualRights: TopicRights, now: Int64) {
        (self.path, self.usualRights, self.now) = (path, usualRights, now)
    }

    func read(into server: inout ForeignServer) throws {
        let database = try ForeignDatabase(path)
        let columns = try database.columns(of: "user")
        guard columns.isSuperset(of: ["user", "pass", "role"]) else {
            throw ForeignDatabase.refusal(path, "has no users of an ntfy server")
        }
        let isFirst = !columns.contains("id")
        var users: [String: ForeignServer.User] = [:]
        let deleted = columns.contains("deleted") ? "deleted IS NOT NULL" : "0"
        _ = try database.forEach(
            "user", [isFirst ? "user" : "id", "user", "role", deleted], newest: Self.userLimit
        ) { row in
            guard let id = row.strictText(0), let name = row.strictText(1),
                let role = row.strictText(2)
            else { return nil }
            // Everybody is a user, too, whose rights nobody gets by a token.
            guard row.integer(3) == 0, role == "user" || role == "admin", !name.isEmpty else {
                return 0
            }
            users[id] = ForeignServer.User(name: name, isAdministrator: role == "admin")
            return 0
        }
        try readGrants(database, isFirst, &users)
        if !isFirst { try readTokens(database, users, &server) }
        server.users = users.values.sorted { $0.name < $1.name }
    }

    private func readGrants(
        _ database: borrowing ForeignDatabase, _ isFirst: Bool,
        _ users: inout [String: ForeignServer.User]
    ) throws {
        let table = isFirst ? "access" : "user_access"
        guard try database.columns(of: table).contains("topic") else { return }
        // What everybody has is each user's, unless somebody took a part of it away again.
        var usual = usualRights
        _ = try database.forEach(
            table, [isFirst ? "user" : "user_id", "topic", "read", "write"], newest: Self.userLimit
        ) { row in
            guard let id = row.strictText(0), let topic = row.strictText(1),
                let reads = row.strictInteger(2), let writes = row.strictInteger(3)
            else { return nil }
            var rights: TopicRights = []
            if reads != 0 { rights.insert(.read) }
            if writes != 0 { rights.insert(.write) }
            // A pattern of SQL, in which `\\_` is the character.
            let text = topic.replacing("\\_", with: "_").replacing("%", with: "*")
            guard let pattern = TopicPattern(text) else { return nil }
            if users[id] == nil, !rights.isSuperset(of: usual) { usual = [] }
            users[id]?.grants?.append(ForeignServer.Grant(pattern: pattern, rights: rights))
            return 0
        }
        guard !usual.isEmpty, let all = TopicPattern("*") else { return }
        for id in users.keys {
            users[id]?.grants?.append(ForeignServer.Grant(pattern: all, rights: usual))
        }
    }

    private func readTokens(
        _ database: borrowing ForeignDatabase, _ users: [String: ForeignServer.User],
        _ server: inout ForeignServer
    ) throws {
        guard try database.columns(of: "user_token").contains("token") else { return }
        var tokens: [ForeignServer.Token] = []
        _ = try database.forEach(
            "user_token", ["user_id", "token", "label", "expires"], newest: Self.userLimit
        ) { row in
            guard let id = row.strictText(0), let text = row.strictText(1),
                let label = row.strictText(2), let end = row.strictInteger(3)
            else { return nil }
            // What has ended is of no use.
            guard let user = users[id], end == 0 || end > now else { return 0 }
            tokens.append(
                ForeignServer.Token(
                    text: text, user: user.name, label: label, end: end == 0 ? nil : end))
            return 0
        }
        server.tokens = tokens
    }
}
