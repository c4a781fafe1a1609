/// How long to wait before the next attempt to connect.
///
/// Each failure doubles the wait up to a cap. Part of it is chance, so that the clients of a server
/// that was restarted do not come back all at once.
package struct LinkBackoff: Sendable {
    static let shortest = Duration.seconds(1)
    static let longest = Duration.seconds(300)
    /// What a server may ask for at most.
    private static let patience = Duration.seconds(3_600)

    private var failures = 0

    package init() {}

    /// `chance` is at least 0 and less than 1; `minimum` is what the server asked for.
    package mutating func next(chance: Double, atLeast minimum: Duration = .zero) -> Duration {
        let full = min(Self.longest, Self.shortest * (1 << min(failures, 16)))
        failures += 1
        return max(full * (0.5 + chance / 2), min(minimum, Self.patience))
    }

    package mutating func reset() { failures = 0 }
}
