import System

/// Which unknown endpoints have surely ended, where several nodes make endpoints.
///
/// Another node may have made an endpoint a moment ago, and an answer of 410 would make its sender
/// forget it. So the first one who asks is told to come again; by then this node knows all that was
/// known when it was asked.
final class UnknownEndpoints: Sendable {
    /// In milliseconds: longer than a node that is served may be behind.
    private static let patience: Int64 = 1_500
    private static let limit = 16_384

    private struct State {
        /// When each was first asked for: by the first word of the digest.
        var asked: [UInt64: Int64] = [:]
        /// Those that ended here lately.
        var ended: Set<UInt64> = []
    }

    /// Nil while this store is the only one.
    private let state = Lock<State?>(nil)

    func begin() { state.withLock { $0 = State() } }

    /// Whether it may have been made by another node.
    func mayExist(_ digest: UInt64, at now: Int64) -> Bool {
        state.withLock { state in
            guard state != nil, state?.ended.contains(digest) != true else { return false }
            if let first = state?.asked[digest] { return now - first < Self.patience }
            // Whoever asks again later than this is told to come again once more.
            if let count = state?.asked.count, count >= Self.limit { state?.asked = [:] }
            state?.asked[digest] = now
            return true
        }
    }

    func end(_ digest: UInt64) {
        state.withLock { state in
            if let count = state?.ended.count, count >= Self.limit { state?.ended = [] }
            state?.ended.insert(digest)
        }
    }
}
