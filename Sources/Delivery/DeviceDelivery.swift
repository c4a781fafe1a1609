import WebPush

/// What one connection of a device was sent, and what waits for it.
///
/// Pure state: what happened comes in, and what is to be done is appended to `actions`, in order. It
/// delivers directly while nothing waits for the device in the store. Whenever something does, because
/// it came while the device was away, or was too much at once, the store is read from its beginning:
/// what is outstanding or was settled is passed over, so that nothing is missed or comes twice. An id
/// is either outstanding or settled, and nowhere else.
package struct DeviceDelivery: Sendable {
    /// Where the device stands.
    enum Phase {
        case greeting
        case open
        case closed
    }

    /// How far the end of a message is that the device need not be sent any more.
    enum Settlement: Equatable {
        /// It was acknowledged, and the store does not have that yet.
        case underWay
        /// The same; the store could not, and is asked again.
        case waiting(Acknowledgement)
        /// It was taken back before it was stored.
        case unstored
        /// It may still be in the page that is being read.
        case recorded
    }

    /// Nil for a user agent that has never registered anything: nothing is kept of it.
    package var device: UInt32?
    package var endpoints = EndpointList()
    var outstanding: [Outstanding] = []
    var outstandingBytes = 0
    var settled: [MessageID: Settlement] = [:]
    var replies = HeldReplies()
    var phase = Phase.greeting
    var leastUrgency = Urgency.veryLow
    /// It understands that a message is taken back.
    var takesBack = false
    /// The store is being read.
    var isReading = false
    /// The store has more for it, or may have.
    var hasToRead = false
    /// The device has to acknowledge something before more is sent.
    var isFull = false
    /// `wait` was said, and `tryAgain` not yet.
    var willTryAgain = false
    /// How far the store was read: the position of the last message that a page could have.
    var through = Int64.min
    #if DEBUG
        /// Made by tests alone, to see that it is found.
        package var mistake: DeliveryMistake?
    #endif

    package init() {}

    package var isOpen: Bool { phase == .open }
    package var isClosed: Bool { phase == .closed }
    /// The store has so much to record for this device that nothing more is to be read of it.
    package var isCrowded: Bool { replies.isCrowded }

    /// What comes can be sent at once.
    var isLive: Bool {
        isOpen && !isFull && (!isReading && !hasToRead || makes(.overtakes))
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

    /// What was sent first is mostly acknowledged first.
    func index(of id: MessageID) -> Int? {
        outstanding.indices.first { outstanding[$0].message.id == id }
    }

    mutating func remove(at index: Int) -> Outstanding {
        let entry = outstanding.remove(at: index)
        outstandingBytes -= entry.length
        if outstanding.isEmpty, outstanding.capacity > Self.keptCapacity { outstanding = [] }
        return entry
    }

    /// A busy connection need not ask for memory each time.
    private static let keptCapacity = 4
}
