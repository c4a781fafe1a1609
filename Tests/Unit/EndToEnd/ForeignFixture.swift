import Foundation
import SQLite
import TestSupport

/// Databases as other servers make them, in several versions of their schemas.
enum ForeignFixture {
    static func database(_ path: String, _ statements: [String]) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        let connection = try Connection(path, .draft)
        for statement in statements { try connection.execute(statement) }
    }

    static func literal(_ text: String) -> String {
        "'" + text.replacingOccurrences(of: "'", with: "''") + "'"
    }

    /// The tables and rows of ntfy's cache. Each row has the columns that its version lacks left out.
    static func ntfyCache(_ version: Int, _ rows: [[String: String]]) -> [String] {
        var columns: [(name: String, type: String, value: String)] = [
            ("time", "INT NOT NULL", "0"), ("topic", "TEXT NOT NULL", "''"),
            ("message", "TEXT NOT NULL", "''"),
        ]
        func add(_ names: [String], _ type: String, _ value: String, since first: Int) {
            guard version >= first else { return }
            columns += names.map { ($0, type + " NOT NULL DEFAULT(\(value))", value) }
        }
        add(["title", "tags"], "TEXT", "''", since: 1)
        add(["priority"], "INT", "0", since: 1)
        add(["published"], "INT", "1", since: 2)
        add(
            ["click", "attachment_name", "attachment_type", "attachment_url"], "TEXT", "''",
            since: 3)
        add(["attachment_size", "attachment_expires"], "INT", "0", since: 3)
        add([version < 7 ? "attachment_owner" : "sender"], "TEXT", "''", since: 3)
        add(["encoding"], "TEXT", "''", since: 4)
        add(["actions"], "TEXT", "''", since: 6)
        add(["icon"], "TEXT", "''", since: 8)
        add(["user"], "TEXT", "''", since: 10)
        add(["attachment_deleted", "expires"], "INT", "0", since: 10)
        add(["content_type"], "TEXT", "''", since: 12)
        add(["sequence_id"], "TEXT", "''", since: 14)
        add(["event"], "TEXT", "'message'", since: 14)
        let key =
            version < 5
            ? "id VARCHAR(20) PRIMARY KEY"
            : "id INTEGER PRIMARY KEY AUTOINCREMENT, mid TEXT NOT NULL"
        let list = ([key] + columns.map { "\($0.name) \($0.type)" }).joined(separator: ", ")
        var statements = [
            "CREATE TABLE messages (\(list))",
            "CREATE TABLE schemaVersion (id INT PRIMARY KEY, version INT NOT NULL)",
            "INSERT INTO schemaVersion VALUES (1, \(version))",
        ]
        if version >= 5 { statements.append("CREATE INDEX idx_mid ON messages (mid)") }
        if version >= 13 { statements.append("CREATE INDEX idx_topic ON messages (topic)") }
        if version >= 11 {
            statements.append("CREATE TABLE stats (key TEXT PRIMARY KEY, value INT)")
        }
        let known = Set(columns.map(\.name))
        for row in rows {
            var values = row.filter { known.contains($0.key) }
            values[version < 5 ? "id" : "mid"] = row["mid"]
            let names = values.keys.sorted()
            statements.append(
                "INSERT INTO messages (\(names.joined(separator: ", "))) VALUES ("
                    + names.map { values[$0] ?? "''" }.joined(separator: ", ") + ")")
        }
        return statements
    }

    /// ntfy's users: Ann may do everything with builds and home-*, Bob reads builds, and the
    /// administrator may do everything. Before version 2 there were no tokens.
    static func ntfyUsers(_ version: Int) -> [String] {
        guard version >= 2 else {
            return [
                "CREATE TABLE user (user TEXT NOT NULL PRIMARY KEY, pass TEXT NOT NULL, role TEXT NOT NULL)",
                "CREATE TABLE access (user TEXT NOT NULL, topic TEXT NOT NULL, read INT NOT NULL, "
                    + "write INT NOT NULL, PRIMARY KEY (topic, user))",
                "INSERT INTO user VALUES ('root', 'x', 'admin'), ('ann', 'x', 'user'), ('bob', 'x', 'user')",
                "INSERT INTO access VALUES ('ann', 'builds', 1, 1), ('ann', 'home-%', 1, 1), "
                    + "('bob', 'builds', 1, 0)",
            ]
        }
        let provisioned = version >= 6 ? ", provisioned INT NOT NULL DEFAULT 0" : ""
        return [
            "CREATE TABLE user (id TEXT PRIMARY KEY, tier_id TEXT, user TEXT NOT NULL, pass TEXT NOT "
                + "NULL, role TEXT CHECK (role IN ('anonymous', 'admin', 'user')) NOT NULL, prefs JSON "
                + "NOT NULL DEFAULT '{}', sync_topic TEXT NOT NULL, created INT NOT NULL, deleted INT"
                + "\(provisioned))",
            "CREATE TABLE user_access (user_id TEXT NOT NULL, topic TEXT NOT NULL, read INT NOT NULL, "
                + "write INT NOT NULL, owner_user_id INT\(provisioned), PRIMARY KEY (user_id, topic))",
            "CREATE TABLE user_token (user_id TEXT NOT NULL, token TEXT NOT NULL, label TEXT NOT NULL, "
                + "last_access INT NOT NULL, last_origin TEXT NOT NULL, expires INT NOT NULL\(provisioned)"
                + ", PRIMARY KEY (user_id, token))",
            "INSERT INTO user (id, user, pass, role, sync_topic, created, deleted) VALUES "
                + "('u_everyone', '*', '', 'anonymous', '', 1, NULL), ('u_r', 'root', 'x', 'admin', "
                + "'st_abcdefghijklm', 1, NULL), ('u_a', 'ann', 'x', 'user', '', 1, NULL), ('u_b', 'bob', "
                + "'x', 'user', '', 1, NULL), ('u_g', 'gone', 'x', 'user', '', 1, 5)",
            "INSERT INTO user_access (user_id, topic, read, write) VALUES ('u_a', 'builds', 1, 1), "
                + "('u_a', 'home-%', 1, 1), ('u_b', 'builds', 1, 0), ('u_g', 'builds', 1, 1), "
                + "('u_a', 'quiet\(version >= 5 ? "\\" : "")_one', 1, 1)",
            "INSERT INTO user_token (user_id, token, label, last_access, last_origin, expires) VALUES "
                + "('u_a', '\(token("a"))', 'laptop', 1, '', 0), ('u_r', '\(token("r"))', '', 1, '', "
                + "4102444800), ('u_a', '\(token("o"))', 'old', 1, '', 5), ('u_g', '\(token("g"))', '', 1, "
                + "'', 0)",
        ]
    }

    static func token(_ letter: String) -> String {
        "tk_" + String(repeating: letter, count: 29)
    }

    /// Gotify's file. Its third version has a few more columns, and no tokens that can be taken.
    static func gotify(_ version: Int, at date: String) -> [String] {
        let (application, client) =
            version == 2
            ? ("A23456789012345".prefix(15), "C23456789012345".prefix(15))
            : ("gtfya.key", "gtfyc.key")
        let more = version == 2 ? "" : ", created_at datetime"
        return [
            "CREATE TABLE users (id integer PRIMARY KEY AUTOINCREMENT, name varchar(180), pass blob, "
                + "admin bool\(more))",
            "CREATE TABLE applications (id integer PRIMARY KEY AUTOINCREMENT, token varchar(180), "
                + "user_id integer, name text, description text, internal bool, image text, "
                + "default_priority integer, last_used datetime, sort_key bytes\(more))",
            "CREATE TABLE messages (id integer PRIMARY KEY AUTOINCREMENT, application_id integer, "
                + "message text, title text, priority integer, extras blob, date datetime)",
            "CREATE TABLE clients (id integer PRIMARY KEY AUTOINCREMENT, token varchar(180), "
                + "user_id integer, name text, last_used datetime\(more))",
            "INSERT INTO users (id, name, pass, admin) VALUES (1, 'admin', x'00', 1)",
            "INSERT INTO applications (id, token, user_id, name, description, internal, image, "
                + "default_priority, sort_key) VALUES (1, '\(application)', 1, 'Backup Server', "
                + "'all of them', 0, '', 4, CAST('a0' AS BLOB))",
            "INSERT INTO clients (id, token, user_id, name) VALUES (1, '\(client)', 1, 'phone')",
            "INSERT INTO messages (application_id, message, title, priority, extras, date) VALUES "
                + "(1, 'vzdump has failed', 'Backup', 8, CAST('{\"x\":1}' AS BLOB), '\(date)'), "
                + "(1, 'fine again', '', 2, NULL, '\(date)')",
        ]
    }
}
