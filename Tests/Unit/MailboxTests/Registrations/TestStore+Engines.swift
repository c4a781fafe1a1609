import Base
import Foundation
import Notifications

@testable import Mailbox

/// Receives the state that clients start with.
// Unchecked: the texts are only touched under the lock.
final class WelcomeListener: StoreListener, @unchecked Sendable {
    private let lock = NSLock()
    private var texts: [UInt32: [String]] = [:]

    func receive(_ news: [EngineNews]) {
        for item in news {
            guard case .welcome(let updates, _, _) = item.content else { continue }
            let text = updates.map { update in
                var writer = JSONWriter()
                update.write(to: &writer)
                return String(decoding: writer.bytes, as: UTF8.self)
            }
            lock.withLock { texts[item.engine] = text }
        }
    }

    func storeReturned() {}
    func welcome(_ engine: UInt32) -> [String] { lock.withLock { texts[engine] ?? [] } }
}

extension TestStore {
    /// What a new client of each engine is shown.
    func welcomes(
        _ engines: [UInt32], _ role: EngineRole = EngineRole()
    ) throws -> [[String]] {
        let (index, listener) = (store.index.engines, WelcomeListener())
        for engine in engines {
            index.listen(listener, to: engine)
            let client = EngineClientID(engine: engine, number: index.nextClient())
            let deadline = Date(timeIntervalSinceNow: 60)
            var outcome = StoreOutcome.unavailable
            // Others may write all the time. A client repeats then what was refused.
            while outcome == .unavailable, Date() < deadline {
                outcome = try run(.engine(.join(client, role)))
            }
            guard outcome == .done else { throw Unexpected(outcome: outcome) }
            // News of a commit arrives before the answer to the next operation.
            _ = try run(.touchDevice(0, at: 0))
            index.stopListening(listener, to: engine, at: now)
        }
        return engines.map(listener.welcome)
    }
}
