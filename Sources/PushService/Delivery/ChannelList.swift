import WebPush

/// The subscriptions of a device that is connected: few, so a list is all it takes.
struct ChannelList {
    private var entries: [(subscription: UInt32, channel: ChannelID)] = []

    /// More are nobody's need, and each costs memory on every connection.
    static let limit = 2_000

    var isFull: Bool { entries.count >= Self.limit }

    func channel(of subscription: UInt32) -> ChannelID? {
        entries.first { $0.subscription == subscription }?.channel
    }

    func subscription(of channel: ChannelID) -> UInt32? {
        entries.first { $0.channel == channel }?.subscription
    }

    mutating func add(_ subscription: UInt32, _ channel: ChannelID) {
        entries.append((subscription, channel))
    }

    mutating func remove(_ subscription: UInt32) {
        entries.removeAll { $0.subscription == subscription }
    }
}
