import Reactor
import Testing
import WebPush

@testable import Mailbox

@Suite("The moment before a message is written")
struct CommitWindowTests {
    private let start = Instant(nanoseconds: 1_000)
    private var span: Int64 { CommitWindow.span.nanoseconds }

    private func message(_ number: UInt64) -> Message {
        Message(
            id: MessageID(high: number, low: 0), location: LocationID(high: number, low: 0),
            address: Address(subscription: 1, device: 1), sequence: Int64(number),
            content: Message.Content(body: [], ttl: 1), arrival: 0,
            expiry: StoreTime(milliseconds: 0))
    }

    @Test("A message is due two milliseconds after it came, not before")
    func due() {
        var window = CommitWindow()
        #expect(window.deadline == nil)
        _ = window.hold(message(1), at: start)
        let deadline = Instant(nanoseconds: start.nanoseconds + 2_000_000)
        #expect(window.deadline == deadline)
        #expect(window.popDue(Instant(nanoseconds: deadline.nanoseconds - 1)) == nil)
        #expect(window.popDue(deadline)?.sequence == 1)
        #expect(window.popDue(deadline) == nil)
        #expect(window.deadline == nil)
    }

    @Test("What is acknowledged in time never becomes due; what is not comes in order")
    func acknowledged() {
        var window = CommitWindow()
        let slots = (1...1_000).map { number in
            window.hold(
                message(UInt64(number)), at: Instant(nanoseconds: start.nanoseconds + Int64(number))
            )
        }
        for (index, slot) in slots.enumerated() where index % 3 != 1 {
            #expect(window.take(slot)?.sequence == Int64(index) + 1)
            #expect(window.take(slot) == nil)
        }
        #expect(window.count == 333)
        #expect(window.deadline?.nanoseconds == start.nanoseconds + 2 + span)
        let end = Instant(nanoseconds: .max)
        var rest: [Int64] = []
        while let message = window.popDue(end) { rest.append(message.sequence) }
        #expect(rest == (1...1_000).filter { $0 % 3 == 2 }.map(Int64.init))
        #expect(window.take(slots[1]) == nil)
    }

    @Test("It holds no more than it may: the oldest are due at once")
    func limit() {
        var window = CommitWindow(limit: 10)
        for number in 1...13 { _ = window.hold(message(UInt64(number)), at: start) }
        var due: [Int64] = []
        while let message = window.popDue(start) { due.append(message.sequence) }
        #expect(due == [1, 2, 3])
        #expect(window.pop()?.sequence == 4)
        #expect(window.count == 9)
    }
}
