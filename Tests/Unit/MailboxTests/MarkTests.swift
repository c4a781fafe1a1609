import Base
import Delivery
import Testing

@testable import Mailbox

@Suite("Repetition marks")
struct MarkTests {
    private func mark(
        _ store: TestStore, _ subscription: Subscription, _ name: String
    ) throws -> RepetitionMark {
        var mint = try EndpointMint(key: store.store.endpointKey)
        let bytes = Array(name.utf8)
        return try mint.repetitionMark(of: subscription.token, name: bytes.span)
    }

    private func keep(
        _ store: TestStore, _ subscription: Subscription, _ mark: RepetitionMark
    ) throws -> StoreOutcome {
        let address = subscription.address
        let message = try store.message(address, mark: mark)
        guard message.mark == mark else { throw TestStore.Unexpected(outcome: .conflict) }
        return try store.run(.store(message))
    }

    @Test("The mark of a stored message is known for 25 hours, even across a restart")
    func life() throws {
        let test = try TestStore()
        let device = try test.addDevice()
        let subscription = try test.register(device)
        let mark = try mark(test, subscription, "e$1")
        guard case .stored = try keep(test, subscription, mark) else {
            Issue.record("not stored")
            return
        }
        #expect(test.answer(mark, device) == .repeated)
        try test.restart()
        #expect(test.answer(mark, device) == .repeated)
        test.clocks.advance(seconds: 25 * 3_600 - 1)
        try test.expectDone(.touchDevice(device, at: 1))
        #expect(test.answer(mark, device) == .repeated)
        test.clocks.advance(seconds: 2)
        try test.expectDone(.touchDevice(device, at: 2))
        // Every batch is followed by a sweep.
        try test.expectDone(.touchDevice(device, at: 3))
        #expect(test.answer(mark, device) == .new)
        try test.restart()
        #expect(test.answer(mark, device) == .new)
    }

    private final class Listener: StoreListener {
        func receive(_ news: [EngineNews]) {}
        func storeReturned() {}
    }

    @Test("A message delivered at once leaves its mark too")
    func taken() throws {
        let test = try TestStore()
        let device = try test.addDevice()
        let waiting = try test.register(device)
        let (registration, watched) = try test.addRegistration(
            #"{"token_type":10,"app":"matrix","account":"me"}"#)
        let listener = Listener()
        test.store.index.engines.listen(listener, to: registration.device)
        test.store.index.engines.addFetcher(of: registration.device)
        let stored = try mark(test, waiting, "e$1")
        guard case .stored = try keep(test, waiting, stored) else {
            Issue.record("not stored")
            return
        }
        // A payload that shows something is saved with its account, an empty one is not.
        var marks: [RepetitionMark] = []
        for (number, body) in ["", #"{"notification":{}}"#, "", ""].enumerated() {
            let mark = try mark(test, watched, "e$\(number)")
            #expect(test.answer(mark, registration.device) == .new)
            let message = try test.message(watched.address, body, mark: mark)
            let push = try test.push(registration.device)
            try test.expectDone(.registration(.receive(message, nil, push)))
            marks.append(mark)
        }
        try test.restart()
        for mark in marks {
            #expect(test.answer(mark, registration.device) == .repeated)
        }
        #expect(test.answer(stored, device) == .repeated)
        #expect(try test.bodies(device) == ["body"])
        // The marks expire although nothing else does.
        try test.pass(seconds: 25 * 3_600 + 1)
        for mark in marks {
            #expect(test.answer(mark, registration.device) == .new)
        }
    }

    @Test("The same event has a different mark at each endpoint")
    func endpoints() throws {
        let test = try TestStore()
        let device = try test.addDevice()
        let (one, other) = (try test.register(device), try test.register(device))
        let names = ["e$1", "e$2", "n$1", "e"]
        let marks = try names.map { try mark(test, one, $0) } + [try mark(test, other, "e$1")]
        #expect(Set(marks).count == 5)
        #expect(try mark(test, one, "e$1") == marks[0])
    }

    @Test("A mark is undecided while its message is being stored, and a failed one leaves no mark")
    func undecided() throws {
        let test = try TestStore()
        let device = try test.addDevice()
        let subscription = try test.register(device)
        let mark = try mark(test, subscription, "e$1")
        #expect(test.answer(mark, device) == .new)
        let message = try test.message(subscription.address, mark: mark)
        #expect(message.mark == mark && test.answer(mark, device) == .undecided)
        try test.expectDone(.unregister(subscription: subscription.address.subscription))
        #expect(try test.run(.store(message)) == .notFound)
        #expect(test.answer(mark, device) == .new)
    }

    @Test("A registration with too many marks gets no more, and others are not affected")
    func replayLimit() throws {
        let test = try TestStore()
        var table = ReplayTable(limit: 3)
        let marks = try (0..<5).map { _ in ReplayMark(try test.digest(), device: 7) }
        for mark in marks[..<3] {
            #expect(table.check(mark, owner: 1) == .new)
            for _ in 0..<2 { table.insert(mark, owner: 1) }
            #expect(table.check(mark, owner: 1) == .repeated)
        }
        #expect(table.check(marks[3], owner: 1) == .unmarked)
        #expect(table.check(ReplayMark(try test.digest(), device: 0), owner: 1) == .new)
        // The oldest expires.
        for _ in 0..<2 { table.remove(marks[0]) }
        #expect(table.check(marks[3], owner: 1) == .new)
        table.insert(marks[3], owner: 1)
        #expect(table.check(marks[4], owner: 1) == .unmarked)
    }

    @Test("An owner has marks for at most ten full registrations")
    func replaysOfOwner() throws {
        let test = try TestStore()
        var table = ReplayTable(limit: 3)
        for device in 1...12 as ClosedRange<UInt32> {
            for _ in 0..<3 {
                let mark = ReplayMark(try test.digest(), device: device)
                #expect(table.check(mark, owner: 1) == (device <= 10 ? .new : .unmarked))
                if device <= 10 { table.insert(mark, owner: 1) }
            }
        }
        let other = ReplayMark(try test.digest(), device: 13)
        #expect(table.check(other, owner: 2) == .new)
    }

    @Test("The mark of a body takes 16 bytes, on the disk as in memory")
    func replayMark() throws {
        let mark = ReplayMark(try TestStore().digest(), device: 0x0102_0304)
        var bytes: [UInt8] = []
        mark.append(to: &bytes)
        #expect(bytes.count == ReplayMark.length && ReplayMark(bytes.span, at: 0) == mark)
    }

    @Test("An owner with too many marks gets no more, and others are not affected")
    func limit() {
        var table = MarkTable(limit: 3)
        func mark(_ number: UInt64) -> RepetitionMark { RepetitionMark(key: number) }
        var answers: [RepetitionAnswer] = []
        for number in 1...3 as ClosedRange<UInt64> {
            answers.append(table.reserve(mark(number), owner: 7))
            table.keep(mark(number), owner: 7)
        }
        answers.append(table.reserve(mark(4), owner: 7))
        answers.append(table.reserve(mark(4), owner: 0))
        answers.append(table.reserve(mark(3), owner: 7))
        // A kept mark is not released, a reserved one is.
        table.release(mark(3))
        answers.append(table.reserve(mark(3), owner: 7))
        table.remove(mark(3))
        answers.append(table.reserve(mark(5), owner: 7))
        table.release(mark(5))
        answers.append(table.reserve(mark(6), owner: 7))
        answers.append(table.reserve(mark(7), owner: 7))
        #expect(
            answers == [
                .new, .new, .new, .unmarked, .new, .repeated, .repeated, .new, .new, .unmarked,
            ])
    }
}
