package import Delivery
package import WebPush

/// Says that there is something to fetch. One signal stands for `count` pushes.
package struct FetchSignal: Equatable, Sendable {
    /// Seconds a signal is kept if the sender gives no TTL.
    static let lifetime: UInt32 = 28 * 86_400

    package let id: MessageID
    package internal(set) var count: Int
    /// The version in the last simple push, if it had one. Versions are not compared.
    package internal(set) var version: UInt64?
    /// Milliseconds since 1970.
    package internal(set) var arrival: Int64
    package internal(set) var expiry: StoreTime
    /// How many of the counted pushes the engine reports to its clients itself.
    package internal(set) var told: Int

    package init(
        id: MessageID, version: UInt64?, arrival: Int64, expiry: StoreTime, told: Int = 0
    ) {
        self.init(
            id: id, count: 1, version: version, arrival: arrival, expiry: expiry, told: told)
    }

    init(
        id: MessageID, count: Int, version: UInt64?, arrival: Int64, expiry: StoreTime, told: Int
    ) {
        self.id = id
        self.count = count
        self.version = version
        self.arrival = arrival
        self.expiry = expiry
        self.told = told
    }
}
