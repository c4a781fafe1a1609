import Crypto
import Reactor

/// Reads payloads on a thread of its own, where a loop has so many at once that its other
/// connections would wait for them.
// Unchecked: the reader is touched on the thread of the loop alone.
final class PayloadThread: @unchecked Sendable {
    private let group: LoopGroup
    private var reader: PayloadReader

    init() throws {
        let reader = try PayloadReader()
        group = try LoopGroup(count: 1)
        self.reader = reader
        try group.start(name: "payloads")
    }

    /// `then` is called on this thread, unless it has ended.
    func read(
        _ job: PayloadReader.Job, then: @escaping @Sendable (PayloadReader.Outcome) -> Void
    ) {
        group.loops[0].post { then(self.reader.outcome(of: job)) }
    }

    /// Not on its thread.
    func end() {
        group.stop()
        _ = group.join()
    }
}
