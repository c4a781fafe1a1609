package import Base
import System

/// The names of topics, and who reads those of which owner. Any thread may use it.
package final class TopicIndex: Sendable {
    private let names = Lock<[Digest: UInt32]>([:])
    private let listeners = ListenerTable<TopicNews>()

    /// The registration of the topic with this name.
    package func device(named name: Digest) -> UInt32? { names.withLock { $0[name] } }

    /// Gets topics that have ended, or have lost a name, on any thread.
    let onLostName = Subscriber<UInt32, Void>()

    func set(_ name: Digest, _ device: UInt32?) {
        let former = names.withLock { names in
            defer { names[name] = device }
            return names[name]
        }
        if device == nil, let former { onLostName.call(former) }
    }

    /// Tells what comes to all topics of an owner, also to later ones. Call once per owner, before the
    /// first reader on the loop.
    package func listen(_ listener: any StoreListener<TopicNews>, to owner: UInt32) {
        listeners.add(listener, to: owner)
    }

    package func stopListening(_ listener: any StoreListener<TopicNews>, to owner: UInt32) {
        _ = listeners.remove(listener, from: owner)
    }

    func notify(_ news: [TopicNews]) { listeners.notify(news, of: \.owner) }
    func notifyStoreReturned() { listeners.notifyStoreReturned() }
}
