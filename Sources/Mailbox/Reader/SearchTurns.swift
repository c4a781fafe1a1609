import Crypto
import Delivery

/// Searches that are under way at the reader, which goes on with one of them whenever it has
/// answered all others.
struct SearchTurns {
    struct Running {
        let search: TopicSearch
        let ticket: UInt64
        let sink: any StoreSink

        func answer(_ page: TopicPage?) {
            sink.loaded(page.map { .topic(.page($0)) } ?? .unavailable, ticket: ticket)
        }
    }

    private static let limit = 256

    private var waiting: [Running] = []

    var isEmpty: Bool { waiting.isEmpty }

    mutating func add(_ request: TopicSearchRequest, _ ticket: UInt64, _ sink: any StoreSink) {
        let running = Running(search: TopicSearch(request), ticket: ticket, sink: sink)
        guard waiting.count < Self.limit else { return running.answer(nil) }
        waiting.append(running)
    }

    /// `body` takes the next turn of a search.
    mutating func goOn(_ body: (TopicSearch) -> TopicSearches.Turn) {
        guard !waiting.isEmpty else { return }
        let next = waiting.removeFirst()
        switch body(next.search) {
        case .unfinished: waiting.append(next)
        case .done(let page): next.answer(page)
        }
    }

    mutating func giveUp() {
        for running in waiting { running.answer(nil) }
        waiting = []
    }
}
