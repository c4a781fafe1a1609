package import Delivery
import Synchronization
import System

/// Who listens to which engine. Any thread may use it.
package final class EngineIndex: Sendable {
    private let listeners = ListenerTable<EngineNews>()
    /// How many clients of each engine fetch.
    private let fetchers = Lock<[UInt32: Int]>([:])
    /// When the last client of each engine left, until one returns.
    private let left = Lock<[UInt32: StoreTime]>([:])
    /// The clients that other stores have.
    private let remoteClients = Lock(RemoteClients())
    /// Engines whose clients here have changed; only if other stores want to know.
    private let unshared = Lock<UnsharedClients?>(nil)
    private let lastClient = Atomic<UInt64>(0)
    private let changes = Atomic<UInt64>(0)
    private let follower = Subscriber<Void, Void>()

    package func nextClient() -> UInt64 { lastClient.add(1, ordering: .relaxed).newValue }

    /// Counts created and ended engines, and changes of the application that opens an account.
    package var changeCount: UInt64 { changes.load(ordering: .relaxed) }

    /// `follower` is called on a store thread after each of these changes.
    package func followChanges(_ follower: @escaping @Sendable () -> Void) {
        self.follower.set { follower() }
    }

    func countChange() {
        changes.add(1, ordering: .relaxed)
        follower.call(())
    }

    /// Call once per engine, before its first client joins.
    package func listen(_ listener: any StoreListener<EngineNews>, to engine: UInt32) {
        listeners.add(listener, to: engine)
        changed(engine)
    }

    package func stopListening(
        _ listener: any StoreListener<EngineNews>, to engine: UInt32, at now: StoreTime
    ) {
        if listeners.remove(listener, from: engine) { left.withLock { $0[engine] = now } }
        changed(engine)
    }

    /// When the last client left; only the first one to return gets this. Nil if there was none.
    func takeAbsence(of engine: UInt32) -> StoreTime? {
        left.withLock { $0.removeValue(forKey: engine) }
    }

    /// Takes back that these absences have ended: the batch that ended them was not committed.
    func putBack(_ absences: [UInt32: StoreTime]) {
        left.withLock { $0.merge(absences) { newer, _ in newer } }
    }

    /// Call this before a fetcher joins. The fetcher counts until `removeFetcher`.
    package func addFetcher(of engine: UInt32) {
        fetchers.withLock { $0[engine, default: 0] += 1 }
        changed(engine)
    }

    package func removeFetcher(of engine: UInt32) {
        fetchers.withLock { fetchers in
            let count = fetchers[engine, default: 0] - 1
            fetchers[engine] = count > 0 ? count : nil
        }
        changed(engine)
    }

    package func hasFetchers(_ engine: UInt32) -> Bool {
        fetchers.withLock { $0[engine] != nil }
            || remoteClients.withLock { $0.haveFetchers(engine) }
    }

    /// Whether a push to the registration reaches nobody: only a screen would show it, and none is
    /// connected.
    package func isUnheard(_ registration: Registration) -> Bool {
        registration.terms.isOnlyShown && registration.terms.callback == nil
            && !hasListeners(registration.engine)
    }

    package func hasListeners(_ engine: UInt32) -> Bool {
        hasListenersHere(engine) || hasListenersElsewhere(engine)
    }

    func hasListenersHere(_ engine: UInt32) -> Bool {
        listeners.isHeard(engine)
    }

    func hasListenersElsewhere(_ engine: UInt32) -> Bool {
        remoteClients.withLock { $0.haveAny(engine) }
    }

    func notify(_ news: [EngineNews]) { listeners.notify(news, of: \.engine) }

    /// Sends the clients that are connected here to other nodes.
    func sendClientsAway() {
        notify(listeners.rows.map { EngineNews(engine: $0, content: .isCutOff) })
    }

    func notifyStoreReturned() { listeners.notifyStoreReturned() }
}

/// Several stores that stay alike.
extension EngineIndex {
    private struct UnsharedClients {
        var engines: Set<UInt32> = []
        let wake: @Sendable () -> Void
    }

    /// From now on, changes of who listens here are kept for `takeUnshared`. `wake` is called on any
    /// thread when there are some.
    func share(_ engines: [UInt32], _ wake: @escaping @Sendable () -> Void) {
        unshared.withLock { $0 = UnsharedClients(engines: Set(engines), wake: wake) }
    }

    private func changed(_ engine: UInt32) {
        unshared.withLock { unshared in
            unshared?.engines.insert(engine)
            return unshared?.wake
        }?()
    }

    /// Has the clients of these engines written down again: what the log has of them may be wrong.
    func shareAgain(_ engines: [UInt32]) { for engine in engines { changed(engine) } }

    func takeUnshared() -> Set<UInt32> {
        unshared.withLock { unshared in
            guard let engines = unshared?.engines, !engines.isEmpty else { return [] }
            unshared?.engines = []
            return engines
        }
    }

    /// Takes back `takeUnshared`: the batch that was to write these engines down was not committed.
    func putBack(_ engines: Set<UInt32>) {
        guard !engines.isEmpty else { return }
        unshared.withLock { $0?.engines.formUnion(engines) }
    }

    /// The clients of an engine that are connected here; nil if there are none.
    func clientsHere(_ engine: UInt32) -> RemoteClients.Count? {
        guard hasListenersHere(engine) else { return nil }
        return RemoteClients.Count(fetchers: fetchers.withLock { $0[engine] ?? 0 })
    }

    /// Engines that have fetchers at this node.
    package func engines(fetchedAt node: String) -> [UInt32] {
        remoteClients.withLock { $0.engines(fetchedAt: node) }
    }

    /// Other nodes that have clients.
    package var nodes: Set<String> { remoteClients.withLock { $0.nodes } }

    var hasUnshared: Bool { unshared.withLock { $0?.engines.isEmpty == false } }

    func set(_ count: RemoteClients.Count?, of engine: UInt32, at node: String) {
        remoteClients.withLock { $0.set(count, of: engine, at: node) }
    }
}
