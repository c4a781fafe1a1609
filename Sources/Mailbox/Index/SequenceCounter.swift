import Synchronization

/// Numbers messages in the order of their acceptance. Any thread may use it.
///
/// Stores that stay alike count in steps, so that no two of them give the same number, and go on
/// after the highest number that any of them has written down.
final class SequenceCounter: Sendable {
    private static let width: Int64 = 1_024

    private let last = Atomic<Int64>(0)
    private let step = Atomic<Int64>(1)
    /// What the numbers of this store leave when they are divided by the step.
    private let rest = Atomic<Int64>(0)

    func next() -> Int64 {
        last.add(step.load(ordering: .relaxed), ordering: .relaxed).newValue
    }

    var given: Int64 {
        get { last.load(ordering: .relaxed) }
        set { last.store(newValue, ordering: .relaxed) }
    }

    func begin(_ number: Int64) {
        step.store(Self.width, ordering: .relaxed)
        rest.store(number % Self.width, ordering: .relaxed)
        last.store(given - given % Self.width + number % Self.width, ordering: .relaxed)
    }

    func raise(to other: Int64) {
        let step = step.load(ordering: .relaxed)
        let rest = rest.load(ordering: .relaxed)
        last.max(other - other % step + rest, ordering: .relaxed)
    }
}
