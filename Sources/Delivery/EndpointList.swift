package import WebPush

/// The endpoints of a connected device: few, so a list is enough.
package struct EndpointList: Sendable {
    private var entries: [(subscription: UInt32, channel: ChannelID)] = []

    /// No client needs more, and each costs memory on every connection.
    package static let limit = 2_000

    package init() {}

    package var isFull: Bool { entries.count >= Self.limit }

    package func channel(of subscription: UInt32) -> ChannelID? {
        entries.first { $0.subscription == subscription }?.channel
    }

    package func subscription(of channel: ChannelID) -> UInt32? {
        entries.first { $0.channel == channel }?.subscription
    }

    package mutating func add(_ subscription: UInt32, _ channel: ChannelID) {
        entries.append((subscription, channel))
    }

    mutating func remove(_ subscription: UInt32) {
        entries.removeAll { $0.subscription == subscription }
    }
}
