import System

/// A pause, in which the file stays as it is and everybody who wants to write is refused.
extension StoreWriter {
    enum Pause: Sendable {
        case none
        case asked
        case begun
    }

    /// Blocks until the file has everything that was answered and nothing more is written. False if
    /// that takes too long; then there is no pause.
    func beginPause(within limit: Int64) -> Bool {
        pause.withLock { $0 = .asked }
        wake()
        let hasBegun = pause.wait(atMost: limit) { $0 == .begun ? true : nil }
        if hasBegun == nil { endPause() }
        return hasBegun ?? false
    }

    func endPause() {
        pause.withLock { $0 = .none }
        wake()
    }

    var isPauseWanted: Bool { pause.withLock { $0 == .asked } }

    /// Only the writer's thread calls it, between two batches.
    func followPause() {
        let wanted = pause.withLock { $0 }
        if isPausing, wanted != .begun {
            isPausing = false
            retryAt = 0
            recover()
        }
        if wanted == .asked { letGo() }
    }

    /// Closes the file, as after a failure. A store that has failed has to return first.
    private func letGo() {
        guard let executor else { return }
        do throws(StoreFault) {
            try executor.unlessOutdated { () throws(StoreFault) in try executor.commitNothing() }
            guard try executor.catchUp() else { return wake() }
            _ = try executor.checkpoint(.truncating)
        } catch {
            return fail(error, [])
        }
        applied.store(executor.state.applied, ordering: .relaxed)
        self.executor = nil
        isPausing = true
        usable.store(false, ordering: .relaxed)
        settling.store(true, ordering: .relaxed)
        pause.withLock { if $0 == .asked { $0 = .begun } }
        pause.signal()
    }
}
