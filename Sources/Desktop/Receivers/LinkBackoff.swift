/// The wait before the next attempt to connect.
///
/// Each failure doubles it up to a limit. Part of it is random, so that the clients of a restarted
/// server do not all return at once.
package struct LinkBackoff: Sendable {
    package static let shortest = Duration.seconds(1)
    package static let longest = Duration.seconds(300)
    /// The longest wait that a server may ask for.
    private static let patience = Duration.seconds(3_600)

    private var failures = 0

    package init() {}

    /// `chance` is at least 0 and less than 1; `minimum` is what the server asked for.
    package mutating func next(
        chance: Double, atLeast minimum: Duration = .zero, atMost most: Duration = Self.longest
    ) -> Duration {
        let full = min(most, Self.shortest * (1 << min(failures, 16)))
        failures += 1
        return max(full * (0.5 + chance / 2), min(minimum, Self.patience))
    }

    package mutating func reset() { failures = 0 }
}
