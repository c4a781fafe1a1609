import Synchronization
import System

/// Counts the connections without a credential from each network, on all loops together.
final class StrangerPlaces: Sendable {
    private let limit: Int
    private let taken = Lock<[UInt64: Int]>([:])

    init(limit: Int) { self.limit = limit }

    /// Nil if the network has as many connections as it may have.
    func enter(_ network: UInt64) -> StrangerPlace? {
        let isFree = taken.withLock { taken in
            guard taken[network, default: 0] < limit else { return false }
            taken[network, default: 0] += 1
            return true
        }
        return isFree ? StrangerPlace(self, network) : nil
    }

    fileprivate func giveBack(_ network: UInt64) {
        taken.withLock { taken in
            let rest = taken[network, default: 1] - 1
            taken[network] = rest == 0 ? nil : rest
        }
    }
}

/// The place of one such connection, which is free again when the last reference goes.
final class StrangerPlace: Sendable {
    let network: UInt64
    private let places: StrangerPlaces

    fileprivate init(_ places: StrangerPlaces, _ network: UInt64) {
        (self.places, self.network) = (places, network)
    }

    deinit { places.giveBack(network) }
}

/// Counts failures of each key within one second, on all loops together.
///
/// Each key has a count of its own. Once `capacity` keys have failed in a second, further keys are
/// not counted, because nobody may be made to wait for the failures of others; the work that
/// failures cause is limited per loop turn anyway. Any thread may use it. While nothing fails, a
/// check reads one atomic number.
final class FailureLimiter: Sendable {
    private struct Second {
        var number = Int64.min
        var counts: [UInt64: Int] = [:]
    }

    private let limit: Int
    private let capacity: Int
    private let current = Lock(Second())
    /// The second of the last failure.
    private let last = Atomic<Int64>(.min)

    init(perSecond limit: Int, capacity: Int = 65_536) {
        self.limit = limit
        self.capacity = capacity
    }

    func isExhausted(_ key: UInt64, second: Int64) -> Bool {
        guard Self.isSame(last.load(ordering: .relaxed), second) else { return false }
        return current.withLock { current in
            guard Self.isSame(current.number, second) else { return false }
            return current.counts[key, default: 0] >= limit
        }
    }

    func count(_ key: UInt64, second: Int64) {
        current.withLock { current in
            if !Self.isSame(current.number, second) { current = Second(number: second) }
            guard current.counts[key] != nil || current.counts.count < capacity else { return }
            current.counts[key, default: 0] += 1
            last.store(current.number, ordering: .relaxed)
        }
    }

    /// Another loop's clock may be a moment behind; it must not reset the count.
    private static func isSame(_ current: Int64, _ second: Int64) -> Bool {
        current == second || current &- 1 == second
    }
}
