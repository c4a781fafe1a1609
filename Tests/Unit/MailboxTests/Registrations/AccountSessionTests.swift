import Foundation
import Notifications
import Testing

@testable import Mailbox

@Suite("The session of an account that rings only for a while")
struct AccountSessionTests {
    /// Receives what a client that joins is told first.
    // Unchecked: the number is only touched under the lock.
    private final class Listener: StoreListener, @unchecked Sendable {
        private let lock = NSLock()
        private var shown = 0

        func receive(_ news: [EngineNews]) {
            for case .welcome(let updates, _, _) in news.map(\.content) {
                for case .activeNotifications(let groups) in updates {
                    lock.withLock { shown = groups.map(\.notifications.count).reduce(0, +) }
                }
            }
        }

        func storeReturned() {}
        var count: Int { lock.withLock { shown } }
    }

    private let test: TestStore
    private let listener = Listener()

    init() throws { test = try TestStore() }

    private func register() throws -> (Registration, Subscription) {
        try test.addRegistration(
            #"{"token_type":10,"app":"icq","account":"a","dialect":"icq","notify_mode":"applePushNotification","session_timeout":600}"#
        )
    }

    private func push(_ subscription: Subscription, _ text: String) throws {
        let payload = #"{"aps":{"alert":{"loc-key":"IM2","loc-args":["1","9","\#(text)"]}}}"#
        _ = try test.receive(subscription.address, payload)
    }

    /// How many notifications a client is told that joins now, which is a sign of life.
    private func shown(_ engine: UInt32) throws -> Int {
        let index = test.store.index.engines
        index.listen(listener, to: engine)
        let client = EngineClientID(engine: engine, number: index.nextClient())
        try test.expectDone(.engine(.join(client, EngineRole())))
        _ = try test.run(.touchDevice(0, at: 0))
        return listener.count
    }

    @Test("It begins with the registration, and what is pushed after its end is not shown")
    func begins() throws {
        let (registration, subscription) = try register()
        test.clocks.advance(seconds: 599)
        try push(subscription, "in time")
        test.clocks.advance(seconds: 1)
        try push(subscription, "too late")
        // Both wait to be fetched, and nothing else does.
        #expect(try test.bodies(registration.device).count == 2)
        #expect(try shown(registration.device) == 1)
    }

    @Test("A sign of life continues it, and begins a new one")
    func continues() throws {
        let (registration, subscription) = try register()
        func use() throws {
            var used = try #require(try test.find(registration.id))
            let revision = used.revision
            let isRecorded = used.recordSignOfLife(at: test.now)
            #expect(isRecorded)
            try test.expectDone(.registration(.change(used, from: revision, adding: nil)))
        }
        test.clocks.advance(seconds: 400)
        try use()
        test.clocks.advance(seconds: 400)
        try push(subscription, "still in time")
        test.clocks.advance(seconds: 200)
        try push(subscription, "too late")
        try use()
        try push(subscription, "in time again")
        #expect(try shown(registration.device) == 2)
        // The client that joined to count them was a sign of life too.
        test.clocks.advance(seconds: 599)
        try push(subscription, "and still")
        #expect(try shown(registration.device) == 3)
    }
}
