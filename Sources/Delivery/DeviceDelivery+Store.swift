package import WebPush

/// The store.
extension DeviceDelivery {
    /// A message is on the disk, at this position. What stands before the end of the pages was in one
    /// of them.
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

    /// It was not kept: its subscription has ended.
    package mutating func lost(_ id: MessageID, _ actions: inout [DeliveryAction]) {
        guard let index = index(of: id) else { return undecided(id) }
        _ = remove(at: index)
        goOn(&actions)
    }

    /// The store does not know whether it has it: an acknowledgement would end it there all the same.
    package mutating func undecided(_ id: MessageID) {
        if let index = index(of: id) {
            outstanding[index].place = .stored
        } else if settled[id] == .unstored {
            forget(id)
        }
    }

    /// A page that is being read may have been begun before it ended.
    private mutating func forget(_ id: MessageID) {
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

    /// The store could not take an acknowledgement.
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

    /// A part of what waits.
    package mutating func read(_ page: StoredPage, _ actions: inout [DeliveryAction]) {
        guard isOpen else { return }
        through = max(through, page.through)
        for message in page.messages where !isFull && !isKnown(message.id) {
            _ = send(message, .stored, &actions)
        }
        if !isFull, let next = page.next { return actions.append(.read(next)) }
        isReading = false
        if !settled.isEmpty { settled = settled.filter { $0.value != .recorded } }
        // What is left is read again when there is room.
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
