package import WebPush

/// What is to be done because of what became known of a delivery, in order.
package enum DeliveryAction: Sendable {
    /// Send it to the device.
    case write(Message, ChannelID)
    /// Tell the device that a message ended which it was sent.
    case takeBack(MessageID, ChannelID)
    /// Send this to the device: it waited until all that was acknowledged is recorded.
    case say([UInt8])
    /// Answer no pings of the connection, until `releasePongs`.
    case holdPongs
    case releasePongs

    /// Hand it to the store, which answers for it.
    case keep(Message, SenderTicket)
    /// Its sender hears that it was accepted.
    case answer(Message, SenderTicket)
    /// Say `due` then, unless `letGo` comes before: one for each.
    case hold(until: Int64)
    case letGo

    /// The store has to know that the device has done with it: then say `recorded`.
    case record(Acknowledgement)
    /// Read what waits in the store: then say `read`, or `unreadable`.
    case read(PageRequest)
    /// The store could not: say `tryAgain` after a while.
    case wait
}

/// By which the store finds a message that a device has done with.
package enum Acknowledgement: Equatable, Sendable {
    case message(MessageReference)
    /// Of one that was not sent on this connection.
    case id(MessageID)

    package var id: MessageID {
        switch self {
        case .message(let reference): reference.id
        case .id(let id): id
        }
    }
}
