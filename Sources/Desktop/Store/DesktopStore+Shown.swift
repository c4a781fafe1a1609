import SQLite

/// What is on the screen.
extension DesktopStore: ShownStore {
    package func history() throws -> ShownHistory {
        var history = ShownHistory()
        let select = try Statement(
            """
            SELECT source, notification, of_group, place, may_sound, server_id, server_owner,
            server_start FROM shown ORDER BY source, notification
            """, on: connection)
        while try select.step() {
            guard let place = ShownRecord.Place(rawValue: select.text(3)) else { continue }
            let start = UInt64(bitPattern: select.integer(7))
            history.records.append(
                ShownRecord(
                    key: ShownKey(select.text(0), Int32(clamping: select.integer(1))),
                    group: Int32(clamping: select.integer(2)), place: place,
                    maySound: select.integer(4) != 0,
                    serverID: UInt32(clamping: select.integer(5)),
                    server: select.isNull(6)
                        ? nil : ServerIdentity(owner: select.text(6), processStart: start)))
        }
        let highest = try Statement(
            "SELECT source, notification FROM shown_highest", on: connection)
        while try highest.step() {
            history.highest[highest.text(0)] = Int32(clamping: highest.integer(1))
        }
        return history
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
            "DELETE FROM shown WHERE source = ?1 AND notification = ?2", on: connection)
        for key in keys {
            try delete.bind(text: key.source, at: 1)
            try delete.bind(Int64(key.notification), at: 2)
            try delete.run()
        }
    }

    private func keep(_ records: [ShownRecord]) throws(SQLiteError) {
        guard !records.isEmpty else { return }
        let insert = try Statement(
            "INSERT OR REPLACE INTO shown VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            on: connection)
        let raise = try Statement(
            """
            INSERT INTO shown_highest VALUES (?1, ?2) ON CONFLICT (source)
            DO UPDATE SET notification = max(notification, excluded.notification)
            """, on: connection)
        for record in records {
            try Self.bind(record, to: insert)
            try insert.run()
            try raise.bind(text: record.key.source, at: 1)
            try raise.bind(Int64(record.key.notification), at: 2)
            try raise.run()
        }
    }

    private static func bind(
        _ record: ShownRecord, to insert: borrowing Statement
    ) throws(SQLiteError) {
        try insert.bind(text: record.key.source, at: 1)
        try insert.bind(Int64(record.key.notification), at: 2)
        try insert.bind(Int64(record.group), at: 3)
        try insert.bind(text: record.place.rawValue, at: 4)
        try insert.bind(record.maySound ? 1 : 0, at: 5)
        try insert.bind(Int64(record.serverID), at: 6)
        if let server = record.server {
            try insert.bind(text: server.owner, at: 7)
        } else {
            try insert.bind(nil as Int64?, at: 7)
        }
        try insert.bind(Int64(bitPattern: record.server?.processStart ?? 0), at: 8)
    }
}
