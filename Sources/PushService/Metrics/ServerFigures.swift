import WebPush

/// The counters for people who look at the server, since its start.
package struct ServerFigures: Sendable {
    package struct Refusals: Sendable {
        package let word: String
        package let status: Int
        package let number: Int?
        package let count: Int
    }

    /// Seconds since 1970.
    package let began: Int
    package let accepted: Int
    package let repeated: Int
    package let delivered: Int
    package let acknowledged: Int
    package let clients: Int
    /// Upper bounds in microseconds, and for each how many answers took no longer.
    package let durationBounds: [Int]
    package let durationSums: [Int]
    /// Only those that happened.
    package let refusals: [Refusals]
    /// Accepted pushes that could not be read, by reason.
    package let unreadable: [(word: String, count: Int)]

    private static let kinds = Dictionary(PushRefusal.examples.map { ($0.word, $0) }) { first, _ in
        first
    }

    /// The errno of a refusal.
    package static func number(of word: String) -> Int? { kinds[word]?.number }

    fileprivate static func status(of word: String) -> Int { kinds[word]?.status ?? 0 }
}

extension PushContext {
    package var serverFigures: ServerFigures {
        let refusals = metrics.refusals.sorted { $0.count > $1.count }.map { word, count in
            ServerFigures.Refusals(
                word: word, status: ServerFigures.status(of: word),
                number: ServerFigures.number(of: word), count: count)
        }
        return ServerFigures(
            began: Int(metrics.began), accepted: metrics.acceptedCount,
            repeated: metrics.repeatedCount, delivered: metrics.deliveredCount,
            acknowledged: metrics.acknowledgedCount, clients: metrics.userAgentCount,
            durationBounds: DurationHistogram.bounds, durationSums: metrics.durations.sums,
            refusals: refusals,
            unreadable: metrics.undecryptableReasons.sorted { $0.count > $1.count })
    }
}
