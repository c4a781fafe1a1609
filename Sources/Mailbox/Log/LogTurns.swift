/// When a store may write to a log that others write to as well: a value, which asks no clock.
///
/// Only one entry can come next, and whoever was too late has done its work in vain. Once that has
/// happened, who has written lets all those write first that wrote a moment ago too, but waits only
/// so long. Who has more work for an entry than others would still be too late each time, so after
/// a while it asks them to wait until it has written.
struct LogTurns {
    /// In milliseconds. Who wrote within this time takes part.
    private static let memory: Int64 = 200
    /// How long after an entry that came too late there are turns. In milliseconds.
    private static let crowd: Int64 = 1_000
    /// So long may another one take, at least and at most. In milliseconds.
    private static let turn: ClosedRange<Int64> = 4...50
    /// Who was too late for so long asks the others to wait. In milliseconds.
    private static let patience: Int64 = 100
    /// So long they wait at most. In milliseconds.
    private static let courtesy: Int64 = 300

    /// When something of them was followed.
    private var others: [CommitEntry.Writer: Int64] = [:]
    /// Those who asked, and have not written since.
    private var asking: [CommitEntry.Writer: Int64] = [:]
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
        asking = asking.filter { end - $0.value <= Self.courtesy }
    }

    mutating func cameTooLate(at now: Int64) {
        let isAnew = lateAt.map { now - $0 > Self.crowd } ?? true
        if isAnew || lateSince == nil { (lateSince, askedAt) = (now, nil) }
        lateAt = now
    }

    /// Whether to ask the others now; then they are asked.
    mutating func asks(at now: Int64) -> Bool {
        guard let lateSince, now - (askedAt ?? lateSince) >= Self.patience else { return false }
        askedAt = now
        return true
    }

    mutating func followed(_ writer: CommitEntry.Writer, asks: Bool = false, at now: Int64) {
        if asks {
            asking[writer] = now
        } else {
            asking[writer] = nil
            others[writer] = now
        }
    }

    /// Milliseconds until this store should write; zero if it need not wait.
    func rest(at now: Int64) -> Int64 {
        // All who ask write as soon as they can.
        if let askedAt, now - askedAt <= Self.courtesy { return 0 }
        let asked = asking.values.max().map { $0 + Self.courtesy - now } ?? 0
        return max(0, asked, restInTurn(at: now))
    }

    private func restInTurn(at now: Int64) -> Int64 {
        guard let wroteAt, let lateAt, now - lateAt <= Self.crowd else { return 0 }
        let next = others.values.filter { now - $0 <= Self.memory && $0 < wroteAt }.count
        let turn = min(max(2 * length, Self.turn.lowerBound), Self.turn.upperBound)
        return wroteAt + Int64(next) * turn - now
    }
}
