import Foundation
import Testing

@testable import Mailbox

@Suite("Listeners of engines")
struct EngineIndexTests {
    // Unchecked: the news is only touched under the lock.
    private final class Listener: StoreListener, @unchecked Sendable {
        private let lock = NSLock()
        private var lots: [[UInt32]] = []
        private var returns = 0

        func receive(_ news: [EngineNews]) { lock.withLock { lots.append(news.map(\.engine)) } }
        func storeReturned() { lock.withLock { returns += 1 } }

        var heard: [[UInt32]] { lock.withLock { lots } }
        var returned: Int { lock.withLock { returns } }
    }

    @Test("Each listener hears each commit of its own engines once, in order")
    func lots() {
        let (index, first, second, third) = (EngineIndex(), Listener(), Listener(), Listener())
        for engine: UInt32 in [1, 2, 3] { index.listen(first, to: engine) }
        for engine: UInt32 in [2, 4] { index.listen(second, to: engine) }
        index.listen(third, to: 9)
        index.notify([3, 2, 4, 1, 2, 7].map { EngineNews(engine: $0, content: .ended) })
        index.notify([])
        index.notify([EngineNews(engine: 4, content: .ended)])
        #expect(first.heard == [[3, 2, 1, 2]])
        #expect(second.heard == [[2, 4, 2], [4]])
        #expect(third.heard.isEmpty)
        index.notifyStoreReturned()
        #expect([first, second, third].map(\.returned) == [1, 1, 1])
    }
}
