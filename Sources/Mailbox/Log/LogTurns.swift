/// When a store may write to a log that others write to as well: a value, which asks no clock.
///
/// Only one entry can come next, and whoever was too late has done its work in vain. Once that has
/// happened, who has written lets all those write first that wrote a moment ago too, but waits only
/// so long.
struct LogTurns {
    /// In milliseconds. Who wrote within this time takes part.
    private static let memory: Int64 = 200
    /// How long after an entry that came too late there are turns. In milliseconds.
    private static let crowd: Int64 = 1_000
    /// So long may another one take, at least and at most. In milliseconds.
    private static let turn: ClosedRange<Int64> = 4...50

    /// When something of them was followed.
    private var others: [CommitEntry.Writer: Int64] = [:]
    private var wroteAt: Int64?
    private var lateAt: Int64?
    private var length: Int64 = 0

    mutating func wrote(from begin: Int64, to end: Int64) {
        wroteAt = end
        length = end - begin
        others = others.filter { end - $0.value <= Self.memory }
    }

    mutating func cameTooLate(at now: Int64) { lateAt = now }

    mutating func followed(_ writer: CommitEntry.Writer, at now: Int64) { others[writer] = now }

    /// Milliseconds until this store should write; zero if it need not wait.
    func rest(at now: Int64) -> Int64 {
        guard let wroteAt, let lateAt, now - lateAt <= Self.crowd else { return 0 }
        let next = others.values.filter { now - $0 <= Self.memory && $0 < wroteAt }.count
        let turn = min(max(2 * length, Self.turn.lowerBound), Self.turn.upperBound)
        return max(0, wroteAt + Int64(next) * turn - now)
    }
}
