import WebPush

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
    #if DEBUG
        /// Set by tests only.
        package var mistake: DeliveryMistake?
    #endif

    package init() {}

    package var isOpen: Bool { phase == .open }
    /// So many acknowledgements wait to be recorded that the device must wait.
    package var isCrowded: Bool { replies.isCrowded }

    /// New messages can be sent directly.
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
