package import Base
package import WebPush

package import enum Notifications.TrustLevel

/// One accepted push, from its acceptance to its end. It is immutable, so any thread may read it.
package final class Message: Sendable, Confidential {
    package let id: MessageID
    package let location: LocationID
    package let address: Address
    /// The order of acceptance.
    package let sequence: Int64
    package let content: MessageContent
    /// How the payload was protected; nil if only the destination can read it.
    package let level: TrustLevel?
    /// Milliseconds since 1970, for people and for the engine; nothing expires by this time.
    package let arrival: Int64
    package let expiry: StoreTime
    /// What was reserved for it; empty for a message read from the store.
    package let reservation: Reservation

    package init(
        id: MessageID, location: LocationID, address: Address, sequence: Int64,
        content: MessageContent, level: TrustLevel? = nil, arrival: Int64, expiry: StoreTime,
        reservation: consuming Reservation = Reservation()
    ) {
        self.id = id
        self.location = location
        self.address = address
        self.sequence = sequence
        self.content = content
        self.level = level
        self.arrival = arrival
        self.expiry = expiry
        self.reservation = reservation
    }

    package var reference: MessageReference {
        MessageReference(id: id, address: address, sequence: sequence)
    }

    package var needsStore: Bool { content.needsStore }
    /// Accepting it changes nothing else that is stored: it replaces no other message, and leaves no
    /// mark. So it need not be stored once its device has acknowledged it.
    package var standsAlone: Bool { content.topic == nil && mark == nil }
    package var size: Int { content.size }
    /// Identifies a repetition of the message, if the sender may repeat it.
    package var mark: RepetitionMark? { reservation.mark }
}

/// What it means for the store.
extension MessageContent {
    /// Even with a TTL of 0, a message with a topic ends the earlier one of that topic.
    package var needsStore: Bool { ttl > 0 || topic != nil }

    /// The bytes that count in quotas: the size of its record in the store.
    package var size: Int {
        Self.overhead + (topic?.text.utf8.count ?? 0) + (headers?.encryption?.count ?? 0)
            + (headers?.cryptoKey?.count ?? 0) + body.count
    }

    /// The bytes of a record besides its contents.
    package static let overhead = 1 + 1 + 1 + 4 + 8 + 3 * 4
}

/// The rows in the store of the subscription and the device that a message is for.
package struct Address: Hashable, Sendable {
    package let subscription: UInt32
    package let device: UInt32

    package init(subscription: UInt32, device: UInt32) {
        self.subscription = subscription
        self.device = device
    }
}

package struct MessageReference: Hashable, Sendable {
    package let id: MessageID
    package let address: Address
    package let sequence: Int64

    package init(id: MessageID, address: Address, sequence: Int64) {
        self.id = id
        self.address = address
        self.sequence = sequence
    }
}

/// The end of a message's `Location`, with which the sender may withdraw it.
package struct LocationID: Hashable, Sendable, Confidential {
    package let bits: Bits128

    package init(_ bits: Bits128) { self.bits = bits }
}

/// A point in the store's own time, which only goes forward.
package struct StoreTime: Hashable, Comparable, Sendable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    package static func < (left: Self, right: Self) -> Bool {
        left.milliseconds < right.milliseconds
    }

    package func adding(seconds: UInt32) -> StoreTime {
        StoreTime(milliseconds: milliseconds + Int64(seconds) * 1_000)
    }
}
