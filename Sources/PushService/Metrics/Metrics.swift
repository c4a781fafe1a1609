import HTTP
import Outbound
import Synchronization
import System
import WebPush

/// What a push service counts. It contains no name of a device, sender or endpoint. Any thread may
/// use it.
final class Metrics: Sendable {
    /// What the listeners count.
    let http = HTTPFigures()
    /// Seconds since 1970.
    let began = WallClock.now
    /// The times from reading a push to answering it.
    let durations = DurationHistogram()
    private let accepted = Atomic<Int>(0)
    /// Repetitions, which are not delivered again.
    private let repeated = Atomic<Int>(0)
    /// Pushes answered like the others, but without effect.
    private let outranked = Atomic<Int>(0)
    private let delivered = Atomic<Int>(0)
    private let acknowledged = Atomic<Int>(0)
    /// Pushes that an engine gave to its clients at once.
    private let shown = Atomic<Int>(0)
    private let connections = Atomic<Int>(0)
    /// Refused pushes, by the word of the refusal.
    private let refused = Lock<[String: Int]>([:])
    /// Attempts, by result.
    private let callbacks = Lock<[String: Int]>([:])

    private let undecryptable = Lock<[String: Int]>([:])

    func noteUndecryptable(_ reason: String) {
        undecryptable.withLock { $0[reason, default: 0] += 1 }
    }

    func noteAccepted() { accepted.add(1, ordering: .relaxed) }
    func noteRepeated() { repeated.add(1, ordering: .relaxed) }
    func noteOutranked() { outranked.add(1, ordering: .relaxed) }
    func noteDelivered() { delivered.add(1, ordering: .relaxed) }
    func noteAcknowledged() { acknowledged.add(1, ordering: .relaxed) }
    func noteShown() { shown.add(1, ordering: .relaxed) }
    func noteOpened() { connections.add(1, ordering: .relaxed) }
    func noteClosed() { connections.subtract(1, ordering: .relaxed) }
    func noteAnswered(after duration: Interval) { durations.record(duration) }
    func count(_ refusal: PushRefusal) { refused.withLock { $0[refusal.word, default: 0] += 1 } }
    func count(_ attempt: Result<HTTPResponse, RequestFailure>) {
        callbacks.withLock { $0[Self.word(for: attempt), default: 0] += 1 }
    }

    var acceptedCount: Int { accepted.load(ordering: .relaxed) }
    var repeatedCount: Int { repeated.load(ordering: .relaxed) }
    var outrankedCount: Int { outranked.load(ordering: .relaxed) }
    var deliveredCount: Int { delivered.load(ordering: .relaxed) }
    var acknowledgedCount: Int { acknowledged.load(ordering: .relaxed) }
    var shownCount: Int { shown.load(ordering: .relaxed) }
    var userAgentCount: Int { connections.load(ordering: .relaxed) }
    var refusals: [(word: String, count: Int)] { Self.words(refused) }
    var undecryptableReasons: [(word: String, count: Int)] { Self.words(undecryptable) }
    var callbackEnds: [(word: String, count: Int)] { Self.words(callbacks) }

    private static func words(
        _ counts: borrowing Lock<[String: Int]>
    ) -> [(word: String, count: Int)] {
        counts.withLock { $0 }.map { ($0.key, $0.value) }
    }

    /// All results of an attempt that `word` returns, but for statuses that no server should send.
    static let callbackResults = ["2xx", "3xx", "4xx", "5xx", "timeout", "refused", "error"]

    private static func word(for attempt: Result<HTTPResponse, RequestFailure>) -> String {
        switch attempt {
        case .success(let response): "\(response.status / 100)xx"
        case .failure(.timedOut): "timeout"
        case .failure(.refused), .failure(.socket): "refused"
        case .failure(.failed), .failure(.closed): "error"
        }
    }
}

/// Counts durations in buckets. Any thread may use it.
final class DurationHistogram: Sendable {
    /// Upper bounds in microseconds; the last count has none.
    static let bounds = [
        1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000,
    ]

    private let counts = InlineArray<11, Atomic<Int>> { _ in Atomic(0) }
    private let sum = Atomic<Int>(0)

    func record(_ duration: Interval) {
        let microseconds = Int(duration.nanoseconds / 1_000)
        let index = Self.bounds.firstIndex { microseconds <= $0 } ?? Self.bounds.count
        counts[index].add(1, ordering: .relaxed)
        sum.add(microseconds, ordering: .relaxed)
    }

    /// For each bound, how many took no longer; then how many there were.
    var sums: [Int] {
        var total = 0
        return counts.indices.map { index in
            total += counts[index].load(ordering: .relaxed)
            return total
        }
    }

    /// As the format requires, each bucket includes the counts of all lower ones.
    func write(to text: inout MetricsText) {
        let sums = sums
        for (index, sum) in sums.enumerated() {
            let isLast = index == Self.bounds.count
            let bound = isLast ? "+Inf" : "\(Double(Self.bounds[index]) / 1_000_000)"
            text.add([("le", bound)], sum, suffix: "_bucket")
        }
        text.add(Double(sum.load(ordering: .relaxed)) / 1_000_000, suffix: "_sum")
        text.add([], sums[Self.bounds.count], suffix: "_count")
    }
}

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
    /// Refusals that have happened, with their counts.
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
