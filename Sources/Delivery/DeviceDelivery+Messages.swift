import WebPush

/// Accepting and withdrawing messages.
extension DeviceDelivery {
    /// Sends a message to the device if it can take it now, or gives it to the store.
    package mutating func accept(
        _ message: Message, from sender: SenderTicket, at now: @autoclosure () -> Int64,
        _ actions: inout [DeliveryAction]
    ) {
        #if PLANTED
            if mistake == .answersTooEarly { actions.append(.answer(message, sender)) }
        #endif
        // A message that its sender may repeat is stored before it is sent. Otherwise a repetition
        // could arrive as a second message.
        guard message.mark == nil, isLive else { return Self.keep(message, sender, &actions) }
        let content = message.content
        // RFC 8030 section 5.2: deliver it now or never.
        if content.ttl == 0 {
            _ = send(message, .fleeting, &actions)
            return Self.keep(message, sender, &actions)
        }
        // A message that may replace another is stored before its sender is answered.
        if content.topic != nil {
            _ = send(message, .storing, &actions)
            return Self.keep(message, sender, &actions)
        }
        let due = now() + CommitWindow.span
        guard send(message, .held(sender, due: due), &actions) else {
            return Self.keep(message, sender, &actions)
        }
        actions.append(.hold(until: due))
    }

    /// Handles a message that the device does not get at once.
    package static func keep(
        _ message: Message, _ sender: SenderTicket, _ actions: inout [DeliveryAction]
    ) {
        actions.append(message.needsStore ? .keep(message, sender) : .answer(message, sender))
    }

    /// Answers the sender of a held message, which need not be written any more.
    func answer(
        _ message: Message, _ sender: SenderTicket, _ actions: inout [DeliveryAction]
    ) {
        actions.append(.letGo)
        actions.append(.answer(message, sender))
    }

    func giveUp(
        _ message: Message, _ sender: SenderTicket, _ actions: inout [DeliveryAction]
    ) {
        actions.append(.letGo)
        actions.append(.keep(message, sender))
    }

    /// Sends the message if the device takes it now, and returns whether it did.
    mutating func send(
        _ message: Message, _ place: Outstanding.Place, _ actions: inout [DeliveryAction]
    ) -> Bool {
        // The endpoint may have ended without the store having said so yet.
        guard wants(message.content.urgency),
            let channel = endpoints.channel(of: message.address.subscription)
        else { return false }
        let entry = Outstanding(message: message, place: place)
        guard hasRoom(for: entry.length) else {
            #if PLANTED
                if mistake == .dropsTheOldest {
                    settle(.message(remove(at: 0).message.reference), &actions)
                }
            #endif
            isFull = true
            return false
        }
        actions.append(.write(message, channel))
        if takesBack, let topic = message.content.topic {
            takeBackOlder(topic, of: message.address.subscription, &actions)
        }
        outstanding.append(entry)
        outstandingBytes += entry.length
        return true
    }

    /// Gives messages that were held until `now` to the store.
    package mutating func due(_ now: Int64, _ actions: inout [DeliveryAction]) {
        for index in outstanding.indices {
            guard case .held(let sender, let due) = outstanding[index].place, due <= now
            else { continue }
            outstanding[index].place = .storing
            giveUp(outstanding[index].message, sender, &actions)
        }
    }

    /// The sender withdrew the message, or a later one of its topic replaced it.
    package mutating func withdrawn(
        _ reference: MessageReference, _ actions: inout [DeliveryAction]
    ) {
        guard let index = index(of: reference.id) else { return }
        takeBack(at: index, &actions)
        goOn(&actions)
    }

    private mutating func takeBack(at index: Int, _ actions: inout [DeliveryAction]) {
        let entry = remove(at: index)
        let message = entry.message
        switch entry.place {
        case .storing: settled[message.id] = .unstored
        case .stored: forget(message.id)
        case .held, .fleeting: break
        }
        guard isOpen, takesBack,
            let channel = endpoints.channel(of: message.address.subscription)
        else { return }
        actions.append(.takeBack(message.id, channel))
    }

    private mutating func takeBackOlder(
        _ topic: Topic, of subscription: UInt32, _ actions: inout [DeliveryAction]
    ) {
        while let index = outstanding.firstIndex(where: {
            $0.message.content.topic == topic && $0.message.address.subscription == subscription
        }) {
            takeBack(at: index, &actions)
        }
    }
}
