import Foundation

/// Events of another thread, in order, for a test to wait for.
// Unchecked: `values` is used only under the lock of `condition`.
final class Events<Value: Sendable>: @unchecked Sendable {
    private let condition = NSCondition()
    private var values: [Value] = []

    func add(_ value: Value) {
        condition.lock()
        values.append(value)
        condition.signal()
        condition.unlock()
    }

    /// The next event; nil if there is none for ten seconds.
    func next() -> Value? {
        condition.lock()
        defer { condition.unlock() }
        let deadline = Date(timeIntervalSinceNow: 60)
        while values.isEmpty {
            guard condition.wait(until: deadline) else { return nil }
        }
        return values.removeFirst()
    }
}
