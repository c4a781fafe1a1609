package import WebPush

/// The device.
extension DeviceDelivery {
    /// It was greeted.
    package mutating func opened(takesBack: Bool, _ actions: inout [DeliveryAction]) {
        phase = .open
        self.takesBack = takesBack
        readAnew(&actions)
    }

    /// It wants messages of this urgency and above.
    package mutating func wants(from least: Urgency, _ actions: inout [DeliveryAction]) {
        let takesMore = least < leastUrgency
        leastUrgency = least
        if takesMore { readAnew(&actions) }
    }

    /// What it says in answer waits as long as something it acknowledged is not recorded.
    package enum Turn {
        case now
        case later
        /// It waits for more than it may.
        case never
    }

    package mutating func turn(of reply: borrowing [UInt8]) -> Turn {
        guard replies.isHolding, !makes(.repliesTooEarly) else { return .now }
        return replies.put(reply) ? .later : .never
    }

    /// It has done with a message, on this connection or an earlier one. False for one that it was not
    /// sent on this one; `isWaiting`: the store has something for the device.
    package mutating func acknowledged(
        _ id: MessageID, isWaiting: @autoclosure () -> Bool, _ actions: inout [DeliveryAction]
    ) -> Bool {
        guard let index = index(of: id) else {
            if mayWait(id), isWaiting() { settle(.id(id), &actions) }
            return false
        }
        let entry = remove(at: index)
        if makes(.settlesTopics) { settleAll(like: entry.message, &actions) }
        switch entry.place {
        case .held(let sender, _): answer(entry.message, sender, &actions)
        case .storing, .stored: settle(.message(entry.message.reference), &actions)
        case .fleeting: break
        }
        return true
    }

    /// Whether the store may have a message that was not sent on this connection. All that waits was,
    /// unless it is being read, or held back.
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

    /// Something it was sent has ended: there may be room for more.
    package mutating func goOn(_ actions: inout [DeliveryAction]) {
        if isOpen, isFull, isHalfEmpty { readAnew(&actions) }
    }

    /// An endpoint of the device ended, and its messages with it; those that are held have been
    /// delivered, so they were accepted.
    package mutating func ended(_ subscription: UInt32, _ actions: inout [DeliveryAction]) {
        endpoints.remove(subscription)
        while let index = outstanding.firstIndex(where: {
            $0.message.address.subscription == subscription
        }) {
            let entry = remove(at: index)
            if case .held(let sender, _) = entry.place {
                answer(entry.message, sender, &actions)
            }
        }
        goOn(&actions)
    }

    /// It is gone, or was let go: what it has not acknowledged is for the store, and for its next
    /// connection.
    package mutating func closed(_ actions: inout [DeliveryAction]) {
        phase = .closed
        let left = outstanding
        outstanding = []
        outstandingBytes = 0
        for entry in left {
            guard case .held(let sender, _) = entry.place else { continue }
            if makes(.answersForTheLost) {
                answer(entry.message, sender, &actions)
            } else {
                giveUp(entry.message, sender, &actions)
            }
        }
    }
}
