import Foundation
import Mailbox
import TestSupport
import Testing

@testable import Cluster

extension ClusterTests {
    @Test("A node with a slow link leaves the others what they write, and says that it cannot")
    func slowLink() async throws {
        let link = try SlowLink(to: servers.port(0), delay: 0.2)
        let user = ClusterUser.slowLink.rawValue
        let (first, second) = try Machine.pair()
        let near = try Membership(servers.settings("a", user: user))
        let (slow, fast) = (
            ClusterSettings(servers: ["nats://\(user):\(user)@127.0.0.1:\(link.port)"], name: "b"),
            servers.settings("b", user: user)
        )
        try await onThread {
            let store = try near.openStore(first.options, node: "a")
            // A copy of what is there, without the delays of a start.
            try openAndClose(fast, second)
            let far = try Membership(slow)
            let other = try far.openStore(second.options, node: "b")
            let alone = first.writes("alone", to: store, for: 3)
            let end = Date(timeIntervalSinceNow: 12)
            let writing = Thread {
                var number = 0
                while Date() < end {
                    number += 1
                    _ = second.outcome(.addOwner(name: "far \(number)"), other)
                }
            }
            writing.start()
            let beside = first.writes("beside", to: store, for: 6)
            #expect(becomes(within: 5) { other.isShutOut && !other.isUsable })
            #expect(store.isUsable)
            // Twice the time; half of it is left for a machine that does other things, too.
            #expect(beside >= alone)
            while Date() < end { usleep(50_000) }
            other.close()
            far.close()
            store.close()
        }
        near.close()
        link.end()
    }
}

extension Machine {
    fileprivate func outcome(_ operation: StoreOperation, _ store: SQLiteStore) -> StoreOutcome? {
        let outcome = OutcomeBox()
        store.submit(operation, ticket: 1, to: outcome)
        return outcome.value.wait(atMost: 10_000)
    }

    /// How many owners are added one after the other in so many seconds.
    fileprivate func writes(_ name: String, to store: SQLiteStore, for seconds: Double) -> Int {
        let end = Date(timeIntervalSinceNow: seconds)
        var count = 0
        while Date() < end {
            if outcome(.addOwner(name: "\(name) \(count)"), store) == .done { count += 1 }
        }
        return count
    }
}
