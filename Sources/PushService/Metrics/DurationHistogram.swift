import Synchronization

/// Counts durations in buckets. Any thread may use it.
final class DurationHistogram: Sendable {
    /// Upper bounds in microseconds; the last count has none.
    static let bounds = [
        1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000,
    ]

    private let counts = InlineArray<11, Atomic<Int>> { _ in Atomic(0) }
    private let sum = Atomic<Int>(0)

    func record(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let microseconds = Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
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

    /// As the format requires, each bucket includes the counts of those below it.
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
