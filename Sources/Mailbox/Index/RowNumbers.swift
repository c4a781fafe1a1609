import Synchronization
import System

/// Gives numbers to new rows. Any thread may use it.
///
/// A store of its own counts. Stores that stay alike take numbers in blocks, each for one store.
final class RowNumbers: Sendable {
    /// Subscriptions, devices and credentials have 32-bit numbers. A client that registers without
    /// end reaches the last number after days; from then on the writer refuses new ones.
    static let last = NumberBlock.last

    private struct State {
        var given: UInt32 = 0
        var end = RowNumbers.last
        /// Used after `end`.
        var spare: ClosedRange<UInt32>?
    }

    private let state = Lock(State())

    /// Above `last` if there are none left.
    func next() -> UInt32 {
        state.withLock { state in
            if state.given >= state.end, let spare = state.spare {
                state = State(given: spare.lowerBound - 1, end: spare.upperBound)
            }
            guard state.given < state.end else { return Self.last + 1 }
            state.given += 1
            return state.given
        }
    }

    /// The last number that was given.
    var given: UInt32 {
        get { state.withLock { $0.given } }
        set { state.withLock { $0.given = min(newValue, Self.last) } }
    }

    /// From now on only numbers of these blocks are given.
    func begin(_ block: ClosedRange<UInt32>) {
        state.withLock { $0 = State(given: block.lowerBound - 1, end: block.upperBound) }
    }

    /// Less than half of a block is left.
    var isLow: Bool {
        state.withLock { state in
            state.spare == nil
                && (state.given >= state.end
                    || state.end - state.given < NumberBlock.length / 2)
        }
    }

    func add(_ block: ClosedRange<UInt32>) { state.withLock { $0.spare = block } }
}

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
