import Base
import Mailbox
import System
import WebPush

/// What is sent to the user agent.
extension AutopushChannel {
    /// Answers whether the message was sent.
    func send(_ message: Message) -> Bool {
        // Whether the session is open it says itself.
        !isLoading && !needsLoad && !isFull && offer(message) == .send
    }

    /// A message that nobody keeps, to whoever takes it at once.
    func sendOnce(_ message: Message) {
        if send(message) { expect(message, .fleeting) }
    }

    /// The message that was just sent is to be acknowledged.
    func expect(_ message: Message, _ state: Outstanding.State) {
        if let topic = message.content.topic, session.pointee.extensions.contains(.withdrawn) {
            withdrawOlder(topic, than: message)
        }
        outstanding.append(
            Outstanding(reference: message.reference, message: message, state: state))
    }

    private func offer(_ message: Message) -> AutopushSession.Delivery {
        // Its channel has ended, and the store has not said so yet.
        guard let channel = channels.channel(of: message.address.subscription) else {
            return .withhold
        }
        let delivery = session.pointee.deliver(
            message.id, length: message.content.body.count, urgency: message.content.urgency)
        switch delivery {
        case .send: write(message, to: channel)
        case .wait: isFull = true
        case .withhold: break
        }
        return delivery
    }

    private func write(_ message: Message, to channel: ChannelID) {
        let content = message.content
        let headers = content.encoding.map { encoding in
            PayloadHeaders(
                encoding: encoding,
                encryption: content.encryption.isEmpty ? nil : content.encryption,
                cryptoKey: content.cryptoKey.isEmpty ? nil : content.cryptoKey)
        }
        var notification = NotificationMessage(
            channel: channel, version: message.id, headers: headers)
        if !session.pointee.extensions.isEmpty {
            session.pointee.extend(
                &notification, ttl: lifeLeft(of: message), topic: content.topic,
                urgency: content.urgency)
        }
        connection?.send(textOfAbout: notification.capacity(bodyLength: content.body.count)) {
            notification.append(body: content.body.span, to: &$0)
        }
        desk.service.metrics.noteDelivered()
    }

    /// In seconds, begun ones counted; zero for one that was never to be kept.
    private func lifeLeft(of message: Message) -> UInt32 {
        guard message.content.ttl > 0 else { return 0 }
        let rest = message.expiry.milliseconds - desk.service.store.clock.now.milliseconds
        return max(1, min(message.content.ttl, UInt32(clamping: (rest + 999) / 1_000)))
    }

    /// The sender of a message that is held; from now on it is on its way to the disk.
    func takeHeld(_ id: MessageID) -> Reply? {
        guard let index = outstanding.index(of: id),
            case .held(_, let reply) = outstanding[index].state
        else { return nil }
        outstanding[index].state = .storing
        return reply
    }

    /// The client has done with it, on this connection or an earlier one.
    func acknowledged(_ id: MessageID) {
        guard let device else { return }
        desk.service.metrics.noteAcknowledged()
        guard let index = outstanding.index(of: id) else {
            strain += 1
            if mayWait(id, for: device) { settle(id, .acknowledgeByID(id, device: device)) }
            return
        }
        let entry = outstanding.remove(at: index)
        if outstanding.isEmpty, outstanding.capacity > Self.keptCapacity { outstanding = [] }
        #if PLANT_ACKNOWLEDGE_BY_TOPIC
            let topic = entry.message.content.topic
            for other in outstanding where topic != nil && other.message.content.topic == topic {
                settle(other.reference.id, .acknowledge(other.reference))
            }
        #endif
        switch entry.state {
        case .held(let slot, let reply): desk.settle(entry.message, slot, reply)
        case .storing, .stored: settle(id, .acknowledge(entry.reference))
        case .fleeting: break
        }
    }

    /// Whether the store may have a message that was not sent on this connection. All that waits was,
    /// unless it is being read, or held back.
    private func mayWait(_ id: MessageID, for device: UInt32) -> Bool {
        let isAllSent = isLive && session.pointee.wants(.veryLow)
        return !isAllSent && settled[id] == nil
            && desk.service.index.usage(ofDevice: device).messages > 0
    }

    private func settle(_ id: MessageID, _ operation: StoreOperation) {
        settled[id] = false
        if heldReplies.hold() { connection?.holdPongs() }
        desk.acknowledge(operation, id, for: self)
    }

    /// The store has recorded an acknowledgement.
    func recorded(_ id: MessageID) {
        if let replies = heldReplies.release() {
            connection?.releasePong()
            for reply in replies { connection?.send(text: reply.span) }
        }
        holdUp()
        // A page that is being read may have been begun before.
        settled[id] = isLoading ? true : nil
    }

    /// A message is on the disk. What stands before the end of the pages was in one of them.
    func stored(_ message: Message, at position: Int64) {
        if let index = outstanding.index(of: message.id) {
            outstanding[index].state = .stored
            return
        }
        let isAlive = message.expiry > desk.service.store.clock.now
        guard isAlive, settled[message.id] == nil,
            session.pointee.wants(message.content.urgency)
        else { return }
        if position > through, send(message) {
            expect(message, .stored)
        } else {
            needsLoad = true
            loadIfPossible()
        }
    }

    /// Its subscription ended before it was kept.
    func forget(_ id: MessageID) {
        guard let index = outstanding.index(of: id) else { return }
        outstanding.remove(at: index)
        perform(session.pointee.forget(id))
    }

    func withdrawn(_ reference: MessageReference) {
        guard let channel = channels.channel(of: reference.address.subscription) else { return }
        outstanding.removeAll { $0.reference.id == reference.id }
        var reply: [UInt8] = []
        let action = session.pointee.withdrawn(reference.id, channel, reply: &reply)
        perform(action, reply)
    }

    private func withdrawOlder(_ topic: Topic, than message: Message) {
        let older = outstanding.filter {
            $0.message.content.topic == topic
                && $0.reference.address.subscription == message.address.subscription
        }
        for entry in older { withdrawn(entry.reference) }
    }
}

/// What waits in the store.
extension AutopushChannel {
    func loadIfPossible() {
        guard let device, session.pointee.isOpen, needsLoad, !isLoading, !isFull else { return }
        needsLoad = false
        isLoading = true
        desk.load(.messages(PageRequest(device: device)), for: self)
    }

    func loaded(_ answer: LoadAnswer) {
        switch answer {
        case .subscriptions(let subscriptions): identified(with: subscriptions)
        case .page(let page): deliver(page)
        case .credentials, .owners, .callbacks, .callback, .registration, .engines: break
        case .unavailable where session.pointee.isOpen:
            isLoading = false
            needsLoad = true
            desk.loadLater(self)
        case .unavailable: replaced()
        }
    }

    private func deliver(_ page: StoredPage) {
        guard session.pointee.isOpen else { return }
        through = max(through, page.through)
        for message in page.messages where !isFull && !isKnown(message.id) {
            let id = message.id.bits.bytes
            Underway.mark(.message, id.span) {
                if offer(message) == .send { expect(message, .stored) }
            }
        }
        if !isFull, let next = page.next { return desk.load(.messages(next), for: self) }
        isLoading = false
        if !settled.isEmpty { settled = settled.filter { !$0.value } }
        // What is left is read again when there is room.
        if isFull { needsLoad = true } else { loadIfPossible() }
    }

    private func isKnown(_ id: MessageID) -> Bool {
        settled[id] != nil || outstanding.index(of: id) != nil
    }
}
