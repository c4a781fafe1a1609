import Base
package import WebPush

/// What one connection of a device was sent, and what waits for it.
///
/// It is a pure state machine: events come in, and what must be done is appended to `actions`, in
/// order. While nothing waits in the store, messages go directly to the device. Once something
/// waits there, because the device was away or got too much at once, the store is read from its
/// beginning. Messages that are outstanding or settled are skipped, so none is missed or sent
/// twice. An id is either outstanding or settled, never both.
package struct DeviceDelivery: Sendable {
    enum Phase {
        case greeting
        case open
        case closed
    }

    /// Why a message need not be sent to the device any more, and how far the store knows it.
    enum Settlement: Equatable {
        /// It was acknowledged; the store has not recorded that yet.
        case underWay
        /// The same, but the store failed and will be asked again.
        case waiting(Acknowledgement)
        /// It was taken back, or its endpoint ended, before it was stored.
        case unstored
        /// It ended, but the page being read may still contain it.
        case recorded
    }

    /// Nil for a user agent that never registered anything: the store has nothing about it.
    package var device: UInt32?
    package var endpoints = EndpointList()
    var outstanding: [Outstanding] = []
    var outstandingBytes = 0
    var settled: [MessageID: Settlement] = [:]
    var replies = HeldReplies()
    var phase = Phase.greeting
    var leastUrgency = Urgency.veryLow
    /// The client understands the words that take a message back.
    var takesBack = false
    var isReading = false
    /// The store has more for the device, or may have.
    var hasToRead = false
    /// The device must acknowledge something before more is sent.
    var isFull = false
    /// `wait` was asked for, and `tryAgain` has not been called yet.
    var willTryAgain = false
    /// How far the store was read: the last position that a page could include.
    var through = Int64.min
    #if PLANTED
        /// Tests set others.
        package var mistake = DeliveryMistake.chosen
    #endif

    package init() {}

    package var isOpen: Bool { phase == .open }
    /// So many acknowledgements wait to be recorded that the device must wait.
    package var isCrowded: Bool { replies.isCrowded }

    /// New messages can be sent directly.
    var isLive: Bool {
        #if PLANTED
            if mistake == .overtakes { return isOpen && !isFull }
        #endif
        return isOpen && !isFull && !isReading && !hasToRead
    }

    func wants(_ urgency: Urgency) -> Bool { urgency >= leastUrgency }

    var isHalfEmpty: Bool {
        outstanding.count <= DeliveryWindow.countLimit / 2
            && outstandingBytes <= DeliveryWindow.byteLimit / 2
    }

    func hasRoom(for length: Int) -> Bool {
        outstanding.isEmpty
            || (outstanding.count < DeliveryWindow.countLimit
                && outstandingBytes + length <= DeliveryWindow.byteLimit)
    }

    /// Devices mostly acknowledge in the order of sending.
    func index(of id: MessageID) -> Int? {
        outstanding.indices.first { outstanding[$0].message.id == id }
    }

    mutating func remove(at index: Int) -> Outstanding {
        let entry = outstanding.remove(at: index)
        outstandingBytes -= entry.length
        if outstanding.isEmpty, outstanding.capacity > Self.keptCapacity { outstanding = [] }
        return entry
    }

    /// Keeps a busy connection from allocating memory for each message.
    private static let keptCapacity = 4
}

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

#if PLANTED
    extension DeviceDelivery {
        mutating func settleAll(like message: Message, _ actions: inout [DeliveryAction]) {
            let topic = message.content.topic
            for other in outstanding where topic != nil && other.message.content.topic == topic {
                settle(.message(other.message.reference), &actions)
            }
        }
    }
#endif
