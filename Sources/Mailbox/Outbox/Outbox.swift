import Base
package import Delivery
package import WebPush

/// The state of one callback's outbox: what to do next, and what the answer to an attempt means.
///
/// The events and the number of attempts are in the store and are read again for each step; this
/// only knows the current step. It is a value: its holder loads, waits, sends and records.
package struct Outbox: Sendable {
    package enum Action: Equatable, Sendable {
        case nothing
        /// Load the record.
        case look
        /// Request one of the places for attempts; then call `placed`.
        case ask
        /// Send the head of the loaded record.
        case attempt
        case wait(until: StoreTime)
        case record(AttemptRecord)
        /// Nothing is left to do: discard this value.
        case rest
    }

    /// The result of an attempt.
    package enum Answer: Equatable, Sendable {
        /// `isConfirmed`: the challenge came back. `retryAfter`: seconds the receiver asked for.
        case status(Int, isConfirmed: Bool = false, retryAfter: UInt32? = nil)
        /// A push service's answer to a forward.
        case push(PushServiceAnswer)
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

    /// Milliseconds after which a commit is over.
    private static let momentOfChange: Int64 = 5

    private let callback: UInt32
    private var phase = Phase.looking(hasPlace: false, hasNews: false)

    /// Starts by looking.
    package init(of callback: UInt32) { self.callback = callback }

    /// Something was committed.
    package mutating func hear(_ news: CallbackNews) -> Action {
        switch phase {
        case .looking(let hasPlace, _):
            phase = .looking(hasPlace: hasPlace, hasNews: true)
            return .nothing
        case .waiting where news == .changed: return look()
        // The head is still the same, or the record is read again anyway.
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

    /// A place is free. The record is read again, because it may have changed meanwhile.
    package mutating func placed() -> Action {
        guard case .asking = phase else { return .nothing }
        phase = .looking(hasPlace: true, hasNews: false)
        return .look
    }

    /// The head is being changed.
    package mutating func putOff(at now: StoreTime) -> Action {
        wait(until: StoreTime(milliseconds: now.milliseconds + Self.momentOfChange))
    }

    /// Nothing is sent to this push service until then.
    package mutating func hold(until time: StoreTime) -> Action { wait(until: time) }

    /// The record could not be read, or the attempt could not be made.
    package mutating func failed(at now: StoreTime) -> Action { wait(until: Self.soon(now)) }

    /// Nil if the callback no longer exists.
    package mutating func looked(_ record: CallbackRecord?, at now: StoreTime) -> Action {
        guard case .looking(let hasPlace, let hasNews) = phase else { return .nothing }
        guard let record, let head = record.head,
            ![.gone, .lapsed, .restored].contains(record.state)
        else { return hasNews ? look() : .rest }
        let lapse = record.created.adding(seconds: record.callback.timeToConfirm)
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

    /// `random` spreads callbacks that failed together.
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
        case .push(let answer):
            var action = pushed(answer, attempt, patience, now)
            if case .record(var record) = action {
                record.answer = answer
                phase = .recording(record)
                action = .record(record)
            }
            return action
        case .none:
            let delay = patience.delay(afterAttempts: attempt.attempts + 1)
            return postpone(attempt, refusals: attempt.refusals, delay, now)
        }
    }

    /// So often a push service is asked again as soon as it says.
    private static let hastyTries = 3

    /// What failed is tried until the message is too old. Only what cannot be helped ends sooner.
    private mutating func pushed(
        _ answer: PushServiceAnswer, _ attempt: Attempt, _ patience: CallbackPatience,
        _ now: StoreTime
    ) -> Action {
        switch answer.meaning {
        case .accepted: return write(.delivered, of: attempt.position)
        case .gone: return write(.gone, of: attempt.position)
        // Once more, in short.
        case .tooLong where attempt.refusals == 0: return postpone(attempt, refusals: 1, 0, now)
        case .tooLong, .refused:
            return write(attempt.state == .unconfirmed ? .lapsed : .refused, of: attempt.position)
        case .unauthorized, .later:
            let attempts = attempt.attempts + 1
            let isUnconfirmed = attempt.state == .unconfirmed
            if isUnconfirmed, attempts >= Forward.introductions {
                return write(.lapsed, of: attempt.position)
            }
            // The few tries of an introduction are spread over more than half an hour.
            let usual = patience.delay(afterPushes: isUnconfirmed ? 4 * attempts : attempts)
            var delay = usual
            if case .later(let seconds?) = answer.meaning {
                // Who always asks for less is not asked all the time.
                let least = attempts > Self.hastyTries ? usual : 0
                delay = max(Duration.seconds(seconds).wholeMilliseconds, least)
            }
            return postpone(attempt, refusals: attempt.refusals, delay, now)
        }
    }

    /// The store has written the record, or could not.
    package mutating func recorded(isTaken: Bool, at now: StoreTime) -> Action {
        guard case .recording(let record) = phase else { return .nothing }
        if isTaken { return look() }
        // The record is kept until it can be written, or the event would be sent again.
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

/// How long to wait before the next attempt, in milliseconds.
struct CallbackPatience {
    /// Random bits that spread the attempts of many callbacks.
    let random: UInt64

    private static let pauses = Backoff(first: .seconds(5), longest: .seconds(86_400))
    private static let pausesOfPushes = Backoff(
        first: .seconds(30), longest: .seconds(PushServiceAnswer.longestPause))
    /// Five tries within an hour.
    private static let afterRefusals: [Int64] = [60_000, 300_000, 900_000, 2_100_000]

    /// Whether the status says that the request is wrong, not the moment (RFC 9110 section 15.5).
    /// 408, 425 and 429 are temporary.
    static func isRefusal(_ status: Int) -> Bool {
        (400..<500).contains(status) && ![408, 425, 429].contains(status)
    }

    /// A random time between half of the pause and all of it.
    func delay(afterAttempts attempts: Int, retryAfter: UInt32 = 0) -> Int64 {
        let delay = delay(Self.pauses, after: attempts)
        return max(delay, min(Duration.seconds(retryAfter), Self.pauses.longest).wholeMilliseconds)
    }

    /// The same for messages of forwards, which may be urgent.
    func delay(afterPushes attempts: Int) -> Int64 { delay(Self.pausesOfPushes, after: attempts) }

    private func delay(_ pauses: Backoff, after attempts: Int) -> Int64 {
        let pause = pauses.pause(after: attempts - 1).wholeMilliseconds
        return pause / 2 + Int64(random % UInt64(pause / 2 + 1))
    }

    /// Nil after the last try.
    func delay(afterRefusals refusals: Int) -> Int64? {
        guard (1...Self.afterRefusals.count).contains(refusals) else { return nil }
        return Self.afterRefusals[refusals - 1]
    }
}
