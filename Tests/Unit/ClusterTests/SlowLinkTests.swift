import Foundation
import Mailbox
import System
import TestSupport
import Testing

@testable import Cluster

extension ClusterTests {
    @Test("A node with a slow link leaves the others what they write, and says that it cannot")
    func slowLink() async throws {
        let link = try SlowLink(to: servers.port(0), delay: 0.2)
        let user = ClusterUser.slowLink.rawValue
        let (first, second) = try Machine.pair()
        let near = try ClusterConnection(servers.settings("a", user: user))
        let (slow, fast) = (
            ClusterSettings(servers: ["nats://\(user):\(user)@127.0.0.1:\(link.port)"], name: "b"),
            servers.settings("b", user: user)
        )
        try await onThread {
            let store = try near.openStore(first.options, node: "a")
            // A copy of what is there, without the delays of a start.
            try openAndClose(fast, second)
            let far = try ClusterConnection(slow)
            let other = try far.openStore(second.options, node: "b")
            let isOver = Lock(false)
            let writing = Thread {
                var number = 0
                while !isOver.withLock({ $0 }) {
                    number += 1
                    _ = second.outcome(.addOwner(name: "far \(number)"), other)
                }
            }
            writing.start()
            var (number, written) = (0, 0)
            let isShutOut = becomes {
                number += 1
                let outcome = first.outcome(.addOwner(name: "near \(number)"), store)
                if outcome == .done { written += 1 }
                return other.isShutOut && !other.isUsable
            }
            // How much that is, a clock of whole milliseconds tells in the tests of turns.
            #expect(isShutOut && written > 0 && store.isUsable)
            isOver.withLock { $0 = true }
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
}
