import WebPush

/// Messages.
extension DeviceDelivery {
    /// A message is to be accepted.
    package mutating func accept(
        _ message: Message, from sender: SenderTicket, at now: @autoclosure () -> Int64,
        _ actions: inout [DeliveryAction]
    ) {
        if makes(.answersTooEarly) { actions.append(.answer(message, sender)) }
        // What may be repeated has to be known for good before anybody gets it, or a repetition
        // would come as another message.
        guard message.mark == nil, isLive else { return Self.keep(message, sender, &actions) }
        let content = message.content
        // RFC 8030 section 5.2: now or never.
        if content.ttl == 0 {
            _ = send(message, .fleeting, &actions)
            return Self.keep(message, sender, &actions)
        }
        // What replaces another message has to be on the disk before its sender hears of it.
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

    /// What its device does not get at once.
    package static func keep(
        _ message: Message, _ sender: SenderTicket, _ actions: inout [DeliveryAction]
    ) {
        actions.append(message.needsStore ? .keep(message, sender) : .answer(message, sender))
    }

    /// It was held, and need not be written any more.
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

    /// Sends what the device takes now, and answers whether it did.
    mutating func send(
        _ message: Message, _ place: Outstanding.Place, _ actions: inout [DeliveryAction]
    ) -> Bool {
        // Without its endpoint: that has ended, and the store has not said so yet.
        guard wants(message.content.urgency),
            let channel = endpoints.channel(of: message.address.subscription)
        else { return false }
        let entry = Outstanding(message: message, place: place)
        guard hasRoom(for: entry.length) else {
            if makes(.dropsTheOldest) {
                settle(.message(remove(at: 0).message.reference), &actions)
            }
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

    /// What was held until then goes to the store.
    package mutating func due(_ now: Int64, _ actions: inout [DeliveryAction]) {
        for index in outstanding.indices {
            guard case .held(let sender, let due) = outstanding[index].place, due <= now
            else { continue }
            outstanding[index].place = .storing
            giveUp(outstanding[index].message, sender, &actions)
        }
    }

    /// Its sender took it back, or it was replaced by a later one of its topic.
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
        if case .storing = entry.place { settled[message.id] = .unstored }
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
