/// The clients of engines, as the stores tell each other.
extension StoredEngines {
    /// Reads who has which clients. Rows of this node are left from its last run.
    func beginSharing(as node: String, _ wake: @escaping @Sendable () -> Void) throws(StoreFault) {
        var own: [UInt32] = []
        let select = try transaction.connection.statement(
            "SELECT engine, node, fetchers FROM engine_client")
        while try select.step() {
            let (engine, other) = (UInt32(clamping: select.integer(0)), select.text(1))
            if other == node {
                own.append(engine)
            } else {
                let count = RemoteClients.Count(fetchers: Int(select.integer(2)))
                index.engines.set(count, of: engine, at: other)
            }
        }
        index.engines.share(own, wake)
    }

    /// Writes down which clients these engines have here.
    func share(_ engines: Set<UInt32>, as node: String) throws(StoreFault) {
        for engine in engines {
            guard let count = index.engines.clientsHere(engine) else {
                try transaction.connection.run(
                    "DELETE FROM engine_client WHERE node = ?1 AND engine = ?2", node, engine)
                continue
            }
            try transaction.connection.run(
                """
                INSERT INTO engine_client VALUES (?1, ?2, ?3)
                ON CONFLICT DO UPDATE SET fetchers = ?3
                """, engine, node, Int64(count.fetchers))
        }
    }

    /// The node has ended without a word, so its clients are gone too.
    func lose(node: String) throws(StoreFault) -> StoreOutcome {
        let engines = try transaction.connection.rows(
            "DELETE FROM engine_client WHERE node = ?1 RETURNING engine", node)
        for engine in engines {
            transaction.effects.changes.append(.clients(engine, node: node, nil))
        }
        return engines.isEmpty ? .notFound : .done
    }
}
