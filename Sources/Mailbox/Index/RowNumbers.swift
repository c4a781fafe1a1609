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
