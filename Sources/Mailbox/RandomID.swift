import Base
package import Crypto

/// 128 random bits that name something, derived from nothing.
///
/// `Kind` keeps what has different names from being mixed up; it has no values.
package struct RandomID<Kind>: Hashable, Sendable, Confidential {
    package static var length: Int { 16 }

    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(from random: inout RandomSupply) throws(OpenSSLError) {
        self.init(high: try random.word(), low: try random.word())
    }

    /// Nil unless there are 16 bytes.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        self.init(high: bytes.bigEndian(at: 0), low: bytes.bigEndian(at: 8))
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.length)
        bytes.append(bigEndian: high)
        bytes.append(bigEndian: low)
        return bytes
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(high) }
}

package enum MessageName {}
package enum LocationName {}
package enum UserAgentName {}
package enum ChannelName {}

/// What a user agent acknowledges: the `version` of a notification.
package typealias MessageID = RandomID<MessageName>
/// What the sender may withdraw a message by: the end of its `Location`.
package typealias LocationID = RandomID<LocationName>
/// The `uaid` of autopush: who knows it, is that user agent.
package typealias UserAgentID = RandomID<UserAgentName>
/// The `channelID` that a user agent chose for a subscription of its own.
package typealias ChannelID = RandomID<ChannelName>
