import System

/// Gives numbers to new rows. Any thread may use it.
///
/// A store of its own counts. Stores that stay alike take numbers in blocks, each for one store.
final class RowNumbers: Sendable {
    /// Subscriptions, devices and credentials have 32-bit numbers. A client that registers without
    /// end reaches the last number after days; from then on the writer refuses new ones.
    static let last: UInt32 = 4_000_000_000

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
                (state.given, state.end, state.spare) = (spare.lowerBound - 1, spare.upperBound, nil)
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

/// Numbers that only one store gives.
package struct NumberBlock: Equatable, Sendable {
    package static let length: UInt32 = 1 << 16

    /// Blocks are counted from 1.
    package let number: UInt32

    package init(number: UInt32) { self.number = number }

    /// Nil if there are no such numbers.
    var numbers: ClosedRange<UInt32>? {
        let (end, isTooLarge) = number.multipliedReportingOverflow(by: Self.length)
        guard number > 0, !isTooLarge, end <= RowNumbers.last else { return nil }
        return end - Self.length + 1...end
    }
}
