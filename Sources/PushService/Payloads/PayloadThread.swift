import Reactor

/// Decrypts payloads on a thread of its own when a loop has so many that its other connections
/// would have to wait.
// Unchecked: the reader is used only on this thread.
final class PayloadThread: @unchecked Sendable {
    private let group: LoopGroup
    private var reader: PayloadReader

    init() throws {
        let reader = try PayloadReader()
        group = try LoopGroup(count: 1)
        self.reader = reader
        try group.start(name: "payloads")
    }

    /// `then` is called on this thread, or never once it has ended.
    func read(
        _ job: PayloadReader.Job, then: @escaping @Sendable (PayloadReader.Outcome) -> Void
    ) {
        group.loops[0].post { then(self.reader.outcome(of: job)) }
    }

    /// Call this on another thread.
    func end() {
        group.stop()
        _ = group.join()
    }
}
