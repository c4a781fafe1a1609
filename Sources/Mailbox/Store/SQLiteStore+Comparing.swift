/// Stores that follow a log show each other that they are alike. Any thread may call these.
extension SQLiteStore {
    /// From now on, `takePinned` has to be called again and again.
    package func beginComparing() { index.isCompared.store(true, ordering: .relaxed) }

    /// Has all stores look at what they are after the same entry of the log. It may get lost.
    package func askForComparison() {
        writer.isComparisonDue.store(true, ordering: .relaxed)
        writer.wake()
    }

    /// What is to be looked at, once.
    package func takePinned() -> PinnedStore? {
        writer.pinned.withLock { pinned in
            defer { pinned = nil }
            return pinned
        }
    }

    /// What was found last. Nil before that.
    package var tableDigests: TableDigests? { writer.digests.withLock { $0 } }
    package func note(_ digests: TableDigests) { writer.digests.withLock { $0 = digests } }
}
