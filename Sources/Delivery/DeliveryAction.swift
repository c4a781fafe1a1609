package import WebPush

/// What the desk must do after an event of a delivery, in order.
package enum DeliveryAction: Sendable {
    /// Send the message to the device.
    case write(Message, ChannelID)
    /// Tell the device that a message it was sent has ended.
    case takeBack(MessageID, ChannelID)
    /// Send this reply, which waited until all acknowledgements before it were recorded.
    case say([UInt8])
    /// Answer no pings of the connection until `releasePongs`.
    case holdPongs
    case releasePongs

    /// Give the message to the store; its sender is answered once the store has replied.
    case keep(Message, SenderTicket)
    /// Tell the sender that the message was accepted.
    case answer(Message, SenderTicket)
    /// Call `due` at this time, unless `letGo` comes first: one `letGo` for each `hold`.
    case hold(until: Int64)
    case letGo

    /// Record in the store that the device is done with the message, then call `recorded`.
    case record(Acknowledgement)
    /// Read what waits in the store, then call `read` or `unreadable`.
    case read(PageRequest)
    /// The store failed: call `tryAgain` after a while.
    case wait
}

/// How the store finds a message that a device is done with.
package enum Acknowledgement: Equatable, Sendable {
    case message(MessageReference)
    /// A message that was not sent on this connection.
    case id(MessageID)

    package var id: MessageID {
        switch self {
        case .message(let reference): reference.id
        case .id(let id): id
        }
    }
}
