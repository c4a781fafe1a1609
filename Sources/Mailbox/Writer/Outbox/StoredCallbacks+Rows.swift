import Delivery

/// Rare changes of callbacks; the connection keeps their statements.
extension StoredCallbacks {
    /// Replaces a callback with that number; its waiting events start again, parked ones too.
    func put(
        callback row: UInt32, of owner: String, created: StoreTime, sealed: [UInt8]
    ) throws(StoreFault) {
        try transaction.connection.run(
            """
            INSERT INTO callback VALUES (?1, 0, ?2, 0, 0, ?3, ?4)
            ON CONFLICT DO UPDATE SET state = 0, created = ?2, sealed = ?3
            """, row, created.milliseconds, sealed, owner)
        try transaction.connection.run(
            """
            UPDATE callback_event SET rank = ?2, attempts = 0, refusals = 0, due = ?3
            WHERE callback = ?1
            """, row, CallbackRows.Rank.inOrder.rawValue, created.milliseconds)
    }

    /// The owner that the row of a callback has, or gets when it is made.
    func owner(ofCallback row: UInt32) throws(StoreFault) -> String {
        let select = try transaction.connection.statement(
            """
            SELECT coalesce((SELECT owner FROM callback WHERE row = ?1),
            (SELECT owner FROM registration WHERE device = ?1), '')
            """, row)
        return try select.step() ? select.text(0) : ""
    }

    /// The position of the event that introduces a callback, if it is still to be sent.
    func introduction(of callback: UInt32) throws(StoreFault) -> Int64? {
        let select = try transaction.connection.statement(
            "SELECT position FROM callback_event WHERE callback = ?1 AND rank = 0", callback)
        return try select.step() ? select.integer(0) : nil
    }

    /// Some callbacks that take events, in order of their numbers.
    func callbacks(after row: UInt32, limit: Int) throws(StoreFault) -> [UInt32] {
        try transaction.connection.rows(
            """
            SELECT row FROM callback WHERE row > ?1 AND state IN (?2, ?3) ORDER BY row LIMIT ?4
            """, row, CallbackState.unconfirmed.rawValue, CallbackState.active.rawValue,
            Int64(limit))
    }

    /// All callbacks of an owner, including those of registrations that have ended.
    func callbacks(ofOwner owner: UInt32) throws(StoreFault) -> [UInt32] {
        try transaction.connection.rows(
            "SELECT row FROM callback WHERE owner = (SELECT name FROM owner WHERE row = ?1)", owner)
    }

    func set(
        _ state: CallbackState, ofCallback row: UInt32
    ) throws(StoreFault) {
        try transaction.connection.run(
            "UPDATE callback SET state = ?2 WHERE row = ?1", row, state.rawValue)
    }

    /// Nil if there is none, or its target was given up.
    func sealedCallback(_ row: UInt32) throws(StoreFault) -> [UInt8]? {
        let select = try transaction.connection.statement(
            "SELECT sealed FROM callback WHERE row = ?1", row)
        return try select.step() && !select.isNull(0) ? select.bytes(0) : nil
    }

    func set(sealedCallback sealed: [UInt8], _ row: UInt32) throws(StoreFault) {
        try transaction.connection.run(
            "UPDATE callback SET sealed = ?2 WHERE row = ?1", row, sealed)
    }

    func park(_ position: Int64, of callback: UInt32) throws(StoreFault) {
        try transaction.connection.run(
            "UPDATE callback_event SET rank = ?3 WHERE position = ?1 AND callback = ?2", position,
            callback, CallbackRows.Rank.parked.rawValue)
    }

    /// Deletes everything except the record that the callback existed.
    func close(callback row: UInt32, _ state: CallbackState) throws(StoreFault) {
        try transaction.connection.run("DELETE FROM callback_event WHERE callback = ?1", row)
        try transaction.connection.run(
            "UPDATE callback SET events = 0, bytes = 0, sealed = NULL WHERE row = ?1", row)
        try set(state, ofCallback: row)
    }

    func delete(callback row: UInt32) throws(StoreFault) {
        try transaction.connection.run("DELETE FROM callback_event WHERE callback = ?1", row)
        try transaction.connection.run("DELETE FROM callback WHERE row = ?1", row)
    }
}
