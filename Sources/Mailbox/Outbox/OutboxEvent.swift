import Base
package import WebPush

/// Something for a callback to be told, as it is put into the outbox. Never changed, so any thread
/// may read it.
package final class OutboxEvent: Sendable, Confidential {
    /// Such events are counted together while they wait: the newest stands for all of them.
    package struct Tally: Sendable {
        package let count: Int
        /// Where the body has the count.
        package let digits: Range<Int>

        package init(count: Int, digits: Range<Int>) {
            self.count = count
            self.digits = digits
        }
    }

    /// Stays the same however often it is sent.
    package let id: MessageID
    /// JSON.
    package let body: [UInt8]
    /// Seconds in which it is of use; it is kept for a week at least.
    package let ttl: UInt32
    /// A full outbox refuses what comes from a push; what the service itself has to say is taken.
    package let isPush: Bool
    package let tally: Tally?
    /// The action of its account that is taken by whoever takes the event.
    package let action: Int64?

    package init(
        id: MessageID, body: [UInt8], ttl: UInt32 = 0, isPush: Bool, tally: Tally? = nil,
        action: Int64? = nil
    ) {
        self.id = id
        self.body = body
        self.ttl = ttl
        self.isPush = isPush
        self.tally = tally
        self.action = action
    }

    /// The body with a larger count.
    func body(counting count: Int) -> [UInt8] {
        guard let tally else { return body }
        return body[..<tally.digits.lowerBound] + Array("\(count)".utf8)
            + body[tally.digits.upperBound...]
    }

    static let lifetime: UInt32 = 7 * 86_400
}

/// How much may wait for one callback.
enum OutboxLimits {
    static let events: Int64 = 10_000
    static let bytes: Int64 = 16 << 20
}
