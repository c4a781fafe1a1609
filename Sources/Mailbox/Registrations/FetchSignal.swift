package import Delivery
package import WebPush

/// That there is something to fetch. One stands for as many pushes as it counts.
package struct FetchSignal: Equatable, Sendable {
    /// Seconds for which one is kept where its sender says nothing else.
    static let lifetime: UInt32 = 28 * 86_400

    package let id: MessageID
    package internal(set) var count: Int
    /// That of simple push, where the last sender gave one. Numbers are not compared.
    package internal(set) var version: UInt64?
    /// Milliseconds since 1970.
    package internal(set) var arrival: Int64
    package internal(set) var expiry: StoreTime
    /// How many of them an engine tells of itself.
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
