import Base
package import WebPush

package import enum Notifications.TrustLevel

/// One accepted push, from its acceptance to its end. Never changed, so any thread may read it.
package final class Message: Sendable, Confidential {
    /// What the sender said, as it goes on to the destination.
    package struct Content: Equatable, Sendable, Confidential {
        package var body: [UInt8]
        /// Nil when the body came in clear, or there is none.
        package var encoding: ContentEncoding?
        /// How a payload came that we have decrypted; nil for what only its destination can read.
        package var level: TrustLevel?
        /// The fields of `aesgcm`, cleaned; empty elsewhere.
        package var encryption: [UInt8]
        package var cryptoKey: [UInt8]
        package var topic: Topic?
        package var urgency: Urgency
        /// Seconds, as granted.
        package var ttl: UInt32

        package init(
            body: [UInt8], encoding: ContentEncoding? = nil, level: TrustLevel? = nil,
            encryption: [UInt8] = [], cryptoKey: [UInt8] = [], topic: Topic? = nil,
            urgency: Urgency = .normal, ttl: UInt32
        ) {
            self.body = body
            self.encoding = encoding
            self.level = level
            self.encryption = encryption
            self.cryptoKey = cryptoKey
            self.topic = topic
            self.urgency = urgency
            self.ttl = ttl
        }

        /// Without a lifetime it is still the end of an earlier one of its topic.
        package var needsStore: Bool { ttl > 0 || topic != nil }

        /// The bytes it counts for in quotas, which are those of its record in a store.
        package var size: Int {
            Self.overhead + (topic?.text.utf8.count ?? 0) + encryption.count + cryptoKey.count
                + body.count
        }

        /// Of a record, beside what is in it.
        package static let overhead = 1 + 1 + 1 + 4 + 8 + 3 * 4
    }

    package let id: MessageID
    package let location: LocationID
    package let address: Address
    /// The order of acceptance.
    package let sequence: Int64
    package let content: Content
    /// Milliseconds since 1970, for people and for the engine; nothing expires by it.
    package let arrival: Int64
    package let expiry: StoreTime
    /// What was reserved for it; nothing for one that comes from the store.
    package let reservation: Reservation

    package init(
        id: MessageID, location: LocationID, address: Address, sequence: Int64, content: Content,
        arrival: Int64, expiry: StoreTime, reservation: consuming Reservation = Reservation()
    ) {
        self.id = id
        self.location = location
        self.address = address
        self.sequence = sequence
        self.content = content
        self.arrival = arrival
        self.expiry = expiry
        self.reservation = reservation
    }

    /// Where to find it again.
    package var reference: MessageReference {
        MessageReference(id: id, address: address, sequence: sequence)
    }

    package var needsStore: Bool { content.needsStore }
    package var size: Int { content.size }
    /// By which a repetition of it is known, where the sender may repeat it.
    package var mark: RepetitionMark? { reservation.mark }
}
