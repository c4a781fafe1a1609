package import Base
import System
package import Topics

/// The names of topics, and who reads those of which owner. Any thread may use it.
package final class TopicIndex: Sendable {
    private let names = Lock<[Digest: UInt32]>([:])
    private let listeners = ListenerTable<TopicNews>()
    private let questionListeners = ListenerTable<QuestionNews>()

    /// The registration of the topic with this name.
    package func device(named name: Digest) -> UInt32? { names.withLock { $0[name] } }

    /// Returns the topic that has lost the name.
    @discardableResult
    func set(_ name: Digest, _ device: UInt32?) -> UInt32? {
        names.withLock { names in
            let former = names[name]
            names[name] = device
            return device == nil ? former : nil
        }
    }

    /// Tells what comes to all topics of an owner, also to later ones. Call once per owner, before the
    /// first reader on the loop.
    package func listen(_ listener: any StoreListener<TopicNews>, to owner: UInt32) {
        listeners.add(listener, to: owner)
    }

    package func stopListening(_ listener: any StoreListener<TopicNews>, to owner: UInt32) {
        _ = listeners.remove(listener, from: owner)
    }

    /// Tells the end of this question, and perhaps that of others.
    package func listen(
        _ listener: any StoreListener<QuestionNews>, to question: TopicMessageID
    ) {
        questionListeners.add(listener, to: QuestionNews.row(question))
    }

    package func stopListening(
        _ listener: any StoreListener<QuestionNews>, to question: TopicMessageID
    ) {
        _ = questionListeners.remove(listener, from: QuestionNews.row(question))
    }

    func notify(_ news: [TopicNews]) { listeners.notify(news, of: \.owner) }
    func notify(_ news: [QuestionNews]) {
        questionListeners.notify(news) { QuestionNews.row($0.id) }
    }

    func notifyStoreReturned() {
        listeners.notifyStoreReturned()
        questionListeners.notifyStoreReturned()
    }
}
