import Base
import Delivery
import WebPush

/// The server around the delivery.
extension DeliveryWorld {
    @discardableResult
    func tell<Answer>(
        _ connection: Int, _ body: (inout DeviceDelivery, inout [DeliveryAction]) -> Answer
    ) -> Answer? {
        guard var delivery = connections[connection]?.delivery else { return nil }
        var actions: [DeliveryAction] = []
        let answer = body(&delivery, &actions)
        connections[connection]?.delivery = delivery
        perform(actions, on: connection)
        return answer
    }

    func perform(_ actions: [DeliveryAction], on connection: Int) {
        for action in actions {
            switch action {
            case .write(let message, let channel): write(message, channel, on: connection)
            case .takeBack(let id, _):
                connections[connection]?.received.removeAll { $0 == id }
            case .say: if connection == current { heard(on: connection) }
            case .holdPongs, .releasePongs: break
            case .keep(let message, let sender): store.submit(.store(message, sender))
            case .answer(let message, _): witness.answered(message, isAccepted: true, at: now)
            case .hold(let time): window.hold(Self.device, until: time)
            case .letGo: window.letGo()
            case .record(let acknowledgement):
                store.submit(.acknowledge(acknowledgement, connection: connection))
            case .read(let page): reading.append((page, connection))
            case .wait: retries.append(connection)
            }
        }
    }

    static func channel(_ subscription: UInt32) -> ChannelID {
        ChannelID(Bits128(high: 3, low: UInt64(subscription)))
    }

    private func write(_ message: Message, _ channel: ChannelID, on connection: Int) {
        guard connection == current else { return }
        precondition(channel == Self.channel(message.address.subscription))
        let least = connections[connection]?.least ?? .veryLow
        witness.sent(message, on: connection, least, at: now)
        connections[connection]?.received.append(message.id)
    }

    /// Lets the time of held messages pass.
    func elapse() {
        nanoseconds += 1_000_000
        while let next = window.next(nanoseconds) {
            if let current { tell(current) { $0.due(next.time, &$1) } }
        }
    }

    func retry() {
        let waiting = retries
        retries = []
        for connection in waiting { tell(connection) { $0.tryAgain(&$1) } }
    }

    func read() {
        guard !reading.isEmpty else { return }
        let (request, connection) = reading.removeFirst()
        let page =
            dice.hits(20) ? nil : store.page(request, at: now, atMost: 1 + dice.roll(40))
        pages.append((page, connection))
    }

    func bringPage() {
        guard !pages.isEmpty else { return }
        let (page, connection) = pages.removeFirst()
        guard connections[connection]?.delivery.isOpen == true else { return }
        tell(connection) { delivery, actions in
            if let page { delivery.read(page, &actions) } else { delivery.unreadable(&actions) }
        }
    }

    /// Passes on one answer of the store.
    func tellOne() {
        guard let (operation, outcome) = store.nextAnswer() else { return }
        if case .unavailable = outcome { witness.doubted() }
        switch operation {
        case .store(let message, _): tellStored(message, outcome)
        case .acknowledge(let acknowledgement, let connection):
            if case .unavailable = outcome {
                tell(connection) { $0.unrecorded(acknowledgement, &$1) }
            } else {
                tell(connection) { $0.recorded(acknowledgement.id, &$1) }
            }
        case .withdraw(let reference):
            guard case .done = outcome else { return }
            if let current { tell(current) { $0.withdrawn(reference, &$1) } }
            witness.withdrawn(reference, at: now)
        case .arrive(let connection): greet(connection)
        case .begin(let subscription, let connection):
            guard case .done = outcome else { return }
            connections[connection]?.delivery.endpoints.add(
                subscription, Self.channel(subscription))
        case .end(let subscription, let connection):
            if case .unavailable = outcome { return }
            tell(connection) { $0.ended(subscription, &$1) }
            witness.ended(subscription, at: now)
        }
    }

    private func tellStored(_ message: Message, _ outcome: ModelStore.Outcome) {
        switch outcome {
        case .stored(let position):
            let time = now
            if let current { tell(current) { $0.stored(message, at: position, now: time, &$1) } }
            witness.answered(message, isAccepted: true, at: now)
        case .done: witness.answered(message, isAccepted: true, at: now)
        case .notFound:
            let wasSent = current.flatMap { tell($0) { $0.lost(message.id, &$1) } } ?? false
            witness.answered(message, isAccepted: wasSent, at: now)
        case .unavailable:
            let isAcknowledged =
                current.flatMap { tell($0) { delivery, _ in delivery.undecided(message.id) } }
                ?? false
            witness.answered(message, isAccepted: isAcknowledged && message.standsAlone, at: now)
        }
    }

    private func greet(_ connection: Int) {
        guard connection == current else { return }
        for subscription in store.subscriptions.sorted() {
            connections[connection]?.delivery.endpoints.add(
                subscription, Self.channel(subscription))
        }
        let takesBack = dice.hits(2)
        tell(connection) { $0.opened(takesBack: takesBack, &$1) }
    }

    /// The power fails.
    func crash() {
        store.crash()
        window = CommitWindow()
        connections = [:]
        current = nil
        pages = []
        reading = []
        retries = []
        witness.doubted()
        witness.forgetSenders()
    }

    /// Far more than any story needs.
    private static let mostRounds = 10_000

    /// Finishes everything that is under way, and lets time pass.
    func pump() {
        var rounds = 0
        repeat {
            rounds += 1
            guard rounds < Self.mostRounds else { return witness.fail("it never comes to rest") }
            elapse()
            elapse()
            elapse()
            store.commit(fails: false)
            while !store.isIdle { tellOne() }
            while !reading.isEmpty || !pages.isEmpty {
                bringPage()
                read()
            }
            retry()
        } while !store.isIdle || !reading.isEmpty || window.count > 0 || !retries.isEmpty
        nanoseconds += 1_200_000_000
        for connection in connections.keys { heard(on: connection) }
    }

    /// Connects the device until it has everything, then checks the promise.
    func settleAndCheck() {
        pump()
        witness.settled()
        connect()
        pump()
        while witness.broken == nil, let id = current.flatMap({ connections[$0]?.received.first }) {
            // Nothing new arrives meanwhile.
            acknowledge(id)
            pump()
        }
        if let current { witness.drained(current, at: now) }
        if witness.broken == nil, window.count != 0 || window.deadline != nil {
            witness.fail("a message is still held at the end")
        }
        if witness.broken == nil, ledger.room != store.room || ledger.hasOpenMarks {
            witness.fail("a message that was not stored still has its room or its mark")
        }
    }
}
