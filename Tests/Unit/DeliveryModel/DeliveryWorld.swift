import Base
package import Delivery
import WebPush

/// Simulates senders, a device that comes and goes, and a store that may crash. Dice decide what
/// happens to the real delivery, and a witness compares what is seen with the promise.
package final class DeliveryWorld {
    /// One connection of the device, with what its client knows.
    struct Connection {
        var delivery = DeviceDelivery()
        /// The messages that were sent to the client and are not acknowledged.
        var received: [MessageID] = []
        /// The messages that the client acknowledged since the server last sent it anything.
        var unconfirmed: [MessageID] = []
        var least = Urgency.veryLow
    }

    static let device: UInt32 = 1

    var dice: Dice
    let ledger: ModelLedger
    var store: ModelStore
    var window = CommitWindow()
    var witness = Witness()
    /// The deliveries since the last crash of the server. The device has the last one, unless it is
    /// gone.
    var connections: [Int: Connection] = [:]
    var current: Int?
    var connectionCount = 0
    /// Pages that were read and not delivered yet.
    var pages: [(StoredPage?, connection: Int)] = []
    var reading: [(PageRequest, connection: Int)] = []
    var retries: [Int] = []
    var number = 0
    var subscriptions: UInt32 = 1
    /// The time since the machine started.
    var nanoseconds: Int64 = 0
    /// What a test changes in each connection.
    private let prepare: (inout DeviceDelivery) -> Void

    package init(_ dice: Dice, prepare: @escaping (inout DeviceDelivery) -> Void = { _ in }) {
        let ledger = ModelLedger()
        self.ledger = ledger
        store = ModelStore(ledger)
        self.dice = dice
        self.prepare = prepare
    }

    var now: StoreTime { StoreTime(milliseconds: nanoseconds / 1_000_000) }

    /// Runs this many events. Returns how a promise was broken, or nil.
    package func run(_ events: Int) -> String? {
        var count = 0
        while count < events, witness.broken == nil, !dice.isOver {
            happen()
            count += 1
        }
        if witness.broken == nil { settleAndCheck() }
        return witness.broken.map { "after \(count) events: \($0)" }
    }

    /// One event, of the kind and with the details that these dice show.
    package func happen(_ dice: Dice) {
        self.dice = dice
        happen()
    }

    /// Lets everything come to its end, and checks that nothing is missing.
    package func settle() {
        if witness.broken == nil { settleAndCheck() }
    }

    /// How a promise was broken; nil so far.
    package var finding: String? { witness.broken }

    private func happen() {
        switch dice.roll(100) {
        case 0..<30: push()
        case 30..<55: acknowledge()
        case 55..<60: nanoseconds += 700_000
        case 60..<66: elapse()
        case 66..<78: store.commit(fails: dice.hits(30))
        case 78..<90: tellOne()
        case 90..<92: read()
        case 92..<94: bringPage()
        case 94: dice.hits(2) ? disconnect() : connect()
        case 95: current == nil ? connect() : talk()
        case 96: dice.hits(4) ? crash() : talk()
        case 97: dice.hits(3) ? endSubscription() : withdraw()
        case 98: dice.hits(6) ? wantOther() : retry()
        default: dice.hits(8) ? settleAndCheck() : pump()
        }
    }
}

/// What senders do.
extension DeliveryWorld {
    private static let bodies: [[UInt8]] = [[], [1], Array(repeating: 0, count: 400 << 10)]

