import WebPush

/// A message that was sent on a connection and is not acknowledged yet.
struct Outstanding: Sendable {
    enum Place {
        /// With nobody but us: an acknowledgement spares it the disk, if it comes until then.
        case held(SenderTicket, due: Int64)
        /// On its way to the disk.
        case storing
        case stored
        /// Nobody keeps it.
        case fleeting
    }

    let message: Message
    var place: Place

    var length: Int { message.content.body.count }
}

/// Where the sender of a message waits for its answer: on which loop, and under which number there.
package struct SenderTicket: Equatable, Sendable {
    package let loop: Int
    package let number: UInt64

    package init(loop: Int, number: UInt64) {
        self.loop = loop
        self.number = number
    }
}
