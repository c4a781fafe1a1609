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

        init(_ count: Int) throws {
            let key = try MasterKey.generate()
            let origin = try StoreOrigin(wall: 1_700_000_000_000, masterKey: key)
            let log = log
            stores = try (0..<count).map { number in
                try TestStore { options in
                    options.masterKey = key
                    options.log = log.seat("node-\(number)", origin)
                }
            }
        }

        /// Waits until all stores have all entries.
        func settle() throws {
            for store in stores {
                let deadline = Date(timeIntervalSinceNow: 30)
                while try StorePicture.applied(store.path) < log.last {
                    guard Date() < deadline else { throw AnswerBox.Missing() }
                    usleep(2_000)
                }
            }
        }

        func expectAlike() throws {
            try settle()
            let rows = try StorePicture.rows(stores[0].path)
            for store in stores {
                #expect(try StorePicture.rows(store.path) == rows)
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
            group.log.fate = { _ in fate }
            let message = try group.stores[0].message(subscription.address, "\(fate)")
            #expect(try group.stores[0].run(.store(message)) == .unavailable)
            group.log.fate = { _ in .stored }
            let deadline = Date(timeIntervalSinceNow: 30)
            while !group.stores[0].store.isUsable, Date() < deadline { usleep(5_000) }
        }
        try group.settle()
        #expect(try group.stores[0].bodies(device) == ["storedSilently"])
        #expect(try group.stores[1].bodies(device) == ["storedSilently"])
        try group.expectAlike()
    }
}
