package import Crypto

/// A change of the master key while the store serves.
extension SQLiteStore {
    /// Seals new data under `key` from now on, and existing data step by step. The key must be on
    /// the disk, and the former one must stay there until `onResealed`.
    package func rotate(to key: MasterKey) {
        writer.resealing.withLock { $0 = ResealingProgress(done: 0, total: 0) }
        reader.between { [keys, writer] in
            keys.rotate(to: key)
            writer.wake()
        }
    }

    /// How far that has got; nil when it is done. Any thread may use it.
    package var resealing: ResealingProgress? { writer.resealing.withLock { $0 } }
}

/// The same for stores that stay alike: first each of them learns the key, then each uses it, and
/// then one of them seals everything again for all. Any thread may call these.
extension SQLiteStore {
    /// The ids of the keys that open something here.
    package var knownKeys: Set<UInt64> { keys.identifiers }
    /// The id of the key under which this store seals. No commit under another one is under way.
    package var sealingKey: UInt64 { writer.sealing.load(ordering: .relaxed) }

    /// What others seal under this key opens here as soon as `knownKeys` has it.
    package func learn(_ key: MasterKey) {
        reader.between { [keys, writer] in
            keys.learn(key)
            writer.wake()
        }
    }

    /// Seals under this known key from now on.
    package func use(key id: UInt64) {
        reader.between { [keys, writer] in
            keys.use(id)
            writer.wake()
        }
    }

    /// Seals everything again; `unopenedRows` says when it is done.
    package func reseal() {
        writer.unopened.withLock { $0 = nil }
        writer.resealing.withLock { $0 = ResealingProgress(done: 0, total: 0) }
        keys.reseal()
        writer.wake()
    }

    /// How many rows did not open meanwhile. Nil until it is done.
    package var unopenedRows: Int? { writer.unopened.withLock { $0 } }
}
