import Crypto
import Delivery
import Foundation
import TestSupport
import Testing
import WebPush

@testable import Mailbox

@Suite("Stores that stay alike by a log")
struct FollowingTests {
    /// Stores that share keys, and a log.
    struct Group {
        let log = MemoryLog()
        let stores: [TestStore]

        init(
            _ count: Int, _ change: @escaping (inout SQLiteStore.Options) -> Void = { _ in }
        ) throws {
            let key = try MasterKey.generate()
            let origin = try StoreOrigin(wall: 1_700_000_000_000, masterKey: key)
            let log = log
            stores = try (0..<count).map { number in
                try TestStore { options in
                    options.masterKey = key
                    options.log = log.seat("node-\(number)", origin)
                    change(&options)
                }
            }
        }

        /// Waits until all stores have all entries, but for one that is away.
        func settle(without away: TestStore? = nil) throws {
            for store in stores where store !== away {
                let deadline = Date(timeIntervalSinceNow: 30)
                while try StorePicture.applied(store.path) < log.last {
                    guard Date() < deadline else { throw AnswerBox.Missing() }
                    usleep(2_000)
                }
            }
        }

        private func areAlike() throws -> Bool {
            try settle()
            let pictures = try stores.map { try StorePicture.rows($0.path) }
            return pictures.allSatisfy { $0 == pictures[0] }
        }

        func expectAlike() throws {
            // A store may write down at any time who listens there, or a part of an account.
            let deadline = Date(timeIntervalSinceNow: 60)
            while try !areAlike(), Date() < deadline { usleep(5_000) }
            #expect(try areAlike())
            for store in stores {
                let index = try StorePicture.index(of: store.store, store.path)
                try store.restart()
                #expect(try StorePicture.index(of: store.store, store.path) == index)
            }
        }
    }

