/// How long to wait before what failed is tried again: after each failure twice as long as after the
/// one before, up to the longest pause.
///
/// It is a value: time and chance are passed in.
package struct Backoff: Equatable, Sendable {
    /// For connections that many lose at the same time.
    package static let ofConnections = Backoff(first: .seconds(1), longest: .seconds(300))
    /// The longest pause that a server may ask for.
    private static let patience = Duration.seconds(3_600)

    package let first: Duration
    package let longest: Duration
    private var failures = 0

    package init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// The pause of somebody who has counted the failures before the last one.
    package func pause(after failures: Int) -> Duration {
        min(first * (1 << min(max(failures, 0), 20)), longest)
    }

    /// The pause after another failure.
    package mutating func next() -> Duration {
        defer { failures += 1 }
        return pause(after: failures)
    }

    /// Up to half shorter by chance, so that the clients of a restarted server do not all return at
    /// once. `chance` is at least 0 and less than 1; `minimum` is what the server asked for.
    package mutating func next(
        chance: Double, atLeast minimum: Duration = .zero, atMost most: Duration? = nil
    ) -> Duration {
        let full = min(next(), most ?? longest)
        return max(full * (0.5 + chance / 2), min(minimum, Self.patience))
    }

    package mutating func reset() { failures = 0 }
}
