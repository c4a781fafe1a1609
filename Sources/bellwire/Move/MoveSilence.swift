/// What it means that a server which moves its store does not answer: a value, which asks no clock.
struct MoveSilence {
    enum Verdict: Equatable {
        case wait
        /// No server uses the folder, and nothing has started one.
        case ended
        /// One uses it, and says nothing.
        case silent
    }

    /// In milliseconds. Whoever manages the server starts it again within some seconds.
    private static let restart: Int64 = 20_000
    /// A large store takes long to be checked.
    private static let patience: Int64 = 120_000

    private var heardAt: Int64
    /// When the folder was seen in use.
    private var usedAt: Int64

    init(at now: Int64) { (heardAt, usedAt) = (now, now) }

    mutating func heard(at now: Int64) { (heardAt, usedAt) = (now, now) }

    /// There was no answer now. `isUsed`: by a process; nil if that cannot be seen.
    mutating func verdict(isUsed: Bool?, at now: Int64) -> Verdict {
        if isUsed ?? true { usedAt = now }
        if now - usedAt > Self.restart { return .ended }
        return now - heardAt > Self.patience ? .silent : .wait
    }
}
