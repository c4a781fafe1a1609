/// A message that was sent on a connection and is not acknowledged yet.
struct Outstanding: Sendable {
    enum Place {
        /// It is only in memory. If the device acknowledges it before `due`, it is never written.
        case held(SenderTicket, due: Int64)
        /// On its way to the disk.
        case storing
        case stored
        /// Never stored, because its TTL is 0.
        case fleeting
    }

    let message: Message
    var place: Place

    var length: Int { message.content.body.count }
}

/// Where the sender of a message waits for its answer: the loop, and the number there.
package struct SenderTicket: Equatable, Sendable {
    package let loop: Int
    package let number: UInt64

    package init(loop: Int, number: UInt64) {
        self.loop = loop
        self.number = number
    }
}
