package import WebPush

/// Events from the device.
extension DeviceDelivery {
    /// The device said hello and was answered.
    package mutating func opened(takesBack: Bool, _ actions: inout [DeliveryAction]) {
        phase = .open
        self.takesBack = takesBack
        readAnew(&actions)
    }

    /// The device wants messages of this urgency and above.
    package mutating func wants(from least: Urgency, _ actions: inout [DeliveryAction]) {
        let takesMore = least < leastUrgency
        leastUrgency = least
        if takesMore { readAnew(&actions) }
    }

    /// When a reply may be sent: it waits while an acknowledgement is not recorded.
    package enum Turn {
        case now
        case later
        /// Too many replies wait already.
        case never
    }

    package mutating func turn(of reply: borrowing [UInt8]) -> Turn {
        #if PLANTED
            if mistake == .repliesTooEarly { return .now }
        #endif
        guard replies.isHolding else { return .now }
        return replies.put(reply) ? .later : .never
    }

    /// The device acknowledged a message of this connection or an earlier one. Returns false if it
    /// was not sent on this one. `isWaiting`: whether the store has messages for the device.
    package mutating func acknowledged(
        _ id: MessageID, isWaiting: @autoclosure () -> Bool, _ actions: inout [DeliveryAction]
    ) -> Bool {
        guard let index = index(of: id) else {
            if mayWait(id), isWaiting() { settle(.id(id), &actions) }
            return false
        }
        let entry = remove(at: index)
        #if PLANTED
            if mistake == .settlesTopics { settleAll(like: entry.message, &actions) }
        #endif
        switch entry.place {
        case .held(let sender, _): answer(entry.message, sender, &actions)
        case .storing, .stored: settle(.message(entry.message.reference), &actions)
        case .fleeting: break
        }
        return true
    }

    /// Whether the store may have a message that was not sent on this connection. It may while the
    /// store is being read, or while messages are held back.
    private func mayWait(_ id: MessageID) -> Bool {
        !(isLive && wants(.veryLow)) && settled[id] == nil
    }

    mutating func settle(
        _ acknowledgement: Acknowledgement, _ actions: inout [DeliveryAction]
    ) {
        settled[acknowledgement.id] = .underWay
        if replies.hold() { actions.append(.holdPongs) }
        actions.append(.record(acknowledgement))
    }

    /// A message that was sent has ended, so there may be room for more.
    package mutating func goOn(_ actions: inout [DeliveryAction]) {
        if isOpen, isFull, isHalfEmpty { readAnew(&actions) }
    }

    /// An endpoint of the device ended, and its messages with it. Messages that were not stored yet
    /// were delivered, so their senders are told that they were accepted.
    package mutating func ended(_ subscription: UInt32, _ actions: inout [DeliveryAction]) {
        endpoints.remove(subscription)
        while let index = outstanding.firstIndex(where: {
            $0.message.address.subscription == subscription
        }) {
            let entry = remove(at: index)
            switch entry.place {
            case .held(let sender, _): answer(entry.message, sender, &actions)
            case .storing: settled[entry.message.id] = .unstored
            case .stored, .fleeting: break
            }
        }
        goOn(&actions)
    }

    /// The device disconnected or was replaced: messages still held go to the store, for its next
    /// connection.
    package mutating func closed(_ actions: inout [DeliveryAction]) {
        phase = .closed
        let left = outstanding
        outstanding = []
        outstandingBytes = 0
        for entry in left {
            guard case .held(let sender, _) = entry.place else { continue }
            #if PLANTED
                if mistake == .answersForTheLost {
                    answer(entry.message, sender, &actions)
                    continue
                }
            #endif
            giveUp(entry.message, sender, &actions)
        }
    }
}

/// Replies that wait until all acknowledgements before them are recorded: a client that gets a
/// reply after an acknowledgement may rely on that acknowledgement.
struct HeldReplies: Sendable {
    private var replies: [[UInt8]] = []
    private var unrecorded = 0

    /// Far more than an honest client asks for while one commit runs.
    private static let limit = 256

    /// More than a client acknowledges at once if it reads as fast as messages are sent.
    private static let crowd = 1_024

    var isHolding: Bool { unrecorded > 0 }
    /// The store has so much to record for this client that the client must not ask for more.
    var isCrowded: Bool { unrecorded >= Self.crowd }

    /// An acknowledgement goes to the store. Returns true if it is the only one.
    mutating func hold() -> Bool {
        unrecorded += 1
        return unrecorded == 1
    }

    /// An acknowledgement was recorded. Returns the replies to send now, if it was the last one.
    mutating func release() -> [[UInt8]]? {
        unrecorded -= 1
        guard unrecorded == 0 else { return nil }
        defer { replies = [] }
        return replies
    }

    /// Returns false, and keeps nothing, if there is no room.
    mutating func put(_ reply: borrowing [UInt8]) -> Bool {
        guard replies.count < Self.limit else { return false }
        replies.append(copy reply)
        return true
    }
}
