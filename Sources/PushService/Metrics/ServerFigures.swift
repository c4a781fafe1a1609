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
    /// Pushes that engines gave to their clients at once, as to a screen.
    package let shown: Int
    package let userAgents: Int
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

    static func status(of word: String) -> Int { kinds[word]?.status ?? 0 }
}
