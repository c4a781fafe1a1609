import Base
import Testing
import WebPush

@testable import Delivery

/// A delivery to an open connection with one endpoint, and the actions it asked for.
private struct Desk {
    var delivery = DeviceDelivery()
    var actions: [DeliveryAction] = []

    static let endpoint = Address(subscription: 1, device: 1)
    static let sender = SenderTicket(loop: 0, number: 7)

    init(takesBack: Bool = false) {
        delivery.device = 1
        delivery.endpoints.add(1, ChannelID(Bits128(high: 0, low: 1)))
        delivery.opened(takesBack: takesBack, &actions)
        finish(with: [])
    }

    /// Answers a read of the store with these messages.
    mutating func finish(with messages: [Message], through position: Int64 = 0) {
        delivery.read(
            StoredPage(messages: messages, through: position, next: nil, damaged: 0), &actions)
    }

    static func message(
        _ number: Int, length: Int = 1, topic: String? = nil, urgency: Urgency = .normal,
        ttl: UInt32 = 60
    ) -> Message {
        Message(
            id: MessageID(Bits128(high: 1, low: UInt64(number))),
            location: LocationID(Bits128(high: 2, low: UInt64(number))), address: endpoint,
            sequence: Int64(number),
            content: MessageContent(
                body: Array(repeating: 0, count: length), topic: topic.flatMap { Topic($0) },
                urgency: urgency, ttl: ttl),
            arrival: 0, expiry: StoreTime(milliseconds: 60_000))
    }

    mutating func accept(_ message: Message, at now: Int64 = 0) {
        delivery.accept(message, from: Self.sender, at: now, &actions)
    }

    mutating func acknowledge(_ number: Int) {
        _ = delivery.acknowledged(
            Self.message(number).id, isWaiting: true, &actions)
        delivery.goOn(&actions)
    }

    /// Returns the actions in words, and clears them.
    mutating func taken() -> [String] {
        defer { actions = [] }
        return actions.map { action in
            switch action {
            case .write(let message, _): "write \(message.sequence)"
            case .takeBack(let id, _): "take back \(id.bits.low)"
            case .say(let reply): "say \(reply)"
            case .holdPongs: "hold pongs"
            case .releasePongs: "release pongs"
            case .keep(let message, _): "keep \(message.sequence)"
            case .answer(let message, _): "answer \(message.sequence)"
            case .hold(let time): "hold until \(time)"
            case .letGo: "let go"
            case .record(let acknowledgement): "record \(acknowledgement.id.bits.low)"
            case .read: "read"
            case .wait: "wait"
            }
        }
    }
}

@Suite("Delivery to a device")
struct DeviceDeliveryTests {
    @Test("A message acknowledged at once is never written; any other is")
    func held() {
        var desk = Desk()
        #expect(desk.taken() == ["read"])
        desk.accept(Desk.message(1))
        desk.accept(Desk.message(2), at: 5)
        #expect(desk.taken() == ["write 1", "hold until 2000000", "write 2", "hold until 2000005"])
        desk.acknowledge(1)
        #expect(desk.taken() == ["let go", "answer 1"])
        desk.delivery.due(2_000_004, &desk.actions)
        #expect(desk.taken() == [])
        desk.delivery.due(2_000_005, &desk.actions)
        #expect(desk.taken() == ["let go", "keep 2"])
        desk.acknowledge(2)
        #expect(desk.taken() == ["hold pongs", "record 2"])
    }

    @Test("Nothing is sent to a device before hello is answered")
    func greeting() {
        var delivery = DeviceDelivery()
        var actions: [DeliveryAction] = []
        delivery.device = 1
        delivery.endpoints.add(1, ChannelID(Bits128(high: 0, low: 1)))
        delivery.accept(Desk.message(1), from: Desk.sender, at: 0, &actions)
        #expect(actions.count == 1)
        guard case .keep? = actions.first else {
            Issue.record("it is for the store")
            return
        }
    }

    @Test("A withdrawn message is taken back from devices that understand it, and leaves room")
    func withdrawn() {
        for takesBack in [false, true] {
            var desk = Desk(takesBack: takesBack)
            desk.accept(Desk.message(1, topic: "a"))
            _ = desk.taken()
            desk.delivery.withdrawn(Desk.message(1).reference, &desk.actions)
            #expect(desk.taken() == (takesBack ? ["take back 1"] : []))
            #expect(desk.delivery.outstanding.isEmpty)
        }
    }

    @Test("A message that is withdrawn while a page with it is read is not sent again")
    func withdrawnInPage() {
        var desk = Desk()
        let message = Desk.message(1, topic: "a")
        desk.accept(message)
        desk.delivery.stored(
            message, at: 1, now: StoreTime(milliseconds: 0), &desk.actions)
        desk.delivery.wants(from: .low, &desk.actions)
        desk.delivery.wants(from: .veryLow, &desk.actions)
        _ = desk.taken()
        desk.delivery.withdrawn(message.reference, &desk.actions)
        desk.finish(with: [message])
        #expect(desk.taken().isEmpty)
        #expect(desk.delivery.settled.isEmpty)
    }

