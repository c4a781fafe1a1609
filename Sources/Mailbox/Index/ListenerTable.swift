import System

/// Receives on a store thread what is new, for everybody on one loop.
package protocol StoreListener<News>: AnyObject, Sendable {
    associatedtype News: Sendable

    /// In the order of the commits.
    func receive(_ news: [News])
    /// The store was opened again: the last news may be incomplete.
    func storeReturned()
}

/// Who listens to the news of which row. Any thread may use it.
final class ListenerTable<News: Sendable>: Sendable {
    private typealias Listener = any StoreListener<News>

    private let listeners = Lock<[UInt32: [any StoreListener<News>]]>([:])

    func add(_ listener: any StoreListener<News>, to row: UInt32) {
        listeners.withLock { $0[row, default: []].append(listener) }
    }

    /// True if it was the last one.
    func remove(_ listener: any StoreListener<News>, from row: UInt32) -> Bool {
        listeners.withLock { listeners in
            listeners[row]?.removeAll { $0 === listener }
            guard listeners[row]?.isEmpty == true else { return false }
            listeners[row] = nil
            return true
        }
    }

    func isHeard(_ row: UInt32) -> Bool { listeners.withLock { $0[row] != nil } }
    var rows: [UInt32] { listeners.withLock { Array($0.keys) } }

    /// `row`: what each of the news is about.
    func notify(_ news: [News], of row: (News) -> UInt32) {
        guard !news.isEmpty else { return }
        // There are as many listeners as loops: few.
        let lots = listeners.withLock { listeners in
            var lots: [(listener: Listener, news: [News])] = []
            for item in news {
                for listener in listeners[row(item)] ?? [] {
                    if let index = lots.firstIndex(where: { $0.listener === listener }) {
                        lots[index].news.append(item)
                    } else {
                        lots.append((listener, [item]))
                    }
                }
            }
            return lots
        }
        for lot in lots { lot.listener.receive(lot.news) }
    }

    func notifyStoreReturned() {
        var told: [Listener] = []
        for listener in listeners.withLock({ $0.values.joined() })
        where !told.contains(where: { $0 === listener }) {
            told.append(listener)
            listener.storeReturned()
        }
    }
}
