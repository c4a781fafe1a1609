import Mailbox

/// When to ask the servers again, and what is new.
struct SurveySchedule {
    /// In milliseconds.
    private static let interval: Int64 = 60_000

    private var next: Int64 = .min
    private var returns = 0
    private var last = ServerReport(servers: [])

    /// `returns`: how often the connection has come back.
    mutating func isDue(_ returns: Int, at now: Int64) -> Bool {
        guard now >= next || returns != self.returns else { return false }
        (next, self.returns) = (now + Self.interval, returns)
        return true
    }

    /// Only servers that may lose something are worth a report, and that there are none any more.
    mutating func isNews(_ report: ServerReport) -> Bool {
        defer { last = report }
        return report.unsynced != last.unsynced || report.unsafe != last.unsafe
    }
}

/// When to keep again which entry is the highest one.
struct ConfirmedSchedule {
    /// In milliseconds.
    private static let interval: Int64 = 5_000

    private var last: EntryMark?
    private var next: Int64 = .min

    /// If so, the next attempt is due some seconds later.
    mutating func isDue(_ mark: EntryMark, at now: Int64) -> Bool {
        guard now >= next, mark != last else { return false }
        next = now + Self.interval
        return true
    }

    mutating func kept(_ mark: EntryMark) { last = mark }
}

/// When a copy of the store is due.
struct SnapshotSchedule {
    /// A copy is due when the log has so many entries after the last one.
    static let entries: Int64 = 20_000
    /// In milliseconds.
    static let interval: Int64 = 900_000

    private var last: Int64?
    private var next: Int64 = 0
    private var retryAt: Int64 = 0

    /// `always`: whatever the log has, and however new the last copy is.
    func isDue(_ applied: Int64, always: Bool = false, at now: Int64) -> Bool {
        guard now >= retryAt else { return false }
        return always || now >= next && applied - (last ?? 0) >= Self.entries
    }

    /// Returns the number of the copy before.
    mutating func kept(_ number: Int64, at now: Int64) -> Int64? {
        defer { (last, next) = (number, now + Self.interval) }
        return last
    }

    /// Whether no copy has this entry, as far as this node knows.
    func lacks(_ number: Int64) -> Bool { last ?? 0 < number }

    mutating func failed(at now: Int64) { retryAt = now + Self.interval / 15 }
}
