import Base
import Testing
import WebPush

@testable import Desktop

@Suite("Messages between receiver and application")
struct HeldMessagesTests {
    private let one = ChannelID(Bits128(high: 0, low: 1))
    private let two = ChannelID(Bits128(high: 0, low: 2))
    private let now = Duration.seconds(100)

    private func key(_ id: Int, _ channel: ChannelID? = nil) -> HeldMessages.Key {
        HeldMessages.Key(channel ?? one, "\(id)")
    }

    private func receive(
        _ id: Int, on channel: ChannelID? = nil, life: Duration? = .seconds(60),
        urgency: Urgency = .normal, isForeign: Bool = false, in held: inout HeldMessages
    ) {
        held.received(
            key(id, channel), from: 7, body: [UInt8(truncatingIfNeeded: id)],
            deadline: life.map { now + $0 }, urgency: urgency, isForeign: isForeign, at: now)
    }

    @Test("A Bellwire receiver gets the acknowledgement when the application has the message")
    func ours() {
        var held = HeldMessages()
        receive(1, in: &held)
        #expect(held.takeActions() == [.handOver(key(1))])
        #expect(held.dequeueUnkept() == [])
        held.finished(key(1), isDelivered: true, at: now)
        #expect(held.takeActions() == [.settle(key(1), isDelivered: true)])
        #expect(held.isEmpty)
    }

    @Test("A message of another receiver is stored before it is acknowledged or handed over")
    func foreign() {
        var held = HeldMessages()
        receive(1, isForeign: true, in: &held)
        #expect(held.takeActions() == [])
        #expect(held.dequeueUnkept() == [key(1)])
        held.kept(key(1), row: 5, at: now)
        #expect(held.takeActions() == [.settle(key(1), isDelivered: true), .handOver(key(1))])
        held.finished(key(1), isDelivered: true, at: now)
        #expect(held.takeActions() == [.drop(row: 5)])
    }

    @Test("A receiver gets back the messages it still keeps; stored ones stay")
    func givenBack() {
        var held = HeldMessages()
        receive(1, isForeign: true, in: &held)
        _ = held.dequeueUnkept()
        held.kept(key(1), row: 5, at: now)
        receive(2, in: &held)
        receive(3, on: two, urgency: .veryLow, in: &held)
        _ = held.takeActions()
        held.giveBack(to: 8)
        #expect(held.waiting(one) == 2 && held.waiting(two) == 1)
        held.giveBack(to: 7)
        let actions = held.takeActions()
        #expect(actions.count == 2 && actions.contains(.withdraw(key(2))))
        #expect(actions.contains(.withdraw(key(3, two))))
        #expect(held.waiting(one) == 1 && held.waiting(two) == 0)
        held.finished(key(2), isDelivered: true, at: now)
        #expect(held.takeActions() == [])
        held.finished(key(1), isDelivered: true, at: now)
        #expect(held.takeActions() == [.drop(row: 5)])
    }

    @Test("With a full disk the receiver keeps the message, and it is still delivered")
    func fullDisk() {
        var held = HeldMessages()
        receive(1, isForeign: true, in: &held)
        _ = held.dequeueUnkept()
        held.notKept(key(1), at: now)
        #expect(held.takeActions() == [.handOver(key(1))])
        held.finished(key(1), isDelivered: true, at: now)
        #expect(held.takeActions() == [.settle(key(1), isDelivered: true)])
    }

    @Test("A repeated message is not delivered twice, finished or not")
    func repeated() {
        var held = HeldMessages()
        receive(1, in: &held)
        _ = held.takeActions()
        receive(1, in: &held)
        #expect(held.takeActions() == [])
        held.finished(key(1), isDelivered: false, at: now)
        _ = held.takeActions()
        receive(1, in: &held)
        #expect(held.takeActions() == [.settle(key(1), isDelivered: false)])
    }

    @Test("64 messages of a channel are handed over in order; the next when one is finished")
    func limit() {
        var held = HeldMessages()
        for id in 0..<70 { receive(id, in: &held) }
        receive(100, on: two, in: &held)
        let first = (0..<64).map { HeldMessages.Action.handOver(key($0)) }
        #expect(held.takeActions() == first + [.handOver(key(100, two))])
        held.finished(key(0), isDelivered: true, at: now)
        #expect(held.takeActions() == [.settle(key(0), isDelivered: true), .handOver(key(64))])
    }

