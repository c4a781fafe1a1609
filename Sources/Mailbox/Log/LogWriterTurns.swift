/// When a store may write to a log that other stores write to as well: a value, which asks no
/// clock.
///
/// Only one entry can be the next one, and a store that was too late has done its work in vain.
/// After that has happened, the stores take turns: one that has written waits, for a limited time,
/// for each other store that wrote a moment ago. A store whose entries take longer than others, or
/// whose way to the log is longer, would still be too late each time. So after a while it writes an
/// entry that asks the others to wait for it. They wait for a tenth of their time at most, and not
/// again for a store that did not write although they waited.
struct LogWriterTurns {
    /// A store that wrote within this time takes part. In milliseconds.
    private static let memory: Int64 = 200
    /// How long the stores take turns after an entry that came too late. In milliseconds.
    private static let crowd: Int64 = 1_000
    /// How long the turn of another store is, at least and at most. In milliseconds.
    private static let turn: ClosedRange<Int64> = 4...50
    /// A store that was too late for so long asks the others to wait. In milliseconds.
    private static let patience: Int64 = 100
    /// How long after that it asks again, because the others may not have heard. In milliseconds.
    private static let repetition: Int64 = 1_000
    /// A store that was too late for so long is shut out, and asks no more. In milliseconds.
    private static let limit: Int64 = 2_000
    /// A store is not shut out any more after so long without being too late. In milliseconds.
    private static let recovery: Int64 = 10_000

    /// When the last entry of each other writer was followed.
    private var others: [CommitEntry.Writer: Int64] = [:]
    private var requests = WaitRequests()
    private var wroteAt: Int64?
    private var lateAt: Int64?
    /// Since when all entries of this store came too late.
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

    /// Whether to ask the others to wait. If so, the caller asks them now.
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
            requests.asked(writer, at: now)
        } else {
            // A writer that has to ask does not write in the time that a turn takes.
            others[writer] = requests.wrote(writer, at: now) ? nil : now
        }
    }

    /// Milliseconds until this store should write; zero if it need not wait.
    func rest(at now: Int64) -> Int64 {
        // A store that has asked the others to wait writes as soon as it can.
        if askedAt != nil { return 0 }
        return max(requests.rest(at: now), restInTurn(at: now))
    }

    private func restInTurn(at now: Int64) -> Int64 {
        guard let wroteAt, let lateAt, now - lateAt <= Self.crowd else { return 0 }
        let next = others.values.filter { now - $0 <= Self.memory && $0 < wroteAt }.count
        let turn = min(max(2 * length, Self.turn.lowerBound), Self.turn.upperBound)
        return max(0, wroteAt + Int64(next) * turn - now)
    }
}

/// The writers that have asked this store to wait: a value, which asks no clock.
struct WaitRequests {
    /// How long this store waits for a writer, in milliseconds: enough for a way to the log of 100.
    private static let courtesy: Int64 = 300
    /// After a wait, this store does not wait for the same writer for so many times as long.
    private static let share: Int64 = 9
    /// More writers than a log has. A store is a new writer each time it is opened, so old ones are
    /// forgotten.
    private static let most = 64
    private static let memory: Int64 = 3_600_000

    private struct Request {
        /// When the writer asked, or when this store may wait for it again; nil if it has written
        /// since.
        var from: Int64?
        /// This store does not wait for the writer before this time.
        var free: Int64 = .min
    }

    private var requests: [CommitEntry.Writer: Request] = [:]

    /// If the writer did not write since it asked last, this store has waited in vain.
    mutating func asked(_ writer: CommitEntry.Writer, at now: Int64) {
        guard requests[writer]?.from == nil else { return }
        if requests.count >= Self.most {
            requests = requests.filter { now - ($0.value.from ?? $0.value.free) < Self.memory }
        }
        let free = requests[writer]?.free ?? .min
        requests[writer] = Request(from: max(now, free), free: free)
    }

    /// Whether the writer had asked.
    mutating func wrote(_ writer: CommitEntry.Writer, at now: Int64) -> Bool {
        guard let request = requests[writer] else { return false }
        guard let from = request.from else {
            if request.free <= now { requests[writer] = nil }
            return false
        }
        let waited = min(max(0, now - from), Self.courtesy)
        requests[writer] = Request(free: max(request.free, now + Self.share * waited))
        return true
    }

    /// Milliseconds until this store has waited long enough for all of them.
    func rest(at now: Int64) -> Int64 {
        requests.values.reduce(0) { rest, request in
            guard let from = request.from, from <= now else { return rest }
            return max(rest, from + Self.courtesy - now)
        }
    }
}
