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

/// One such connection. It is released when the last reference goes.
final class StrangerPlace: Sendable {
    let network: UInt64
    private let places: StrangerPlaces

    fileprivate init(_ places: StrangerPlaces, _ network: UInt64) {
        (self.places, self.network) = (places, network)
    }

    deinit { places.giveBack(network) }
}
