import Base
import Testing
import WebPush

@testable import Desktop

@Suite("Custody of messages")
struct CustodyTests {
    private let one = ChannelID(Bits128(high: 0, low: 1))
    private let two = ChannelID(Bits128(high: 0, low: 2))
    private let now = Duration.seconds(100)

    private func key(_ id: Int, _ channel: ChannelID? = nil) -> Custody.Key {
        Custody.Key(channel ?? one, "\(id)")
    }

    private func receive(
        _ id: Int, on channel: ChannelID? = nil, life: Duration? = .seconds(60),
        urgency: Urgency = .normal, isForeign: Bool = false, in custody: inout Custody
    ) {
        custody.received(
            key(id, channel), from: 7, body: [UInt8(truncatingIfNeeded: id)],
            deadline: life.map { now + $0 }, urgency: urgency, isForeign: isForeign, at: now)
    }

    @Test("A Bellwire receiver gets the acknowledgement when the application has the message")
    func ours() {
        var custody = Custody()
        receive(1, in: &custody)
        #expect(custody.takeActions() == [.handOver(key(1))])
        #expect(custody.dequeueUnkept() == [])
        custody.finished(key(1), isDelivered: true, at: now)
        #expect(custody.takeActions() == [.settle(key(1), isDelivered: true)])
        #expect(custody.isEmpty)
    }

    @Test("A message of another receiver is stored before it is acknowledged or handed over")
    func foreign() {
        var custody = Custody()
        receive(1, isForeign: true, in: &custody)
        #expect(custody.takeActions() == [])
        #expect(custody.dequeueUnkept() == [key(1)])
        custody.kept(key(1), row: 5, at: now)
        #expect(custody.takeActions() == [.settle(key(1), isDelivered: true), .handOver(key(1))])
        custody.finished(key(1), isDelivered: true, at: now)
        #expect(custody.takeActions() == [.drop(row: 5)])
    }

    @Test("A receiver gets back the messages it still keeps; stored ones stay")
    func givenBack() {
        var custody = Custody()
        receive(1, isForeign: true, in: &custody)
        _ = custody.dequeueUnkept()
        custody.kept(key(1), row: 5, at: now)
        receive(2, in: &custody)
        receive(3, on: two, urgency: .veryLow, in: &custody)
        _ = custody.takeActions()
        custody.giveBack(to: 8)
        #expect(custody.waiting(one) == 2 && custody.waiting(two) == 1)
        custody.giveBack(to: 7)
        let actions = custody.takeActions()
        #expect(actions.count == 2 && actions.contains(.withdraw(key(2))))
        #expect(actions.contains(.withdraw(key(3, two))))
        #expect(custody.waiting(one) == 1 && custody.waiting(two) == 0)
        custody.finished(key(2), isDelivered: true, at: now)
        #expect(custody.takeActions() == [])
        custody.finished(key(1), isDelivered: true, at: now)
        #expect(custody.takeActions() == [.drop(row: 5)])
    }

    @Test("With a full disk the receiver keeps the message, and it is still delivered")
    func fullDisk() {
        var custody = Custody()
        receive(1, isForeign: true, in: &custody)
        _ = custody.dequeueUnkept()
        custody.notKept(key(1), at: now)
        #expect(custody.takeActions() == [.handOver(key(1))])
        custody.finished(key(1), isDelivered: true, at: now)
        #expect(custody.takeActions() == [.settle(key(1), isDelivered: true)])
    }

    @Test("A repeated message is not delivered twice, finished or not")
    func repeated() {
        var custody = Custody()
        receive(1, in: &custody)
        _ = custody.takeActions()
        receive(1, in: &custody)
        #expect(custody.takeActions() == [])
        custody.finished(key(1), isDelivered: false, at: now)
        _ = custody.takeActions()
        receive(1, in: &custody)
        #expect(custody.takeActions() == [.settle(key(1), isDelivered: false)])
    }

