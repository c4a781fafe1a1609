package import WebPush

/// Answers from the store.
extension DeviceDelivery {
    /// The message is on the disk, at this position. Positions up to `through` were in the pages
    /// read so far.
    package mutating func stored(
        _ message: Message, at position: Int64, now: @autoclosure () -> StoreTime,
        _ actions: inout [DeliveryAction]
    ) {
        if let index = index(of: message.id) {
            outstanding[index].place = .stored
            return
        }
        if settled[message.id] == .unstored { return forget(message.id) }
        guard settled[message.id] == nil, message.expiry > now(), wants(message.content.urgency)
        else { return }
        guard position > through, isLive, send(message, .stored, &actions) else {
            hasToRead = true
            return readIfPossible(&actions)
        }
    }

    /// Another store has stored a message for the device, at this position.
    package mutating func stored(elsewhere position: Int64, _ actions: inout [DeliveryAction]) {
        guard position > through else { return }
        hasToRead = device != nil
        readIfPossible(&actions)
    }

    /// The message was not stored, because its subscription has ended. True if the device was sent
    /// it before: then it is no message that never arrived.
    @discardableResult
    package mutating func lost(_ id: MessageID, _ actions: inout [DeliveryAction]) -> Bool {
        guard let index = index(of: id) else {
            defer { undecided(id) }
            return settled[id] != nil
        }
        _ = remove(at: index)
        goOn(&actions)
        return true
    }

    /// The store may have the message or not. An acknowledgement would end it there anyway; true if
    /// the device has sent it.
    @discardableResult
    package mutating func undecided(_ id: MessageID) -> Bool {
        if let index = index(of: id) {
            outstanding[index].place = .stored
            return false
        }
        guard settled[id] == .unstored else { return settled[id] != nil }
        forget(id)
        return false
    }

    /// A page that is being read may still contain the message.
    mutating func forget(_ id: MessageID) {
        settled[id] = isReading && !makes(.forgetsSettled) ? .recorded : nil
    }

    /// An acknowledgement is on the disk.
    package mutating func recorded(_ id: MessageID, _ actions: inout [DeliveryAction]) {
        if let waiting = replies.release() {
            actions.append(.releasePongs)
            for reply in waiting { actions.append(.say(reply)) }
        }
        forget(id)
    }

    /// The store failed to record an acknowledgement.
    package mutating func unrecorded(
        _ acknowledgement: Acknowledgement, _ actions: inout [DeliveryAction]
    ) {
        settled[acknowledgement.id] = .waiting(acknowledgement)
        wait(&actions)
    }

    private mutating func wait(_ actions: inout [DeliveryAction]) {
        if !willTryAgain { actions.append(.wait) }
        willTryAgain = true
    }

    package mutating func tryAgain(_ actions: inout [DeliveryAction]) {
        willTryAgain = false
        for (id, settlement) in settled {
            guard case .waiting(let acknowledgement) = settlement else { continue }
            settled[id] = .underWay
            actions.append(.record(acknowledgement))
        }
        readIfPossible(&actions)
    }

    mutating func readAnew(_ actions: inout [DeliveryAction]) {
        isFull = false
        hasToRead = device != nil
        readIfPossible(&actions)
    }

    private mutating func readIfPossible(_ actions: inout [DeliveryAction]) {
        guard let device, isOpen, hasToRead, !isReading, !isFull else { return }
        hasToRead = false
        isReading = true
        actions.append(.read(PageRequest(device: device)))
    }

    /// The store answered with a page of waiting messages.
    package mutating func read(_ page: StoredPage, _ actions: inout [DeliveryAction]) {
        guard isOpen else { return }
        through = max(through, page.through)
        for message in page.messages where !isFull && !isKnown(message.id) {
            _ = send(message, .stored, &actions)
        }
        if !isFull, let next = page.next { return actions.append(.read(next)) }
        isReading = false
        if !settled.isEmpty { settled = settled.filter { $0.value != .recorded } }
        // The rest is read when there is room again.
        if isFull { hasToRead = true } else { readIfPossible(&actions) }
    }

    private func isKnown(_ id: MessageID) -> Bool {
        settled[id] != nil || index(of: id) != nil && !makes(.sendsTwice)
    }

    /// The store could not be read.
    package mutating func unreadable(_ actions: inout [DeliveryAction]) {
        isReading = false
        hasToRead = true
        wait(&actions)
    }
}
