import Base
import Delivery
import Mailbox
import System
import WebPush

/// Passes events to the delivery and carries out its actions.
extension UserAgentConnection {
    /// `body` passes an event to the delivery; `isReading` marks a page from the store.
    @discardableResult
    func update<Answer>(
        isReading: Bool = false,
        _ body: (inout DeviceDelivery, inout [DeliveryAction]) -> Answer
    ) -> Answer {
        var actions: [DeliveryAction] = []
        swap(&actions, &desk.actions)
        let answer = body(&delivery.pointee, &actions)
        for action in actions { perform(action, isReading) }
        // An action may have called `update` again, which then used a list of its own.
        actions.removeAll(keepingCapacity: true)
        swap(&actions, &desk.actions)
        return answer
    }

    private func perform(_ action: DeliveryAction, _ isReading: Bool) {
        switch action {
        case .write(let message, let channel) where isReading:
            let id = message.id.bits.bytes
            Underway.mark(.message, id.span) { write(message, to: channel) }
        case .write(let message, let channel): write(message, to: channel)
        case .takeBack(let id, let channel):
            var reply: [UInt8] = []
            ServerMessage.appendWithdrawn(id, channel, to: &reply)
            say(reply)
        case .say(let reply): connection?.send(text: reply.span)
        case .holdPongs: connection?.holdPongs()
        case .releasePongs: connection?.releasePong()
        case .keep(let message, let sender): desk.keep(message, sender)
        case .answer(let message, let sender): desk.answer(sender, message, .accepted)
        case .hold(let time): if let device { desk.hold(device, until: time) }
        case .letGo: desk.letGo()
        case .record(let acknowledgement): record(acknowledgement)
        case .read(let page): desk.load(.messages(page), for: self)
        case .wait: desk.tryLater(self)
        }
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

    func accept(_ message: Message, _ sender: SenderTicket) {
        // What cannot be stored is refused, and its sender will repeat it: the device must not have
        // it twice.
        guard !message.needsStore || desk.service.store.isUsable else {
            return desk.keep(message, sender)
        }
        update { $0.accept(message, from: sender, at: Instant.now.nanoseconds, &$1) }
    }

    func stored(_ message: Message, at position: Int64) {
        let clock = desk.service.store.clock
        update { $0.stored(message, at: position, now: clock.now, &$1) }
    }

    /// How many seconds are left, rounded up; zero for a message with a TTL of 0.
    private func lifeLeft(of message: Message) -> UInt32 {
        guard message.content.ttl > 0 else { return 0 }
        let rest = message.expiry.milliseconds - desk.service.store.clock.now.milliseconds
        return max(1, min(message.content.ttl, UInt32(clamping: (rest + 999) / 1_000)))
    }

    /// The client acknowledged a message of this connection or an earlier one.
    func acknowledged(_ id: MessageID) {
        guard let device else { return }
        desk.service.metrics.noteAcknowledged()
        record(.delivered)
        let index = desk.service.index
        let isKnown = update {
            $0.acknowledged(id, isWaiting: index.usage(ofDevice: device).messages > 0, &$1)
        }
        if !isKnown { strain += 1 }
    }

    func record(_ kind: ServerEvent.Kind) {
        desk.service.record(
            ServerEvent(kind, device: device ?? 0, credential: pass.credential ?? 0))
    }

    private func record(_ acknowledgement: Acknowledgement) {
        guard let device else { return }
        switch acknowledgement {
        case .message(let reference): desk.record(.acknowledge(reference), acknowledgement, self)
        case .id(let id): desk.record(.acknowledgeByID(id, device: device), acknowledgement, self)
        }
    }

    func recorded(_ id: MessageID) {
        update { $0.recorded(id, &$1) }
        holdUp()
    }

    func loaded(_ answer: LoadAnswer) {
        switch answer {
        case .subscriptions(let subscriptions): identified(with: subscriptions)
        case .page(let page): update(isReading: true) { $0.read(page, &$1) }
        case .credentials, .owners, .callbacks, .callback, .registration, .engines, .export: break
        case .unavailable where session.pointee.isOpen: update { $0.unreadable(&$1) }
        case .unavailable: replaced()
        }
    }
}