    private func push() {
        guard let subscription = dice.pick(store.subscriptions.sorted()) else { return }
        number += 1
        let ttl: UInt32 = dice.hits(12) ? 0 : dice.hits(10) ? 2 : 86_400
        let content = MessageContent(
            body: dice.hits(40) ? Self.bodies[2] : Self.bodies[dice.roll(2)],
            topic: dice.hits(6) ? Topic(dice.hits(2) ? "a" : "b") : nil,
            urgency: dice.hits(10) ? .low : .normal, ttl: ttl)
        let address = Address(subscription: subscription, device: Self.device)
        func message(_ reservation: consuming Reservation = Reservation()) -> Message {
            Message(
                id: MessageID(Bits128(high: 1, low: UInt64(number))),
                location: LocationID(Bits128(high: 2, low: UInt64(number))), address: address,
                sequence: Int64(number), content: content, arrival: 0,
                expiry: now.adding(seconds: ttl), reservation: reservation)
        }
        var reservation = Reservation()
        if content.needsStore { ledger.reserve(content.size, for: address, &reservation) }
        if ttl > 0, dice.hits(15) {
            ledger.reserve(RepetitionMark(key: UInt64(number)), &reservation)
        }
        // A message of its own, so that the witness keeps no reservation.
        witness.pushed(message())
        let message = message(reservation)
        if let current { witness.unwanted(below: connections[current]?.least ?? .veryLow) }
        let sender = SenderTicket(loop: 0, number: UInt64(number))
        guard let current else {
            var actions: [DeliveryAction] = []
            DeviceDelivery.keep(message, sender, &actions)
            return perform(actions, on: 0)
        }
        let time = nanoseconds
        tell(current) { $0.accept(message, from: sender, at: time, &$1) }
    }

    private func withdraw() {
        guard let reference = dice.pick(witness.references) else { return }
        witness.ending { $0.id == reference.id }
        store.submit(.withdraw(reference))
    }
}

/// What the device does.
extension DeliveryWorld {
    func connect() {
        let former = current
        connectionCount += 1
        current = connectionCount
        var connection = Connection()
        connection.delivery.device = Self.device
        prepare(&connection.delivery)
        connections[connectionCount] = connection
        if let former { tell(former) { $0.closed(&$1) } }
        store.submit(.arrive(connection: connectionCount))
    }

    private func disconnect() {
        guard let left = current else { return }
        current = nil
        tell(left) { $0.closed(&$1) }
    }

    private func acknowledge() {
        guard let current, let connection = connections[current] else { return }
        // Sometimes acknowledges a message of an earlier connection.
        let source =
            dice.hits(20) ? connections[dice.roll(connectionCount + 1)] ?? connection : connection
        guard let id = dice.hits(8) ? dice.pick(source.received) : source.received.first,
            connection.delivery.isOpen
        else { return }
        acknowledge(id)
    }

    func acknowledge(_ id: MessageID) {
        guard let current else { return }
        for number in connections.keys { connections[number]?.received.removeAll { $0 == id } }
        connections[current]?.unconfirmed.append(id)
        witness.acknowledged(id)
        let isWaiting = store.hasMessages
        _ = tell(current) { $0.acknowledged(id, isWaiting: isWaiting, &$1) }
        tell(current) { $0.goOn(&$1) }
    }

    /// The client asks for something that is answered at once.
    private func talk() {
        guard let current, connections[current]?.delivery.isOpen == true,
            let turn = connections[current]?.delivery.turn(of: [1])
        else { return }
        switch turn {
        case .now: heard(on: current)
        case .later: break
        case .never: disconnect()
        }
    }

    func heard(on connection: Int) {
        witness.confirmed(connections[connection]?.unconfirmed ?? [])
        connections[connection]?.unconfirmed = []
    }

    private func wantOther() {
        guard let current, connections[current]?.delivery.isOpen == true else { return }
        let least: Urgency = dice.hits(2) ? .normal : .veryLow
        witness.unwanted(below: least)
        connections[current]?.least = least
        tell(current) { $0.wants(from: least, &$1) }
    }

    private func endSubscription() {
        guard let current, connections[current]?.delivery.isOpen == true else { return }
        guard store.subscriptions.count > 2, let ended = dice.pick(store.subscriptions.sorted())
        else {
            subscriptions += 1
            return store.submit(.begin(subscription: subscriptions, connection: current))
        }
        witness.ending { $0.address.subscription == ended }
        store.submit(.end(subscription: ended, connection: current))
    }
}
