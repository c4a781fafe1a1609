/// Changes of passkeys.
extension PasskeyRows {
    static func perform(
        _ operation: PasskeyOperation, in transaction: Transaction
    ) throws(StoreFault) -> StoreOutcome {
        switch operation {
        case .add(let passkey): try add(passkey, in: transaction)
        case .use(let row, let count): try use(row, count: count, in: transaction)
        case .remove(let row, let owner): try remove(row, of: owner, in: transaction)
        }
    }

    private static func add(
        _ passkey: Passkey, in transaction: Transaction
    ) throws(StoreFault) -> StoreOutcome {
        let row = transaction.nextPosition()
        let count = try transaction.connection.number(
            "SELECT count(*) FROM passkey WHERE owner = ?1", passkey.owner)
        guard count < Passkey.most else { return .full }
        let sealed = try transaction.seal(
            PasskeyRecord(passkey).coded, at: place(row, of: passkey.owner))
        // Whoever removes the owner removes it.
        try transaction.connection.run(
            "INSERT INTO owner (name) VALUES (?1) ON CONFLICT DO NOTHING", passkey.owner)
        let insert = try transaction.connection.statement(
            """
            INSERT INTO passkey VALUES (?1, ?2, ?3, ?4, NULL, ?5, ?6)
            ON CONFLICT DO NOTHING RETURNING row
            """, row, passkey.owner, try digest(of: passkey.id),
            transaction.time.reading().wall, Int64(passkey.count), sealed)
        return try insert.step() ? .done : .conflict
    }

    private static func use(
        _ row: Int64, count: UInt32, in transaction: Transaction
    ) throws(StoreFault) -> StoreOutcome {
        let update = try transaction.connection.statement(
            """
            UPDATE passkey SET count = ?2, last_used = ?3
            WHERE row = ?1 AND (count < ?2 OR count = 0 AND ?2 = 0) RETURNING row
            """, row, Int64(count), transaction.time.reading().wall)
        return try update.step() ? .done : .conflict
    }

    private static func remove(
        _ row: Int64, of owner: String, in transaction: Transaction
    ) throws(StoreFault) -> StoreOutcome {
        let delete = try transaction.connection.statement(
            "DELETE FROM passkey WHERE row = ?1 AND owner = ?2 RETURNING row", row, owner)
        return try delete.step() ? .done : .notFound
    }
}
