package import Delivery
import Synchronization
import System

/// Receives news from engines on a store thread, for all clients on one loop.
package protocol EngineListener: AnyObject, Sendable {
    /// News arrives in the order of the commits.
    func hear(_ news: [EngineNews])
    /// The store was opened again: the last news may be incomplete.
    func storeReturned()
}

/// Who listens to which engine. Any thread may use it.
package final class EngineIndex: Sendable {
    private let listeners = Lock<[UInt32: [any EngineListener]]>([:])
    /// How many clients of each engine fetch.
    private let fetchers = Lock<[UInt32: Int]>([:])
    /// When the last client of each engine left, until one returns.
    private let left = Lock<[UInt32: StoreTime]>([:])
    private let lastClient = Atomic<UInt64>(0)
    private let changes = Atomic<UInt64>(0)
    private let follower = Lock<(@Sendable () -> Void)?>(nil)

    package func nextClient() -> UInt64 { lastClient.add(1, ordering: .relaxed).newValue }

    /// Counts created and ended engines, and changes of the application that opens an account.
    package var changeCount: UInt64 { changes.load(ordering: .relaxed) }

    /// `follower` is called on a store thread after each of these changes.
    package func followChanges(_ follower: @escaping @Sendable () -> Void) {
        self.follower.withLock { $0 = follower }
    }

    func countChange() {
        changes.add(1, ordering: .relaxed)
        follower.withLock { $0 }?()
    }

    /// Call once per engine, before its first client joins.
    package func listen(_ listener: any EngineListener, to engine: UInt32) {
        listeners.withLock { $0[engine, default: []].append(listener) }
    }

    package func stopListening(
        _ listener: any EngineListener, to engine: UInt32, at now: StoreTime
    ) {
        let isLast = listeners.withLock { listeners in
            listeners[engine]?.removeAll { $0 === listener }
            guard listeners[engine]?.isEmpty == true else { return false }
            listeners[engine] = nil
            return true
        }
        if isLast { left.withLock { $0[engine] = now } }
    }

    /// When the last client left; only the first one to return gets this. Nil if there was none.
    func takeAbsence(of engine: UInt32) -> StoreTime? {
        left.withLock { $0.removeValue(forKey: engine) }
    }

    /// Call before a fetcher joins; it counts until it is removed.
    package func addFetcher(of engine: UInt32) {
        fetchers.withLock { $0[engine, default: 0] += 1 }
    }

    package func removeFetcher(of engine: UInt32) {
        fetchers.withLock { fetchers in
            let count = fetchers[engine, default: 0] - 1
            fetchers[engine] = count > 0 ? count : nil
        }
    }

    package func hasFetchers(_ engine: UInt32) -> Bool {
        fetchers.withLock { $0[engine] != nil }
    }

    package func hasListeners(_ engine: UInt32) -> Bool {
        listeners.withLock { $0[engine] != nil }
    }

    func notify(_ news: [EngineNews]) {
        guard !news.isEmpty else { return }
        let listeners = listeners.withLock { $0 }
        // There are as many listeners as loops: few.
        var lots: [(listener: any EngineListener, news: [EngineNews])] = []
        for item in news {
            for listener in listeners[item.engine] ?? [] {
                if let index = lots.firstIndex(where: { $0.listener === listener }) {
                    lots[index].news.append(item)
                } else {
                    lots.append((listener, [item]))
                }
            }
        }
        for lot in lots { lot.listener.hear(lot.news) }
    }

    func notifyStoreReturned() {
        var told: [any EngineListener] = []
        for listener in listeners.withLock({ $0.values.joined() })
        where !told.contains(where: { $0 === listener }) {
            told.append(listener)
            listener.storeReturned()
        }
    }
}