    @Test("64 messages of a channel are handed over in order; the next when one is finished")
    func limit() {
        var custody = Custody()
        for id in 0..<70 { receive(id, in: &custody) }
        receive(100, on: two, in: &custody)
        let first = (0..<64).map { Custody.Action.handOver(key($0)) }
        #expect(custody.takeActions() == first + [.handOver(key(100, two))])
        custody.finished(key(0), isDelivered: true, at: now)
        #expect(custody.takeActions() == [.settle(key(0), isDelivered: true), .handOver(key(64))])
    }

    @Test("A sleeping application does not block the receiver's window")
    func crowd() {
        var custody = Custody()
        for id in 0..<64 { receive(id, in: &custody) }
        receive(100, on: two, in: &custody)
        let unkept = custody.dequeueUnkept()
        #expect(unkept == (0..<64).map { key($0) })
        for (index, key) in unkept.enumerated() { custody.kept(key, row: Int64(index), at: now) }
        let settled = custody.takeActions().filter {
            if case .settle = $0 { true } else { false }
        }
        #expect(settled.count == 64)
        receive(64, in: &custody)
        #expect(custody.dequeueUnkept() == [])
        for id in 65..<128 { receive(id, in: &custody) }
        #expect(custody.dequeueUnkept() == (64..<128).map { key($0) })
    }

    @Test("A message below the urgency floor waits, lets others pass, and goes when it falls")
    func floor() {
        var custody = Custody()
        custody.setFloor(.normal, at: now)
        receive(1, urgency: .low, in: &custody)
        receive(2, urgency: .high, in: &custody)
        #expect(custody.takeActions() == [.handOver(key(2))])
        custody.setFloor(.veryLow, at: now)
        #expect(custody.takeActions() == [.handOver(key(1))])
    }

    @Test("A message without a deadline is delivered now or never")
    func fleeting() {
        var custody = Custody()
        custody.setFloor(.high, at: now)
        receive(1, life: nil, isForeign: true, in: &custody)
        #expect(custody.takeActions() == [.settle(key(1), isDelivered: false)])
        #expect(custody.isEmpty)
    }

    @Test("What is given back is handed over when it comes again, in the receiver's order")
    func comesAgain() {
        var custody = Custody()
        for number in 1...3 { receive(number, in: &custody) }
        custody.finished(key(1), isDelivered: true, at: now)
        _ = custody.takeActions()
        custody.giveBack(to: 7)
        _ = custody.takeActions()
        receive(1, in: &custody)
        receive(3, in: &custody)
        receive(4, in: &custody)
        #expect(
            custody.takeActions() == [
                .settle(key(1), isDelivered: true), .handOver(key(3)), .handOver(key(4)),
            ])
    }

    @Test("An expired message is neither handed over nor kept")
    func old() {
        var custody = Custody()
        custody.restore(key(1), from: 7, row: 3, deadline: now + .seconds(1), urgency: .normal)
        custody.restore(key(2), from: 7, row: 4, deadline: now + .seconds(9), urgency: .normal)
        custody.advanceAll(at: now + .seconds(1))
        #expect(custody.takeActions() == [.drop(row: 3), .handOver(key(2))])
        custody.setFloor(.high, at: now)
        receive(3, in: &custody)
        custody.sweep(at: now + .seconds(61))
        #expect(custody.takeActions() == [.settle(key(3), isDelivered: false)])
    }

    @Test("Withdrawn messages and ended channels leave nothing behind")
    func withdrawn() {
        var custody = Custody()
        receive(1, in: &custody)
        _ = custody.takeActions()
        custody.withdrawn(key(1), at: now)
        #expect(custody.takeActions() == [.withdraw(key(1))])
        receive(2, isForeign: true, in: &custody)
        custody.kept(key(2), row: 9, at: now)
        _ = custody.takeActions()
        custody.ended(one)
        #expect(custody.takeActions() == [.drop(row: 9)])
        custody.kept(key(2), row: 10, at: now)
        #expect(custody.takeActions() == [.drop(row: 10)])
        #expect(custody.isEmpty)
    }
}
