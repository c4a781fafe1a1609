import Base
import SQLite
import System
import Topics

/// What an ntfy server keeps in its files: messages in the one of its cache, and users with their
/// rights and tokens in another.
struct NtfyDatabase: ForeignSource {
    private let cache: ForeignDatabase
    private let users: String?
    /// The folder with the files of messages.
    private let attachments: String?
    /// Nobody has a right that is not in the file of users, unless the server's configuration says so.
    private let usualRights: TopicRights
    private let now: Int64

    init(
        cache: String, users: String?, attachments: String?, usualRights: TopicRights = [],
        now: Int64
    ) throws {
        self.cache = try ForeignDatabase(cache)
        (self.users, self.attachments) = (users, attachments)
        (self.usualRights, self.now) = (usualRights, now)
    }

    /// A server has at most so many topics.
    private static let topicLimit = 100_000

    func survey() throws -> ForeignServer {
        var server = ForeignServer(product: "ntfy")
        guard try cache.columns(of: "messages").contains("topic") else {
            throw ForeignDatabase.refusal(cache.path, "is no cache of an ntfy server")
        }
        let found = try cache.texts("topic", of: "messages", limit: Self.topicLimit)
        server.unreadable.append(found.unreadable)
        var names = Set(found.texts)
        if let users {
            try NtfyUsers(users, usualRights, now: now).read(into: &server)
            // A topic without a message is known by the rights on it.
            for grant in server.users.flatMap({ $0.grants ?? [] }) {
                let text = grant.pattern.text
                if !text.contains("*") { names.insert(text) }
            }
        }
        server.topics = names.sorted().map { ForeignServer.Topic(key: $0, name: $0) }
        return server
    }

    func messages(of topic: ForeignServer.Topic) throws -> ForeignMessages {
        let row = NtfyRow(try cache.columns(of: "messages"))
        var found: [NtfyRow.Values] = []
        let unreadable = try cache.forEach(
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
        return ForeignMessages(messages: messages.reversed(), unreadable: unreadable.count)
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
