import Base
import Delivery
import Foundation
import SQLite
import System
import Testing

@testable import Mailbox

@Suite("Limits for sessions and owners")
struct GrowthTests {
    /// Blocks the thread that delivers an answer.
    // Unchecked: semaphores are thread-safe.
    private final class Sticky: StoreSink, @unchecked Sendable {
        let isHere = DispatchSemaphore(value: 0)
        let mayGo = DispatchSemaphore(value: 0)

        func completed(_ completions: [CompletedOperation]) {
            isHere.signal()
            mayGo.wait()
        }

        func loaded(_ answer: LoadAnswer, ticket: UInt64) {}
    }

    /// Holds the writer at its first operation.
    private func hold(_ test: TestStore, _ device: UInt32) -> Sticky {
        let sticky = Sticky()
        test.store.submit(.touchDevice(device, at: 1), ticket: 1, to: sticky)
        sticky.isHere.wait()
        return sticky
    }

    /// Releases the writer once a push is queued behind the others; the push has to be stored.
    private func pushes(to address: Address, _ test: TestStore, past sticky: Sticky) throws {
        let message = try test.message(address)
        let pushed = test.submit(.store(message))
        sticky.mayGo.signal()
        guard case .stored = try test.box.outcome(pushed) else {
            Issue.record("the push was refused")
            return
        }
    }

    @Test("Half of the writer's queue is reserved for senders")
    func queue() throws {
        let test = try TestStore { $0.limits.queuedOperations = 16 }
        let device = try test.addDevice()
        let subscription = try test.register(device)
        let sticky = hold(test, device)
        let id = try test.message(subscription.address).id
        let asked = (0..<20).map { _ in test.submit(.acknowledgeByID(id, device: device)) }
        try pushes(to: subscription.address, test, past: sticky)
        let outcomes = try asked.map(test.box.outcome)
        // The held operation counts too.
        #expect(outcomes.count { $0 == .unavailable } == 13)
    }

    @Test("Half of the queue's bytes are reserved for senders")
    func queuedBytes() throws {
        let test = try TestStore { $0.limits.queuedBytes = 16_384 }
        let device = try test.addDevice()
        let subscription = try test.register(device)
        let sticky = hold(test, device)
        let text = [UInt8](repeating: 0x20, count: 1_000)
        let client = EngineClientID(engine: 1, number: 1)
        let asked = (0..<20).map { _ in test.submit(.engine(.request(client, text))) }
        try pushes(to: subscription.address, test, past: sticky)
        #expect(try asked.map(test.box.outcome).count { $0 == .unavailable } == 12)
    }

    @Test(
        "When all numbers are used, new rows are refused and existing ones keep working",
        .alone("each node takes numbers of its own"))
    func lastNumbers() throws {
        let test = try TestStore()
        var counters = test.store.index.counters
        let last = StoreIndex.lastRow
        (counters.subscription, counters.device, counters.credential) = (last - 1, last - 1, last)
        test.store.index.counters = counters
        let device = try test.addDevice()
        let address = try test.register(device).address
        #expect(address.subscription == last && device == last)
        for _ in 0..<3 {
            let refused = try test.subscription(device)
            #expect(try test.run(.register(refused)) == .full)
            #expect(throws: TestStore.Unexpected.self) { try test.addDevice() }
            let (registration, target) = try test.draft()
            let made = RegistrationOperation.create(
                registration, target, credential: nil, limit: nil, nil)
            #expect(try test.run(.registration(made)) == .full)
        }
        try test.restart()
        _ = try test.keep(address)
        #expect(try test.waiting(device).count == 1)
    }

    /// Records the order of the answers.
    private final class Order: StoreSink {
        private let noted = Lock<[UInt64]>([])

        var tickets: [UInt64] { noted.withLock { $0 } }

        func completed(_ completions: [CompletedOperation]) {
            noted.withLock { $0 += completions.map(\.ticket) }
        }

        func loaded(_ answer: LoadAnswer, ticket: UInt64) {}
    }