    @Test("Messages not acknowledged when a device disconnects are written")
    func closed() {
        var desk = Desk()
        desk.accept(Desk.message(1))
        desk.accept(Desk.message(2, topic: "a"))
        _ = desk.taken()
        desk.delivery.closed(&desk.actions)
        desk.accept(Desk.message(3))
        #expect(desk.taken() == ["let go", "keep 1", "keep 3"])
    }

    @Test("At most 128 messages are under way; once half are acknowledged, the rest is read")
    func countLimit() {
        var desk = Desk()
        for number in 1...129 { desk.accept(Desk.message(number)) }
        #expect(desk.taken().last == "keep 129")
        for number in 1...63 { desk.acknowledge(number) }
        #expect(!desk.taken().contains("read"))
        desk.acknowledge(64)
        #expect(desk.taken() == ["let go", "answer 64", "read"])
    }

    @Test("At most a mebibyte is under way, but always at least one message")
    func byteLimit() {
        var desk = Desk()
        desk.accept(Desk.message(1, length: 2 << 20))
        desk.accept(Desk.message(2))
        #expect(desk.taken() == ["read", "write 1", "hold until 2000000", "keep 2"])
        desk.acknowledge(1)
        #expect(desk.taken().last == "read")
    }

    @Test("Messages less urgent than the device wants wait until it wants them")
    func urgency() {
        var desk = Desk()
        desk.delivery.wants(from: .normal, &desk.actions)
        desk.accept(Desk.message(1, urgency: .low))
        desk.accept(Desk.message(2, urgency: .normal))
        #expect(desk.taken() == ["read", "keep 1", "write 2", "hold until 2000000"])
        desk.delivery.wants(from: .low, &desk.actions)
        desk.finish(with: [Desk.message(1, urgency: .low)])
        #expect(desk.taken() == ["read", "write 1"])
    }

    @Test("What another node stored is read, unless a page could contain it already")
    func elsewhere() {
        var desk = Desk(takesBack: true)
        desk.finish(with: [], through: 7)
        #expect(desk.taken() == ["read"])
        desk.delivery.stored(elsewhere: 7, &desk.actions)
        #expect(desk.taken() == [])
        desk.delivery.stored(elsewhere: 8, &desk.actions)
        desk.delivery.stored(elsewhere: 9, &desk.actions)
        #expect(desk.taken() == ["read"])
        // The page may be older than what was told while it was read.
        desk.finish(with: [], through: 8)
        #expect(desk.taken() == ["read"])
    }

    @Test("A message replaced before it was stored is not sent once it is stored")
    func topics() {
        var desk = Desk(takesBack: true)
        desk.accept(Desk.message(1, topic: "a"))
        desk.accept(Desk.message(2, topic: "a"))
        #expect(
            desk.taken() == ["read", "write 1", "keep 1", "write 2", "take back 1", "keep 2"])
        for (number, position) in [(1, 5), (2, 6)] {
            desk.delivery.stored(
                Desk.message(number, topic: "a"), at: Int64(position),
                now: StoreTime(milliseconds: 0), &desk.actions)
        }
        #expect(desk.taken() == [])
    }

    @Test("A message taken back after the store failed to answer is forgotten")
    func undecided() {
        var desk = Desk(takesBack: true)
        for number in 1...3 {
            desk.accept(Desk.message(number, topic: "a"))
            desk.delivery.undecided(Desk.message(number).id)
        }
        #expect(desk.delivery.settled.isEmpty && desk.delivery.outstanding.count == 1)
    }

    @Test("Whoever asks about a message that failed learns whether the device had it")
    func known() {
        var desk = Desk()
        for number in 1...4 { desk.accept(Desk.message(number, topic: "\(number)")) }
        desk.acknowledge(1)
        var known: [Bool] = []
        for number in 1...2 { known.append(desk.delivery.undecided(Desk.message(number).id)) }
        known.append(desk.delivery.lost(Desk.message(3).id, &desk.actions))
        desk.delivery.ended(1, &desk.actions)
        for number in 4...5 {
            known.append(desk.delivery.lost(Desk.message(number).id, &desk.actions))
        }
        #expect(known == [true, false, true, true, false])
        desk.delivery.recorded(Desk.message(1).id, &desk.actions)
        #expect(desk.delivery.settled.isEmpty)
    }

    @Test("A reply waits until earlier acknowledgements are recorded")
    func replies() {
        var desk = Desk()
        desk.accept(Desk.message(1, topic: "a"))
        desk.acknowledge(1)
        _ = desk.taken()
        #expect(desk.delivery.turn(of: [7]) == .later)
        desk.delivery.recorded(Desk.message(1).id, &desk.actions)
        #expect(desk.taken() == ["release pongs", "say [7]"])
        #expect(desk.delivery.turn(of: [7]) == .now)
    }

    @Test("An acknowledgement that the store failed to record is recorded later")
    func unrecorded() {
        var desk = Desk()
        desk.accept(Desk.message(1, topic: "a"))
        desk.acknowledge(1)
        _ = desk.taken()
        for _ in 1...2 {
            desk.delivery.unrecorded(.message(Desk.message(1).reference), &desk.actions)
        }
        desk.delivery.tryAgain(&desk.actions)
        desk.delivery.tryAgain(&desk.actions)
        #expect(desk.taken() == ["wait", "record 1"])
    }

    @Test("An idle connection uses little memory")
    func size() { #expect(MemoryLayout<DeviceDelivery>.size <= 120) }
}
