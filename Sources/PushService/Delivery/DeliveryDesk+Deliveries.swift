import Base
import Delivery
import Mailbox
import System
import WebPush

/// Passes events to the deliveries of its connections, and carries out what they decide.
extension DeliveryDesk {
    /// `body` passes an event to the delivery; `isPage` marks a page from the store.
    @discardableResult
    func update<Answer>(
        _ connection: UserAgentConnection, isPage: Bool = false,
        _ body: (inout DeviceDelivery, inout [DeliveryAction]) -> Answer
    ) -> Answer {
        var actions: [DeliveryAction] = []
        swap(&actions, &self.actions)
        let answer = body(&connection.delivery.pointee, &actions)
        for action in actions { perform(action, on: connection, isPage) }
        // An action may have called `update` again, which then used a list of its own.
        actions.removeAll(keepingCapacity: true)
        swap(&actions, &self.actions)
        return answer
    }

    private func perform(
        _ action: DeliveryAction, on connection: UserAgentConnection, _ isPage: Bool
    ) {
        switch action {
        case .write(let message, let channel) where isPage:
            let id = message.id.bits.bytes
            CrashMarker.mark(.message, id.span) { connection.write(message, to: channel) }
        case .write(let message, let channel): connection.write(message, to: channel)
        case .takeBack(let id, let channel): connection.takeBack(id, of: channel)
        case .say(let reply): connection.socket?.send(text: reply.span)
        case .holdPongs: connection.socket?.holdPongs()
        case .releasePongs: connection.socket?.releasePong()
        case .keep(let message, let sender): keep(message, sender)
        case .answer(let message, let sender): answer(sender, message, .accepted)
        case .hold(let time):
            guard let device = connection.device else { return }
            window.hold(device, until: time)
            setTimer()
        case .letGo:
            window.letGo()
            if window.count == 0 { cancelTimer() }
        case .record(let acknowledgement): record(acknowledgement, of: connection)
        case .read(let page):
            store.load(.messages(page), ticket: operations.put(.page(connection)), to: self)
        case .wait:
            retries.append(connection)
            setRetry()
        }
    }

    func read(_ answer: LoadAnswer, on connection: UserAgentConnection) {
        if case .page(let page) = answer {
            update(connection, isPage: true) { $0.read(page, &$1) }
        } else if connection.session.pointee.isOpen {
            update(connection) { $0.unreadable(&$1) }
        }
    }

    private func record(_ acknowledgement: Acknowledgement, of connection: UserAgentConnection) {
        guard let device = connection.device else { return }
        let operation: StoreOperation =
            switch acknowledgement {
            case .message(let reference): .acknowledge(reference)
            case .id(let id): .acknowledgeByID(id, device: device)
            }
        submit(operation, .acknowledgement(acknowledgement, connection))
    }

    func recorded(
        _ acknowledgement: Acknowledgement, of connection: UserAgentConnection,
        _ outcome: StoreOutcome
    ) {
        guard outcome == .unavailable, unrecorded < Self.unrecordedLimit else {
            update(connection) { $0.recorded(acknowledgement.id, &$1) }
            return connection.updateReading()
        }
        unrecorded += 1
        update(connection) { $0.unrecorded(acknowledgement, &$1) }
    }

    /// Beyond this many, acknowledgements are not retried, and their messages may come again.
    private static let unrecordedLimit = 65_536
}

/// What became of a message.
extension DeliveryDesk {
    /// The device is told first, so that the sender's next push comes after it.
    func verdict(_ message: Message, _ outcome: StoreOutcome) -> Verdict {
        let connection = connections[message.address.device]
        switch outcome {
        case .stored(let position): announce(message, at: position)
        case .notFound:
            // A sender that is told that an endpoint is gone believes that the message never
            // arrived.
            let wasSent = connection.map { update($0) { $0.lost(message.id, &$1) } }
            if wasSent == true { return .accepted }
        default:
            let isAcknowledged = connection.map {
                update($0) { delivery, _ in delivery.undecided(message.id) }
            }
            // The sender would repeat what the device has.
            if isAcknowledged == true, message.standsAlone { return .accepted }
        }
        return Verdict(outcome)
    }

    /// Tells the device's delivery that a message was stored.
    func announce(_ message: Message, at position: Int64) {
        let device = message.address.device
        if let connection = connections[device] {
            let clock = store.clock
            return update(connection) {
                $0.stored(message, at: position, now: clock.now, &$1)
            }
        }
        guard let desk = directory.desk(of: device), desk !== self else { return }
        // This may come late. Meanwhile the device may have acknowledged what an earlier connection
        // had sent it, so only the store knows whether the message still waits.
        desk.loop.post { desk.stored(elsewhere: position, device) }
    }

    /// Another loop or node has stored a message for the device.
    func stored(elsewhere position: Int64, _ device: UInt32) {
        guard let connection = connections[device] else { return }
        update(connection) { $0.stored(elsewhere: position, &$1) }
    }

    func withdrawn(_ reference: MessageReference) {
        let device = reference.address.device
        if let connection = connections[device] {
            return update(connection) { $0.withdrawn(reference, &$1) }
        }
        guard let desk = directory.desk(of: device), desk !== self else { return }
        desk.loop.post {
            if let connection = desk.connections[device] {
                desk.update(connection) { $0.withdrawn(reference, &$1) }
            }
        }
    }
}

/// Held messages that are due, and retries after the store has failed.
extension DeliveryDesk: TimerHandler {
    private static let commit: UInt64 = 0
    private static let retry: UInt64 = 1
    private static let retryPause = Interval(.seconds(1))

    func timerFired(_ cookie: UInt64) {
        guard cookie == Self.commit else { return tryAgain() }
        timer = nil
        while let (device, time) = window.next(loop.now.nanoseconds) {
            guard let connection = connections[device] else { continue }
            update(connection) { $0.due(time, &$1) }
        }
        setTimer()
    }

    private func setTimer() {
        guard timer == nil, let deadline = window.deadline else { return }
        let rest = max(0, deadline - loop.now.nanoseconds)
        timer = loop.schedule(after: Interval(.nanoseconds(rest)), self, cookie: Self.commit)
    }

    /// Lets an idle loop sleep.
    private func cancelTimer() {
        guard let timer else { return }
        loop.cancel(timer)
        self.timer = nil
    }

    private func setRetry() {
        guard !isRetrySet else { return }
        isRetrySet = true
        _ = loop.schedule(after: Self.retryPause, self, cookie: Self.retry)
    }

    private func tryAgain() {
        isRetrySet = false
        let waiting = retries
        retries = []
        unrecorded = 0
        for connection in waiting { update(connection) { $0.tryAgain(&$1) } }
    }
}
