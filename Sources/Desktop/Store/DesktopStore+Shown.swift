import Base
import Crypto
import Notifications
import SQLite

/// What is on the screen. The records survive a crash of the process; a crash of the machine clears
/// the screen as well.
extension DesktopStore {
    func history() throws -> ShownHistory {
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

    /// The same text for a source whenever it is asked, which nobody else can compute from its name.
    func tag(of source: String) throws -> String {
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
            record.press = ButtonPress(stored: json)
        }
        return record
    }

    /// Drops those groups of each source that had no news for the longest time.
    private func forgetOldGroups() throws(SQLiteError) {
        try run(
            """
            DELETE FROM shown_highest WHERE (source, of_group) IN (SELECT source, of_group FROM
            (SELECT source, of_group, row_number() OVER
            (PARTITION BY source ORDER BY notification DESC) AS place FROM shown_highest)
            WHERE place > ?1)
            """, .integer(Int64(ShownHistory.groupLimit)))
    }

    /// Stores everything in one transaction. Each record replaces the one with its key, and raises
    /// `highest`.
    func commit(kept: [ShownRecord], forgotten: [ShownKey]) throws {
        try connection.transaction { () throws(SQLiteError) in
            try forget(forgotten)
            try keep(kept)
        }
    }

    /// The next notification of the source may have any id.
    func forgetHighest(of source: String) throws {
        try run("DELETE FROM shown_highest WHERE source = ?1", .text(source))
    }

    private func forget(_ keys: [ShownKey]) throws(SQLiteError) {
        for key in keys {
            try run(
                "DELETE FROM shown WHERE source = ?1 AND of_group = ?2 AND notification = ?3",
                .text(key.source), .integer(Int64(key.group)), .integer(Int64(key.notification)))
        }
    }

    private func keep(_ records: [ShownRecord]) throws(SQLiteError) {
        for record in records {
            let (source, group) = (Value.text(record.key.source), Int64(record.key.group))
            let number = Value.integer(Int64(record.key.notification))
            let server = record.server
            try run(
                "INSERT OR REPLACE INTO shown VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                source, .integer(group), number, .text(record.place.rawValue),
                .flag(record.maySound), .integer(Int64(record.serverID)), .text(server?.owner),
                .integer(Int64(bitPattern: server?.processStart ?? 0)),
                .blob(sealedRequest(of: record)))
            try run(
                """
                INSERT INTO shown_highest VALUES (?1, ?2, ?3) ON CONFLICT (source, of_group)
                DO UPDATE SET notification = max(notification, excluded.notification)
                """, source, .integer(group), number)
        }
    }

    /// It contains the user's text. If it cannot be sealed, the rest of the record is still stored.
    private func sealedRequest(of record: ShownRecord) -> [UInt8]? {
        let press = record.press.flatMap { $0.isNoted ? $0.json : nil }
        guard let json = record.request?.json ?? press else { return nil }
        return try? seal(Array(json.utf8), Self.requestPlace(record.key))
    }

    private static func requestPlace(_ key: ShownKey) -> Sealer.Place {
        let row = Int64(key.group) << 32 | Int64(key.notification)
        return Sealer.Place(table: "shown", row: row, column: "sealed_request")
    }
}
