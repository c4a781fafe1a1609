/// When a store may write to a log that others write to as well: a value, which asks no clock.
///
/// Only one entry can come next, and whoever was too late has done its work in vain. Once that has
/// happened, who has written lets all those write first that wrote a moment ago too, but waits only
/// so long. Who has more work for an entry than others, or a longer way to the log, would still be
/// too late each time, so after a while it asks them to wait until it has written. They do so for a
/// tenth of their time at most, and not again for one who did not write although they waited.
struct LogWriterTurns {
    /// In milliseconds. Who wrote within this time takes part.
    private static let memory: Int64 = 200
    /// How long after an entry that came too late there are turns. In milliseconds.
    private static let crowd: Int64 = 1_000
    /// So long may another one take, at least and at most. In milliseconds.
    private static let turn: ClosedRange<Int64> = 4...50
    /// Who was too late for so long asks the others to wait. In milliseconds.
    private static let patience: Int64 = 100
    /// When it asks again, because they may not have heard it. In milliseconds.
    private static let repetition: Int64 = 1_000
    /// Who was too late for so long cannot write, and asks no more. In milliseconds.
    private static let limit: Int64 = 2_000
    /// It is thought to be able again when it was not too late for so long. In milliseconds.
    private static let recovery: Int64 = 10_000

    /// When something of them was followed.
    private var others: [CommitEntry.Writer: Int64] = [:]
    private var wishes = WaitRequests()
    private var wroteAt: Int64?
    private var lateAt: Int64?
    /// Since when all own entries came too late.
    private var lateSince: Int64?
    private var askedAt: Int64?
    private var length: Int64 = 0

    mutating func wrote(from begin: Int64, to end: Int64) {
        wroteAt = end
        length = end - begin
        (lateSince, askedAt) = (nil, nil)
        others = others.filter { end - $0.value <= Self.memory }
    }

    mutating func cameTooLate(at now: Int64) {
        let isAnew = lateAt.map { now - $0 > Self.crowd } ?? true
        if isAnew || lateSince == nil { (lateSince, askedAt) = (now, nil) }
        lateAt = now
    }

    /// Whether to ask the others now; then they are asked.
    mutating func asks(at now: Int64) -> Bool {
        guard let lateSince, now - lateSince >= Self.patience, now - lateSince < Self.limit,
            askedAt.map({ now - $0 >= Self.repetition }) ?? true
        else { return false }
        askedAt = now
        return true
    }

    /// The others have been faster for so long that this store does not get to write.
    func isShutOut(at now: Int64) -> Bool {
        guard let lateAt, let lateSince else { return false }
        return lateAt - lateSince >= Self.limit && now - lateAt < Self.recovery
    }

    mutating func followed(_ writer: CommitEntry.Writer, asks: Bool = false, at now: Int64) {
        if asks {
            wishes.asked(writer, at: now)
        } else {
            // Who has to ask does not write in the time that a turn takes.
            others[writer] = wishes.wrote(writer, at: now) ? nil : now
        }
    }

    /// Milliseconds until this store should write; zero if it need not wait.
    func rest(at now: Int64) -> Int64 {
        // All who ask write as soon as they can.
        if askedAt != nil { return 0 }
        return max(wishes.rest(at: now), restInTurn(at: now))
    }

    private func restInTurn(at now: Int64) -> Int64 {
        guard let wroteAt, let lateAt, now - lateAt <= Self.crowd else { return 0 }
        let next = others.values.filter { now - $0 <= Self.memory && $0 < wroteAt }.count
        let turn = min(max(2 * length, Self.turn.lowerBound), Self.turn.upperBound)
        return max(0, wroteAt + Int64(next) * turn - now)
    }
}

/// Those for whom a store waits because they have asked: a value, which asks no clock.
struct WaitRequests {
    /// So long it waits at most, in milliseconds: enough for who needs 100 to the log.
    private static let courtesy: Int64 = 300
    /// Whoever has waited for one does not for so many times as long.
    private static let share: Int64 = 9
    /// More than write to a log. Each has another name whenever it is opened, so old ones go.
    private static let most = 64
    private static let memory: Int64 = 3_600_000

    private struct Wish {
        /// When it asked, or may be waited for; nil if it has written since.
        var from: Int64?
        /// Nobody is waited for again before this time.
        var free: Int64 = .min
    }

    private var wishes: [CommitEntry.Writer: Wish] = [:]

    /// One that did not write since it asked last was waited for in vain.
    mutating func asked(_ writer: CommitEntry.Writer, at now: Int64) {
        guard wishes[writer]?.from == nil else { return }
        if wishes.count >= Self.most {
            wishes = wishes.filter { now - ($0.value.from ?? $0.value.free) < Self.memory }
        }
        let free = wishes[writer]?.free ?? .min
        wishes[writer] = Wish(from: max(now, free), free: free)
    }

    /// Whether it had asked.
    mutating func wrote(_ writer: CommitEntry.Writer, at now: Int64) -> Bool {
        guard let wish = wishes[writer] else { return false }
        guard let from = wish.from else {
            if wish.free <= now { wishes[writer] = nil }
            return false
        }
        let waited = min(max(0, now - from), Self.courtesy)
        wishes[writer] = Wish(free: max(wish.free, now + Self.share * waited))
        return true
    }

    /// Milliseconds until all of them have had their time.
    func rest(at now: Int64) -> Int64 {
        wishes.values.reduce(0) { rest, wish in
            guard let from = wish.from, from <= now else { return rest }
            return max(rest, from + Self.courtesy - now)
        }
    }
}
