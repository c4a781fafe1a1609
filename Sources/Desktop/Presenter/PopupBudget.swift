/// How many notifications of one source may come up: ten at once, then one a second.
struct PopupBudget: Equatable, Sendable {
    static let size = 10
    static let interval = Duration.seconds(1)

    /// When it would be full again if nothing came up meanwhile.
    private var fullAt = Duration.zero

    /// Whether there is room for one, which is then used.
    mutating func take(at now: Duration) -> Bool {
        let next = max(fullAt, now) + Self.interval
        guard next - now <= Self.interval * Self.size else { return false }
        fullAt = next
        return true
    }
}
