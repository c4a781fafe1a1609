import Delivery

/// What happens to a callback rarely; its statements are prepared when they are needed.
extension StoredCallbacks {
    /// In the place of one with that number; events that wait begin anew, parked ones among them.
    func put(callback row: UInt32, created: StoreTime, sealed: [UInt8]) throws(StoreFault) {
        let insert = try StoreStatement(
            """
            INSERT INTO callback VALUES (?1, 0, ?2, 0, 0, ?3,
            coalesce((SELECT owner FROM registration WHERE device = ?1), ''))
            ON CONFLICT DO UPDATE SET state = 0, created = ?2, sealed = ?3
            """, on: transaction.connection)
        try insert.bind(Int64(row), at: 1)
        try insert.bind(created.milliseconds, at: 2)
        try insert.bind(sealed, at: 3)
        try insert.run()
        let restart = try StoreStatement(
            """
            UPDATE callback_event SET rank = ?2, attempts = 0, refusals = 0, due = ?3
            WHERE callback = ?1
            """, on: transaction.connection)
        try restart.bind(Int64(row), at: 1)
        try restart.bind(CallbackRows.Rank.inOrder.rawValue, at: 2)
        try restart.bind(created.milliseconds, at: 3)
        try restart.run()
    }

    /// The position of the event that introduces a callback, where that is still to be sent.
    func introduction(of callback: UInt32) throws(StoreFault) -> Int64? {
        let select = try StoreStatement(
            "SELECT position FROM callback_event WHERE callback = ?1 AND rank = 0",
            on: transaction.connection)
        try select.bind(Int64(callback), at: 1)
        return try select.step() ? select.integer(0) : nil
    }

    /// Some of those that take events, by their numbers.
    func callbacks(after row: UInt32, limit: Int) throws(StoreFault) -> [UInt32] {
        let select = try StoreStatement(
            """
            SELECT row FROM callback WHERE row > ?1 AND state IN (?2, ?3) ORDER BY row LIMIT ?4
            """, on: transaction.connection)
        try select.bind(Int64(row), at: 1)
        try select.bind(CallbackState.unconfirmed.rawValue, at: 2)
        try select.bind(CallbackState.active.rawValue, at: 3)
        try select.bind(Int64(limit), at: 4)
        var rows: [UInt32] = []
        while try select.step() { rows.append(UInt32(clamping: select.integer(0))) }
        return rows
    }

    func set(
        _ state: CallbackState, ofCallback row: UInt32
    ) throws(StoreFault) {
        let update = try StoreStatement(
            "UPDATE callback SET state = ?2 WHERE row = ?1", on: transaction.connection)
        try update.bind(Int64(row), at: 1)
        try update.bind(state.rawValue, at: 2)
        try update.run()
    }

    /// Nil where there is none, or its target was given up.
    func sealedCallback(_ row: UInt32) throws(StoreFault) -> [UInt8]? {
        let select = try StoreStatement(
            "SELECT sealed FROM callback WHERE row = ?1", on: transaction.connection)
        try select.bind(Int64(row), at: 1)
        return try select.step() && !select.isNull(0) ? select.bytes(0) : nil
    }

    func set(sealedCallback sealed: [UInt8], _ row: UInt32) throws(StoreFault) {
        let update = try StoreStatement(
            "UPDATE callback SET sealed = ?2 WHERE row = ?1", on: transaction.connection)
        try update.bind(Int64(row), at: 1)
        try update.bind(sealed, at: 2)
        try update.run()
    }

    func park(_ position: Int64, of callback: UInt32) throws(StoreFault) {
        let update = try StoreStatement(
            "UPDATE callback_event SET rank = ?3 WHERE position = ?1 AND callback = ?2",
            on: transaction.connection)
        try update.bind(position, at: 1)
        try update.bind(Int64(callback), at: 2)
        try update.bind(CallbackRows.Rank.parked.rawValue, at: 3)
        try update.run()
    }

    /// Everything goes but the mark that it was there.
    func close(callback row: UInt32, _ state: CallbackState) throws(StoreFault) {
        try run("DELETE FROM callback_event WHERE callback = ?1", row)
        try run("UPDATE callback SET events = 0, bytes = 0, sealed = NULL WHERE row = ?1", row)
        try set(state, ofCallback: row)
    }

    func delete(callback row: UInt32) throws(StoreFault) {
        try run("DELETE FROM callback_event WHERE callback = ?1", row)
        try run("DELETE FROM callback WHERE row = ?1", row)
    }

    private func run(_ sql: String, _ row: UInt32) throws(StoreFault) {
        let statement = try StoreStatement(sql, on: transaction.connection)
        try statement.bind(Int64(row), at: 1)
        try statement.run()
    }
}
