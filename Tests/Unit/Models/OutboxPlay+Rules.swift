import Delivery
import Mailbox

/// What a reply to an attempt must lead to.
///
/// A callback is active once its introduction was confirmed. 410 removes it. Any other refusal gets
/// five tries within an hour; then the next event is sent. Everything else is repeated, after a day
/// at most.
struct OutboxDemand {
    enum Outcome {
        case delivered
        case gone
        case parked
        case postponed(refusals: Int, atLeast: Int64, atMost: Int64)
    }

    private static let tries = 5
    private static let day: Int64 = 86_400_000
    private static let hour: Int64 = 3_600_000

    let sent: OutboxShelf.Waiting
    let outcome: Outcome

    init(
        after reply: OutboxPlay.Reply, to sent: OutboxShelf.Waiting, _ state: CallbackState?,
        at now: StoreTime
    ) {
        self.sent = sent
        let isActive = !sent.wasSentUnconfirmed
        switch reply {
        case .accepted(let isConfirmed) where isConfirmed || isActive: outcome = .delivered
        case .gone: outcome = .gone
        case .refused where isActive:
            let refusals = sent.refusals + 1
            let rest = max(Self.hour - sent.refusedFor, 1)
            outcome =
                refusals == Self.tries
                ? .parked : .postponed(refusals: refusals, atLeast: 1, atMost: rest)
        case .busy(let seconds):
            outcome = .postponed(
                refusals: sent.refusals, atLeast: max(1, min(Int64(seconds) * 1_000, Self.day)),
                atMost: Self.day)
        case .accepted, .refused, .silence:
            outcome = .postponed(refusals: sent.refusals, atLeast: 1, atMost: Self.day)
        }
    }

    func isMet(by result: AttemptRecord.Result, at now: StoreTime) -> Bool {
        switch (outcome, result) {
        case (.delivered, .delivered), (.gone, .gone), (.parked, .parked): return true
        case (
            .postponed(let refusals, let least, let most), .postponed(let attempts, let r, let due)
        ):
            let pause = due.milliseconds - now.milliseconds
            return attempts == sent.attempts + 1 && r == refusals && pause >= least
                && pause <= most
        default: return false
        }
    }
}

/// Judges what the outbox does.
extension OutboxPlay {
    mutating func begin() {
        guard attempt == nil, writing == nil else { return fail("two attempts at once") }
        guard let head = shelf.head, let state = shelf.state, state != .gone, state != .lapsed
        else { return fail("it sends although nothing is to be sent") }
        if state == .unconfirmed, !head.isIntroduction {
            fail("it sends an event before the callback is confirmed")
        }
        if state == .unconfirmed, shelf.lapse <= shelf.now {
            fail("it sends to a callback that nobody confirmed within an hour")
        }
        if head.dies <= shelf.now { fail("it sends an event that is too old") }
        if head.due > shelf.now { fail("it sends before the pause is over") }
        var sent = head
        sent.wasSentUnconfirmed = state == .unconfirmed
        attempt = sent
        shelf.sent.insert(head.position)
    }

    mutating func judge(_ record: AttemptRecord) {
        writing = record
        if let unwritten {
            self.unwritten = nil
            if record != unwritten { fail("it forgets what the store could not write") }
            return
        }
        if let demand {
            self.demand = nil
            if record.position != demand.sent.position
                || !demand.isMet(by: record.result, at: shelf.now)
            {
                fail("\(record.result) is recorded; due was \(demand.outcome)")
            }
            return
        }
        switch record.result {
        case .dead where shelf.head.map({ $0.dies <= shelf.now }) ?? false: break
        case .lapsed where shelf.state == .unconfirmed && shelf.lapse <= shelf.now: break
        default: fail("\(record.result) is recorded without a reason")
        }
    }
}

extension OutboxPlay.Reply {
    var answer: Outbox.Answer {
        switch self {
        case .accepted(let isConfirmed): .status(200, isConfirmed: isConfirmed)
        case .refused(let status): .status(status)
        case .gone: .status(410)
        case .busy(let retryAfter):
            .status(503, retryAfter: retryAfter == 0 ? nil : retryAfter)
        case .silence: .none
        }
    }
}

extension OutboxPlay {
    package struct State: Hashable {
        struct Event: Hashable {
            let kind: Int
            let refusals: Int
            let attempts: Int
            let isDue: Bool
        }

        let events: [Event]
        let callback: Int64?
        let activity: [Bool]
        let demand: Bool
    }

    package var state: State {
        let events = shelf.waiting.prefix(6).map {
            State.Event(
                kind: $0.isIntroduction ? 0 : $0.isParked ? 2 : 1, refusals: $0.refusals,
                attempts: min($0.attempts, 6), isDue: $0.due <= shelf.now)
        }
        return State(
            events: Array(events), callback: shelf.state?.rawValue,
            activity: [isLooking, isAsking, attempt != nil, writing != nil, timer != nil],
            demand: unwritten != nil)
    }
}