    @Test("A push does not wait for all engine requests, and those keep their order")
    func engines() throws {
        let test = try TestStore()
        let device = try test.addDevice()
        let address = try test.register(device).address
        let (sticky, order) = (hold(test, device), Order())
        let client = EngineClientID(engine: 1, number: 1)
        for ticket in 1...100 as ClosedRange<UInt64> {
            test.store.submit(.engine(.request(client, [])), ticket: ticket, to: order)
        }
        let message = try test.message(address)
        test.store.submit(.store(message), ticket: 1_000, to: order)
        sticky.mayGo.signal()
        let end = ContinuousClock.now + .seconds(10)
        while order.tickets.count < 101, ContinuousClock.now < end { usleep(1_000) }
        #expect(order.tickets.filter { $0 < 1_000 } == Array(1...100))
        #expect((order.tickets.firstIndex(of: 1_000) ?? .max) <= 16)
    }

    /// The number of rows in a table on the disk.
    private func rows(_ table: String, _ test: TestStore) throws -> Int64 {
        let path = test.path + "/" + WriterDatabase.fileName
        return try Connection(path, .readOnly).integer("SELECT count(*) FROM \(table)")
    }

    @Test("Endpoints that ended are forgotten after a quarter of a year")
    func ended() throws {
        let test = try TestStore()
        let device = try test.addDevice()
        for _ in 0..<3 {
            let subscription = try test.register(device)
            try test.expectDone(.unregister(subscription: subscription.address.subscription))
        }
        #expect(try rows("ended_endpoint", test) == 3)
        test.clocks.advance(seconds: 91 * 86_400)
        // Every batch is followed by a sweep.
        for time in 1...2 { try test.expectDone(.touchDevice(device, at: Int64(time))) }
        #expect(try rows("ended_endpoint", test) == 0)
    }

    @Test("Only the newest ended endpoints are remembered")
    func endedBound() throws {
        let test = try TestStore { $0.limits.growth.endedEndpoints = 3 }
        let device = try test.addDevice()
        for count in 1...5 {
            let subscription = try test.register(device)
            try test.expectDone(.unregister(subscription: subscription.address.subscription))
            #expect(test.answer(subscription) == .gone)
            #expect(try rows("ended_endpoint", test) == Int64(min(count, 3)))
        }
    }

    private static let callbackTerms =
        #"{"token_type":10,"app":"a","account":"b","callback":"https://app.example/"}"#

    @Test("The shares of owners are counted correctly")
    func shares() throws {
        let test = try TestStore()
        func shares() throws -> [String] {
            let path = test.path + "/" + WriterDatabase.fileName
            let connection = try Connection(path, .readOnly)
            return try ShareKind.allCases.flatMap { kind in
                return try ["", "a", "b"].map { owner in
                    let rows = owner.isEmpty ? "" : "WHERE owner = '\(owner)'"
                    let table = kind.rawValue
                    let counted = try connection.integer(
                        "SELECT coalesce(sum(count * 1000000 + bytes), 0) FROM share "
                            + "WHERE kind = '\(table)' AND owner = '\(owner)'")
                    let real = try connection.integer(
                        "SELECT count(*) * 1000000 + coalesce(sum(\(kind.size())), 0) FROM \(table) "
                            + rows)
                    return counted == real ? "" : "\(kind) \(owner): \(counted), not \(real)"
                }
            }.filter { !$0.isEmpty }
        }
        for number in 0..<6 {
            let owner = number.isMultiple(of: 2) ? "a" : "b"
            let (registration, subscription) = try test.draft(Self.callbackTerms, owner: owner)
            let digest = try test.digest()
            let kept = KeptAnswer(request: digest, body: digest, answer: [1, 2, 3])
            try test.expectDone(
                .registration(
                    .create(registration, subscription, credential: nil, limit: 9, kept)))
            try test.make(registration.device)
            let event = try test.event("one", isPush: true)
            try test.expectDone(.callback(.add(event, to: registration.device)))
            _ = try test.receive(subscription.address, GrowthKind.message(from: number))
            if number > 3 { _ = try test.deliverAll(registration.device) }
            #expect(try shares() == [])
            if number == 4 {
                try test.expectDone(.registration(.end(device: registration.device)))
                try test.expectDone(.callback(.end(callback: registration.device, last: nil)))
                #expect(try shares() == [])
            }
        }
        try test.pass(seconds: 2 * 86_400)
        #expect(try shares() == [])
    }
}
