import Base
import Crypto
import SQLite
import System
import Topics
import WebPush

/// What a Gotify server keeps in its file, if that is one of SQLite.
struct GotifyDatabase: ForeignSource {
    private let database: ForeignDatabase

    init(_ path: String) throws { database = try ForeignDatabase(path) }

    func survey() throws -> ForeignServer {
        var server = ForeignServer(product: "Gotify")
        var names: [Int64: String] = [:]
        guard try database.columns(of: "users").isSuperset(of: ["id", "name", "admin"]),
            try database.columns(of: "clients").isSuperset(of: ["token", "name", "user_id"])
        else { throw isNone }
        let unreadable = try database.forAll("users", ["id", "name"]) { row in
            guard let id = row.strictInteger(0), let name = row.strictText(1) else { return nil }
            names[id] = name
            return name.utf8.count
        }
        server.unreadable.append(unreadable)
        server.users = names.values.sorted().map { ForeignServer.User(name: $0, grants: nil) }
        let applications = try readApplications(names, &server)
        server.unreadable.append(applications)
        // The oldest first, as Gotify lists them.
        server.topics.reverse()
        var tokens: [ForeignServer.Token] = []
        let clients = try database.forAll("clients", ["user_id", "token", "name"]) { row in
            guard let user = row.strictInteger(0).flatMap({ names[$0] }),
                let text = row.strictText(1), let name = row.strictText(2)
            else { return nil }
            tokens.append(ForeignServer.Token(text: text, user: user, label: name))
            return text.utf8.count + name.utf8.count
        }
        server.tokens += tokens
        server.unreadable.append(clients)
        return server
    }

    private var isNone: CommandError {
        ForeignDatabase.refusal(database.path, "is no database of a Gotify server")
    }

    private func readApplications(
        _ names: [Int64: String], _ server: inout ForeignServer
    ) throws -> UnreadableRows {
        let columns = try database.columns(of: "applications")
        guard columns.isSuperset(of: ["id", "token", "user_id", "name"]) else { throw isNone }
        func column(_ name: String, else value: String) -> String {
            columns.contains(name) ? name : value
        }
        let values = [
            "user_id", "id", "name", "token", column("description", else: "''"),
            column("default_priority", else: "0"), column("sort_key", else: "''"),
        ]
        return try database.forAll("applications", values) { row in
            guard let user = row.strictInteger(0).flatMap({ names[$0] }),
                let id = row.strictInteger(1), let name = row.strictText(2),
                let token = row.strictText(3)
            else { return nil }
            let application = ApplicationDetails {
                $0.name = name
                $0.description = row.strictText(4) ?? ""
                $0.priority = Int(row.strictInteger(5) ?? 0)
                // The column has bytes, not text.
                $0.sortKey = String(validating: row.bytes(6), as: UTF8.self) ?? ""
            }
            server.topics.append(
                ForeignServer.Topic(
                    key: "\(id)", name: name, user: user, application: application))
            server.tokens.append(
                ForeignServer.Token(text: token, user: user, label: name, topic: "\(id)"))
            return name.utf8.count + token.utf8.count + application.description.utf8.count
                + application.sortKey.utf8.count
        }
    }

    func messages(of topic: ForeignServer.Topic) throws -> ForeignMessages {
        let columns = try database.columns(of: "messages")
        let extras = columns.contains("extras") ? "extras" : "NULL"
        var messages: [ForeignMessage] = []
        let unreadable = try database.forEach(
            "messages", ["id", "message", "title", "priority", "date", extras],
            where: "application_id = CAST(?1 AS INTEGER)", [topic.key],
            newest: ForeignMessages.most
        ) { row in
            guard let number = row.strictInteger(0), let text = row.strictText(1),
                let date = row.strictText(4)
            else { return nil }
            let post = GotifyPost(
                number: number, text: text, title: row.strictText(2) ?? "",
                priority: row.strictInteger(3) ?? 0, date: date,
                extras: row.isNull(5) ? nil : try? JSONDocument(row.bytes(5)).root)
            guard let message = post.message(of: topic) else { return nil }
            messages.append(message)
            return text.utf8.count + row.bytes(5).count + 1_024
        }
        return ForeignMessages(messages: messages.reversed(), unreadable: unreadable.count)
    }

    /// Messages of Gotify have no files.
    func file(_ name: String) throws -> [UInt8]? { nil }
}

/// A message as Gotify has it.
struct GotifyPost: Confidential {
    let number: Int64
    let text: String
    let title: String
    let priority: Int64
    /// With a blank or a `T` between day and hour.
    let date: String
    let extras: JSONNode?

    /// Nil for a date that is none.
    func message(of topic: ForeignServer.Topic) -> ForeignMessage? {
        guard let time = CivilTime.milliseconds(rfc3339: date.replacing(" ", with: "T")),
            let id = try? Self.id(topic.key, number, time)
        else { return nil }
        return ForeignMessage(id: id, time: time / 1_000) { [self] writer in
            writer.member("gotify", true)
            writer.member("message", text)
            writer.member("title", title)
            writer.member("priority", Int(priority))
            if let extras, extras.kind == .object, !extras.isTooNested {
                writer.member("extras", json: JSONText.anew(extras))
            }
        }
    }

    /// Gotify counts its messages. The same one always has the same id here.
    private static func id(
        _ application: String, _ number: Int64, _ time: Int64
    ) throws(OpenSSLError) -> TopicMessageID {
        var hash = try SHA256()
        let place = Array("gotify \(application) \(number) \(time)".utf8)
        return TopicMessageID(number: Digest(try hash.digest(of: place.span)).words.0)
    }
}
