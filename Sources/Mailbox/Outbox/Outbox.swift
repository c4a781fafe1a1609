package import Delivery

/// The round of one callback: what is to be done next, and what the answer to an attempt means.
///
/// What waits, and how often it was tried, is in the store and read anew for each step; this knows
/// only where in the round it is. A value: the one who holds it loads, waits, sends and records.
package struct Outbox: Sendable {
    package enum Action: Equatable, Sendable {
        case nothing
        /// Load the record.
        case look
        /// Ask for one of the places for attempts; then call `placed`.
        case ask
        /// Send the head of the record that was loaded.
        case attempt
        case wait(until: StoreTime)
        case record(AttemptRecord)
        /// Nothing is left to be done: let go of this.
        case rest
    }

    /// What came of an attempt.
    package enum Answer: Equatable, Sendable {
        /// `isConfirmed`: the challenge came back. `retryAfter`: seconds that were asked for.
        case status(Int, isConfirmed: Bool = false, retryAfter: UInt32? = nil)
        case none
    }

    private struct Attempt {
        let position: Int64
        let state: CallbackState
        let attempts: Int
        let refusals: Int
    }

    private enum Phase {
        case looking(hasPlace: Bool, hasNews: Bool)
        case waiting(until: StoreTime)
        case asking
        case attempting(Attempt)
        case recording(AttemptRecord)
        case waitingToRecord(AttemptRecord, until: StoreTime)
    }

    /// A commit is over then, in milliseconds.
    private static let momentOfChange: Int64 = 5

    private let callback: UInt32
    private var phase = Phase.looking(hasPlace: false, hasNews: false)

    /// Begins by looking.
    package init(of callback: UInt32) { self.callback = callback }

    /// Something was committed.
    package mutating func hear(_ news: CallbackNews) -> Action {
        switch phase {
        case .looking(let hasPlace, _):
            phase = .looking(hasPlace: hasPlace, hasNews: true)
            return .nothing
        case .waiting where news == .changed: return look()
        // The head is still the same, or the record is read again in any case.
        case .waiting, .asking, .attempting, .recording, .waitingToRecord: return .nothing
        }
    }

    package mutating func wake(at now: StoreTime) -> Action {
        switch phase {
        case .waiting(let until): return until <= now ? look() : .wait(until: until)
        case .waitingToRecord(let record, let until):
            guard until <= now else { return .wait(until: until) }
            phase = .recording(record)
            return .record(record)
        case .looking, .asking, .attempting, .recording: return .nothing
        }
    }

    /// There is a place: meanwhile the record may have become another one.
    package mutating func placed() -> Action {
        guard case .asking = phase else { return .nothing }
        phase = .looking(hasPlace: true, hasNews: false)
        return .look
    }

    /// The head is being changed.
    package mutating func putOff(at now: StoreTime) -> Action {
        wait(until: StoreTime(milliseconds: now.milliseconds + Self.momentOfChange))
    }

    /// The record could not be read, or the attempt not be made.
    package mutating func failed(at now: StoreTime) -> Action { wait(until: Self.soon(now)) }

    /// Nil when there is no such callback any more.
    package mutating func looked(_ record: CallbackRecord?, at now: StoreTime) -> Action {
        guard case .looking(let hasPlace, let hasNews) = phase else { return .nothing }
        guard let record, let head = record.head, record.state != .gone, record.state != .lapsed
        else { return hasNews ? look() : .rest }
        let lapse = record.created.adding(seconds: Callback.timeToConfirm)
        let isUnconfirmed = record.state == .unconfirmed
        if isUnconfirmed, lapse <= now { return write(.lapsed, of: head.position) }
        if head.dies <= now { return write(.dead, of: head.position) }
        guard head.due <= now, !isUnconfirmed || head.isIntroduction else {
            if hasNews { return look() }
            guard isUnconfirmed else { return wait(until: head.due) }
            return wait(until: head.isIntroduction ? min(head.due, lapse) : lapse)
        }
        guard hasPlace else {
            phase = .asking
            return .ask
        }
        phase = .attempting(
            Attempt(
                position: head.position, state: record.state, attempts: head.attempts,
                refusals: head.refusals))
        return .attempt
    }

    /// `random` makes callbacks that failed together come again apart.
    package mutating func answered(
        _ answer: Answer, at now: StoreTime, random: UInt64
    ) -> Action {
        guard case .attempting(let attempt) = phase else { return .nothing }
        let patience = CallbackPatience(random: random)
        let isUnconfirmed = attempt.state == .unconfirmed
        switch answer {
        case .status(200..<300, let isConfirmed, _) where isConfirmed || !isUnconfirmed:
            return write(.delivered, of: attempt.position)
        case .status(410, _, _): return write(.gone, of: attempt.position)
        case .status(let status, _, _)
        where !isUnconfirmed && CallbackPatience.isRefusal(status):
            let refusals = attempt.refusals + 1
            guard let delay = patience.delay(afterRefusals: refusals) else {
                return write(.parked, of: attempt.position)
            }
            return postpone(attempt, refusals: refusals, delay, now)
        case .status(_, _, let retryAfter):
            let delay = patience.delay(
                afterAttempts: attempt.attempts + 1, retryAfter: retryAfter ?? 0)
            return postpone(attempt, refusals: attempt.refusals, delay, now)
        case .none:
            let delay = patience.delay(afterAttempts: attempt.attempts + 1)
            return postpone(attempt, refusals: attempt.refusals, delay, now)
        }
    }

    /// The record was handed to the store, which took it or could not.
    package mutating func recorded(isTaken: Bool, at now: StoreTime) -> Action {
        guard case .recording(let record) = phase else { return .nothing }
        if isTaken { return look() }
        // It counts, and is kept until it can be written: else it would be sent again.
        phase = .waitingToRecord(record, until: Self.soon(now))
        return .wait(until: Self.soon(now))
    }

    private mutating func postpone(
        _ attempt: Attempt, refusals: Int, _ delay: Int64, _ now: StoreTime
    ) -> Action {
        let due = StoreTime(milliseconds: now.milliseconds + delay)
        return write(
            .postponed(attempts: attempt.attempts + 1, refusals: refusals, due: due),
            of: attempt.position)
    }

    private mutating func write(
        _ result: AttemptRecord.Result, of position: Int64
    ) -> Action {
        let record = AttemptRecord(callback: callback, position: position, result: result)
        phase = .recording(record)
        return .record(record)
    }

    private mutating func look() -> Action {
        phase = .looking(hasPlace: false, hasNews: false)
        return .look
    }

    private mutating func wait(until time: StoreTime) -> Action {
        phase = .waiting(until: time)
        return .wait(until: time)
    }

    private static func soon(_ now: StoreTime) -> StoreTime { now.adding(seconds: 1) }
}
