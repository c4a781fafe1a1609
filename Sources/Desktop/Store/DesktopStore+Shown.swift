import Base
import Crypto
import Notifications
import SQLite

/// What is on the screen.
extension DesktopStore: ShownStore {
    package func history() throws -> ShownHistory {
        var history = ShownHistory()
        let select = try Statement(
            """
            SELECT source, of_group, notification, place, may_sound, server_id, server_owner,
            server_start, sealed_request FROM shown ORDER BY source, of_group, notification
            """, on: connection)
        while try select.step() {
            if let record = record(select) { history.records.append(record) }
        }
        try forgetOldGroups()
        let highest = try Statement(
            "SELECT source, of_group, notification FROM shown_highest", on: connection)
        while try highest.step() {
            let group = Int32(clamping: highest.integer(1))
            history.highest[highest.text(0), default: [:]][group] =
                Int32(clamping: highest.integer(2))
        }
        return history
    }

    package func tag(of source: String) throws -> String {
        var hash = try SHA256()
        let name = Array(source.utf8)
        let code = try tagKey.withSpan { key throws(OpenSSLError) in
            Digest(try hash.hmac(key: key, name.span))
        }
        return String(code.words.0, radix: 16)
    }

    private func record(_ row: borrowing Statement) -> ShownRecord? {
        guard let place = ShownRecord.Place(rawValue: row.text(3)) else { return nil }
        let key = ShownKey(
            row.text(0), Int32(clamping: row.integer(1)), Int32(clamping: row.integer(2)))
        let server =
            row.isNull(6)
            ? nil
            : ServerIdentity(
                owner: row.text(6), processStart: UInt64(bitPattern: row.integer(7)))
        var record = ShownRecord(
            key: key, place: place, maySound: row.integer(4) != 0,
            serverID: UInt32(clamping: row.integer(5)), server: server)
        if !row.isNull(8), let json = open(row.bytes(8), Self.requestPlace(key)) {
            record.request = EngineRequest(
                action: json, group: key.group, notification: key.notification)
        }
        return record
    }

    /// Drops those groups of each source that had no news for the longest time.
    private func forgetOldGroups() throws(SQLiteError) {
        let delete = try Statement(
            """
            DELETE FROM shown_highest WHERE (source, of_group) IN (SELECT source, of_group FROM
            (SELECT source, of_group, row_number() OVER
            (PARTITION BY source ORDER BY notification DESC) AS place FROM shown_highest)
            WHERE place > ?1)
            """, on: connection)
        try delete.bind(Int64(ShownHistory.groupLimit), at: 1)
        try delete.run()
    }

    package func commit(kept: [ShownRecord], forgotten: [ShownKey]) throws {
        try connection.transaction { () throws(SQLiteError) in
            try forget(forgotten)
            try keep(kept)
        }
    }

    package func forgetHighest(of source: String) throws {
        try run("DELETE FROM shown_highest WHERE source = ?1") { statement throws(SQLiteError) in
            try statement.bind(text: source, at: 1)
        }
    }

    private func forget(_ keys: [ShownKey]) throws(SQLiteError) {
        guard !keys.isEmpty else { return }
        let delete = try Statement(
            "DELETE FROM shown WHERE source = ?1 AND of_group = ?2 AND notification = ?3",
            on: connection)
        for key in keys {
            try bind(key, to: delete)
            try delete.run()
        }
    }

    private func keep(_ records: [ShownRecord]) throws(SQLiteError) {
        guard !records.isEmpty else { return }
        let insert = try Statement(
            "INSERT OR REPLACE INTO shown VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            on: connection)
        let raise = try Statement(
            """
            INSERT INTO shown_highest VALUES (?1, ?2, ?3) ON CONFLICT (source, of_group)
            DO UPDATE SET notification = max(notification, excluded.notification)
            """, on: connection)
        for record in records {
            try bind(record, to: insert)
            try insert.run()
            try bind(record.key, to: raise)
            try raise.run()
        }
    }

    private func bind(
        _ key: ShownKey, to statement: borrowing Statement
    ) throws(SQLiteError) {
        try statement.bind(text: key.source, at: 1)
        try statement.bind(Int64(key.group), at: 2)
        try statement.bind(Int64(key.notification), at: 3)
    }

    private func bind(
        _ record: ShownRecord, to insert: borrowing Statement
    ) throws(SQLiteError) {
        try bind(record.key, to: insert)
        try insert.bind(text: record.place.rawValue, at: 4)
        try insert.bind(record.maySound ? 1 : 0, at: 5)
        try insert.bind(Int64(record.serverID), at: 6)
        if let server = record.server {
            try insert.bind(text: server.owner, at: 7)
        } else {
            try insert.bind(nil as Int64?, at: 7)
        }
        try insert.bind(Int64(bitPattern: record.server?.processStart ?? 0), at: 8)
        try insert.bind(sealedRequest(of: record), at: 9)
    }

    /// It contains the user's text. If it cannot be sealed, the rest of the record is still stored.
    private func sealedRequest(of record: ShownRecord) -> [UInt8]? {
        guard let request = record.request else { return nil }
        return try? seal(Array(request.json.utf8), Self.requestPlace(record.key))
    }

    private static func requestPlace(_ key: ShownKey) -> Sealer.Place {
        let row = Int64(key.group) << 32 | Int64(key.notification)
        return Sealer.Place(table: "shown", row: row, column: "sealed_request")
    }
}