    @Test("What one store accepts is in the other one, with its index")
    func two() throws {
        let group = try Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let device = try first.addDevice()
        let subscription = try first.register(device)
        _ = try first.keep(subscription.address, "one")
        try group.settle()
        #expect(try second.bodies(device) == ["one"])
        #expect(
            second.answer(subscription)
                == .found(
                    Endpoint(address: subscription.address, kind: .channel, sender: .anyone)))
        let message = try second.keep(subscription.address, "two")
        try group.settle()
        #expect(try first.bodies(device) == ["one", "two"])
        try first.expectDone(.acknowledge(message.reference))
        try first.expectDone(.unregister(subscription: subscription.address.subscription))
        try group.settle()
        #expect(second.answer(subscription) == .gone)
        #expect(try second.bodies(device) == [])
        try group.expectAlike()
    }

    @Test("An entry that came too late takes no positions from what others store")
    func positions() throws {
        let group = try Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let subscription = try first.register(try first.addDevice())
        try group.settle()
        func keep(in test: TestStore, _ body: String) throws -> Int64 {
            let message = try test.message(subscription.address, body)
            guard case .stored(let position) = try test.run(.store(message)) else {
                throw AnswerBox.Missing()
            }
            try group.settle()
            return position
        }
        let start = try keep(in: first, "one")
        group.log.fate = .tooLateOnce
        #expect(try keep(in: first, "two") == start + 1)
        #expect(try keep(in: second, "three") == start + 2)
    }

    @Test("A store that is too late for long asks the others to wait, which changes nothing")
    func asking() throws {
        let group = try Group(2)
        let device = try group.stores[0].addDevice()
        let subscription = try group.stores[0].register(device)
        try group.settle()
        let last = group.log.last
        group.log.fate = .tooLate
        let store = group.stores[1]
        let ticket = try store.submit(.store(store.message(subscription.address, "one")))
        let deadline = ContinuousClock.now + .seconds(2)
        while group.log.last == last, ContinuousClock.now < deadline { usleep(10_000) }
        let asked = group.log.entries(after: last)
        #expect(!asked.isEmpty && asked.allSatisfy(\.entry.asks))
        group.log.fate = .stored
        guard case .stored = try store.box.outcome(ticket) else { throw AnswerBox.Missing() }
        try group.settle()
        #expect(try group.stores[0].bodies(device) == ["one"])
        try group.expectAlike()
    }

    @Test("A store that is cut off is not taken for one that others are faster than")
    func cutOff() throws {
        let group = try Group(1)
        let store = group.stores[0]
        let device = try store.addDevice()
        let subscription = try store.register(device)
        group.log.fate = .tooLate
        group.log.isCurrent = false
        #expect(try store.run(.store(store.message(subscription.address, "one"))) == .unavailable)
        #expect(!store.store.isShutOut)
    }

    @Test("Both write at the same time, and nothing is lost")
    func contention() throws {
        let group = try Group(3)
        let device = try group.stores[0].addDevice()
        let subscription = try group.stores[0].register(device)
        try group.settle()
        for round in 0..<40 {
            let tickets = try group.stores.enumerated().map { number, store in
                try store.submit(.store(store.message(subscription.address, "\(round).\(number)")))
            }
            for (store, ticket) in zip(group.stores, tickets) {
                guard case .stored = try store.box.outcome(ticket) else {
                    throw AnswerBox.Missing()
                }
            }
        }
        try group.settle()
        #expect(try group.stores[1].bodies(device).count == 120)
        try group.expectAlike()
    }

    @Test("An entry whose answer was lost counts if it is in the log")
    func unknown() throws {
        let group = try Group(2)
        let device = try group.stores[0].addDevice()
        let subscription = try group.stores[0].register(device)
        for fate in [MemoryLog.Fate.storedSilently, .lost] {
            group.log.fate = fate
            let message = try group.stores[0].message(subscription.address, "\(fate)")
            #expect(try group.stores[0].run(.store(message)) == .unavailable)
            group.log.fate = .stored
            let deadline = Date(timeIntervalSinceNow: 30)
            while !group.stores[0].store.isUsable, Date() < deadline { usleep(5_000) }
        }
        try group.settle()
        #expect(try group.stores[0].bodies(device) == ["storedSilently"])
        #expect(try group.stores[1].bodies(device) == ["storedSilently"])
        try group.expectAlike()
    }

    @Test("What happens elsewhere is told for devices that may be connected here")
    func elsewhere() throws {
        let group = try Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let device = try first.addDevice()
        let subscription = try first.register(device)
        try group.settle()
        let news = NewsBox()
        second.store.index.remoteChanges.set { news.add($0) }
        second.store.index.isConnectedHere.set { $0 == device }
        try first.expectDone(.touchDevice(device, at: 5_000))
        let message = try first.keep(subscription.address, "kept")
        #expect(try first.run(.withdraw(message.location)) == .withdrawn(message.reference))
        first.store.passOn(try first.message(subscription.address, "passed", ttl: 0))
        let stranger = Address(subscription: 99, device: 99)
        first.store.passOn(try first.message(stranger, "for nobody here", ttl: 0))
        try group.settle()
        let deadline = Date(timeIntervalSinceNow: 60)
        while news.all.ended.isEmpty, Date() < deadline { usleep(2_000) }
        #expect(news.all.connected == [device])
        #expect(news.all.stored.map(\.device) == [device])
        #expect(news.all.ended.map(\.id) == [message.id])
        #expect(news.all.passed.map(\.content.body) == [Array("passed".utf8)])
    }

    @Test("A folder with a store of its own, or of another cluster, is refused")
    func foreign() throws {
        let own = try TestStore()
        _ = try own.addDevice()
        let device = try own.addDevice()
        _ = try own.register(device)
        own.options.log = MemoryLog().seat(
            "node", try StoreOrigin(wall: 0, masterKey: own.options.masterKey))
        #expect(throws: StoreFault.foreign) { try own.restart() }
    }

    @Test("An endpoint that nobody knows has ended only if nobody makes it meanwhile")
    func unsure() throws {
        let group = try Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let device = try first.addDevice()
        let early = try first.subscription(device)
        #expect(second.answer(early) == .unsure)
        try first.expectDone(.register(early))
        try group.settle()
        guard case .found = second.answer(early) else { throw AnswerBox.Missing() }
        try first.expectDone(.unregister(subscription: early.address.subscription))
        try group.settle()
        #expect(second.answer(early) == .gone)
        let never = try first.subscription(device)
        #expect(second.answer(never) == .unsure)
        usleep(1_600_000)
        #expect(second.answer(never) == .gone)
    }

    @Test("No two stores give the same number")
    func numbers() throws {
        let group = try Group(2)
        let indexes = group.stores.map(\.store.index)
        let rows = indexes.map { index in (0..<100).map { _ in index.nextSubscription() } }
        #expect(Set(rows[0]).isDisjoint(with: rows[1]))
        let sequences = indexes.map { index in (0..<100).map { _ in index.nextSequence() } }
        #expect(Set(sequences[0]).isDisjoint(with: sequences[1]))
        indexes[0].raiseSequence(to: 1_000_000)
        #expect(indexes[0].nextSequence() > 1_000_000)
    }

    /// Adds up what it is told.
    // Unchecked: the sum is only touched under the lock.
    private final class NewsBox: @unchecked Sendable {
        private let lock = NSLock()
        private var sum = RemoteChanges()

        var all: RemoteChanges { lock.withLock { sum } }

        func add(_ news: RemoteChanges) {
            lock.withLock {
                sum.connected += news.connected
                sum.stored += news.stored
                sum.ended += news.ended
                sum.passed += news.passed
            }
        }
    }
}
