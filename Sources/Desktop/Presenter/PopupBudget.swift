/// Limits how many notifications of one source come up: ten at once, then one per second.
struct PopupBudget: Equatable, Sendable {
    static let size = 10
    static let interval = Duration.seconds(1)

    /// When the budget is full again.
    private var fullAt = Duration.zero

    /// Uses one place if there is one.
    mutating func take(at now: Duration) -> Bool {
        let next = max(fullAt, now) + Self.interval
        guard next - now <= Self.interval * Self.size else { return false }
        fullAt = next
        return true
    }
}
