import Base
package import WebPush

/// An event for a callback, as it is put into the outbox. It is immutable, so any thread may read
/// it.
package final class OutboxEvent: Sendable, Confidential {
    /// Events with a tally are counted together while they wait: the newest stands for all of them.
    package struct Tally: Sendable {
        package let count: Int
        /// The place of the count in the body.
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
    /// Seconds for which it is useful; it is kept for at least a week.
    package let ttl: UInt32
    /// A full outbox refuses events caused by pushes, but takes the service's own.
    package let isPush: Bool
    package let tally: Tally?
    /// The account's action that counts as taken when the receiver accepts the event.
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