    @Test("A sleeping application does not block the receiver's window")
    func crowd() {
        var held = HeldMessages()
        for id in 0..<64 { receive(id, in: &held) }
        receive(100, on: two, in: &held)
        let unkept = held.dequeueUnkept()
        #expect(unkept == (0..<64).map { key($0) })
        for (index, key) in unkept.enumerated() { held.kept(key, row: Int64(index), at: now) }
        let settled = held.takeActions().filter {
            if case .settle = $0 { true } else { false }
        }
        #expect(settled.count == 64)
        receive(64, in: &held)
        #expect(held.dequeueUnkept() == [])
        for id in 65..<128 { receive(id, in: &held) }
        #expect(held.dequeueUnkept() == (64..<128).map { key($0) })
    }

    @Test("A message below the urgency floor waits, lets others pass, and goes when it falls")
    func floor() {
        var held = HeldMessages()
        held.setFloor(.normal, at: now)
        receive(1, urgency: .low, in: &held)
        receive(2, urgency: .high, in: &held)
        #expect(held.takeActions() == [.handOver(key(2))])
        held.setFloor(.veryLow, at: now)
        #expect(held.takeActions() == [.handOver(key(1))])
    }

    @Test("A message without a deadline is delivered now or never")
    func fleeting() {
        var held = HeldMessages()
        held.setFloor(.high, at: now)
        receive(1, life: nil, isForeign: true, in: &held)
        #expect(held.takeActions() == [.settle(key(1), isDelivered: false)])
        #expect(held.isEmpty)
    }

    @Test("What is given back is handed over when it comes again, in the receiver's order")
    func comesAgain() {
        var held = HeldMessages()
        for number in 1...3 { receive(number, in: &held) }
        held.finished(key(1), isDelivered: true, at: now)
        _ = held.takeActions()
        held.giveBack(to: 7)
        _ = held.takeActions()
        receive(1, in: &held)
        receive(3, in: &held)
        receive(4, in: &held)
        #expect(
            held.takeActions() == [
                .settle(key(1), isDelivered: true), .handOver(key(3)), .handOver(key(4)),
            ])
    }

    @Test("An expired message is neither handed over nor kept")
    func old() {
        var held = HeldMessages()
        held.restore(key(1), from: 7, row: 3, deadline: now + .seconds(1), urgency: .normal)
        held.restore(key(2), from: 7, row: 4, deadline: now + .seconds(9), urgency: .normal)
        held.advanceAll(at: now + .seconds(1))
        #expect(held.takeActions() == [.drop(row: 3), .handOver(key(2))])
        held.setFloor(.high, at: now)
        receive(3, in: &held)
        held.sweep(at: now + .seconds(61))
        #expect(held.takeActions() == [.settle(key(3), isDelivered: false)])
    }

    @Test("Withdrawn messages and ended channels leave nothing behind")
    func withdrawn() {
        var held = HeldMessages()
        receive(1, in: &held)
        _ = held.takeActions()
        held.withdrawn(key(1), at: now)
        #expect(held.takeActions() == [.withdraw(key(1))])
        receive(2, isForeign: true, in: &held)
        held.kept(key(2), row: 9, at: now)
        _ = held.takeActions()
        held.ended(one)
        #expect(held.takeActions() == [.drop(row: 9)])
        held.kept(key(2), row: 10, at: now)
        #expect(held.takeActions() == [.drop(row: 10)])
        #expect(held.isEmpty)
    }

    @Test("The last values are known, and a repeated one does not push out another")
    func recent() {
        var recent = Recent<Int, Bool>(limit: 3)
        for key in [1, 2, 2, 3] { recent.insert(key, true) }
        #expect([1, 2, 3].allSatisfy { recent[$0] == true })
        recent.insert(2, false)
        recent.insert(4, true)
        #expect(recent[1] == nil && recent[2] == false && recent[4] == true)
        for key in 5...7 { recent.insert(key, true) }
        #expect(recent[4] == nil && (5...7).allSatisfy { recent[$0] == true })
    }
}
