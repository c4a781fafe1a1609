import System

/// A value that one thread waits for and another brings.
final class Awaited<Value: Sendable>: Sendable {
    private let value = Monitor<Value?>(nil)

    /// The first one counts.
    func bring(_ value: Value) {
        self.value.withLock { if $0 == nil { $0 = value } }
        self.value.signal()
    }

    /// Nil after so many milliseconds.
    func wait(atMost limit: Int64) -> Value? { value.wait(atMost: limit) { $0 } }
}
