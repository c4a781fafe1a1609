import Base
import SQLite
import Topics

/// The file with users. Before version 2 of its schema they had names and no tokens.
struct NtfyUsers {
    private let path: String
    private let usualRights: TopicRights
    private let now: Int64

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
        let unreadable = try database.forAll(
            "user", [isFirst ? "user" : "id", "user", "role", deleted]
        ) { row in
            guard let id = row.strictText(0), let name = row.strictText(1),
                let role = row.strictText(2)
            else { return nil }
            // Everybody is a user, too, whose rights nobody gets by a token.
            guard row.integer(3) == 0, role == "user" || role == "admin", !name.isEmpty else {
                return 0
            }
            users[id] = ForeignServer.User(name: name, isAdministrator: role == "admin")
            return id.utf8.count + name.utf8.count
        }
        server.unreadable.append(unreadable)
        let grants = try readGrants(database, isFirst, &users)
        server.unreadable.append(grants)
        if !isFirst { try readTokens(database, users, &server) }
        server.users = users.values.sorted { $0.name < $1.name }
    }

    private func readGrants(
        _ database: ForeignDatabase, _ isFirst: Bool, _ users: inout [String: ForeignServer.User]
    ) throws -> UnreadableRows {
        let table = isFirst ? "access" : "user_access"
        guard try database.columns(of: table).contains("topic") else {
            return UnreadableRows(table)
        }
        // What everybody has is each user's, unless somebody took a part of it away again.
        var usual = usualRights
        var known = 0
        let unreadable = try database.forAll(
            table, [isFirst ? "user" : "user_id", "topic", "read", "write"]
        ) { row in
            guard let id = row.strictText(0) else { return nil }
            guard let topic = row.strictText(1), let reads = row.strictInteger(2),
                let writes = row.strictInteger(3)
            else {
                users[id]?.hasUnreadableGrants = true
                known += 1
                return nil
            }
            var rights: TopicRights = []
            if reads != 0 { rights.insert(.read) }
            if writes != 0 { rights.insert(.write) }
            guard let grant = ForeignServer.Grant(sql: topic, rights: rights) else {
                users[id]?.hasUnreadableGrants = true
                known += 1
                return nil
            }
            if users[id] == nil, !rights.isSuperset(of: usual) { usual = [] }
            users[id]?.grants?.append(grant)
            return id.utf8.count + topic.utf8.count
        }
        // It may take from everybody, or from whomever it concerns.
        if unreadable.count > 0 { usual = [] }
        let areAllConcerned = unreadable.count > known
        for id in users.keys {
            if areAllConcerned { users[id]?.hasUnreadableGrants = true }
            guard !usual.isEmpty, let all = ForeignServer.Grant(usual: usual) else { continue }
            users[id]?.grants?.append(all)
        }
        return unreadable
    }

    private func readTokens(
        _ database: ForeignDatabase, _ users: [String: ForeignServer.User],
        _ server: inout ForeignServer
    ) throws {
        guard try database.columns(of: "user_token").contains("token") else { return }
        var tokens: [ForeignServer.Token] = []
        let unreadable = try database.forAll(
            "user_token", ["user_id", "token", "label", "expires"]
        ) { row in
            guard let id = row.strictText(0), let text = row.strictText(1),
                let label = row.strictText(2), let end = row.strictInteger(3)
            else { return nil }
            // What has ended is of no use.
            guard let user = users[id], end == 0 || end > now else { return 0 }
            tokens.append(
                ForeignServer.Token(
                    text: text, user: user.name, label: label, end: end == 0 ? nil : end))
            return text.utf8.count + label.utf8.count
        }
        server.unreadable.append(unreadable)
        server.tokens = tokens
    }
}
