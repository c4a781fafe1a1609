import Delivery
package import DeliveryModel
import Mailbox

/// The outbox of one callback, with a store, a receiver and a clock that do what they like.
package struct OutboxPlay: Play {
    package enum Reply: Sendable {
        case accepted(isConfirmed: Bool)
        case refused(Int)
        case gone
        case busy(retryAfter: UInt32)
        case silence
    }

    package enum Event: Sendable {
        /// `days`: how long the event is useful.
        case add(days: UInt32)
        case end
        /// The store reads, or a place becomes free: whatever the outbox waits for.
        case turn
        case cannotRead
        case headChanges
        case reply(Reply)
        case written(Bool)
        case pass(seconds: Int64)
        /// Until the outbox wants to be woken.
        case passToTimer
        case sweep
        case crash
    }

    package static let name = "outbox"
    package static let alphabet: [Event] = [
        .add(days: 0), .turn, .reply(.accepted(isConfirmed: true)), .reply(.refused(404)),
        .reply(.silence), .reply(.gone), .written(true), .passToTimer, .end, .crash,
    ]

    package static func draw(_ dice: inout Dice) -> Event {
        switch dice.roll(40) {
        case 0..<3: .add(days: dice.hits(3) ? 20 : 0)
        case 3: dice.hits(6) ? .end : .add(days: 0)
        case 4..<15: .turn
        case 15: dice.hits(2) ? .cannotRead : .headChanges
        case 16..<23: .reply(reply(&dice))
        case 23..<30: .written(!dice.hits(8))
        case 30: .pass(seconds: [1, 60, 3_600, 86_400][dice.roll(4)])
        case 31..<38: .passToTimer
        case 38: .sweep
        default: .crash
        }
    }

    private static func reply(_ dice: inout Dice) -> Reply {
        switch dice.roll(12) {
        case 0..<3: .accepted(isConfirmed: true)
        case 3: .accepted(isConfirmed: false)
        case 4..<8: .refused([400, 401, 404, 422][dice.roll(4)])
        case 8: dice.hits(12) ? .gone : .refused(403)
        case 9: .busy(retryAfter: [1, 600, 1_000_000][dice.roll(3)])
        case 10: .busy(retryAfter: 0)
        default: .silence
        }
    }

    var shelf = OutboxShelf()
    private var outbox: Outbox?
    var isLooking = false
    var isAsking = false
    /// The event that is being sent.
    var attempt: OutboxShelf.Waiting?
    /// What the rules demand after the last reply, until the outbox said it.
    var demand: OutboxDemand?
    var writing: AttemptRecord?
    var timer: StoreTime?
    /// The last record was refused by the store, and is due again.
    var unwritten: AttemptRecord?
    package var finding: String?
    private var random: UInt64 = 7

    package init() { hear(.added) }

    mutating func fail(_ text: String) { finding = finding ?? text }

    package mutating func happen(_ event: Event) {
        switch event {
        case .add(let days): if shelf.add(days: days) { hear(.added) }
        case .end:
            shelf.end()
            hear(.changed)
        case .turn: turn()
        case .cannotRead:
            guard isLooking else { break }
            isLooking = false
            tell { $0.failed(at: $1) }
        case .headChanges:
            guard isAsking else { break }
            isAsking = false
            tell { $0.putOff(at: $1) }
        case .reply(let reply): answer(reply)
        case .written(let isTaken): finishWriting(isTaken)
        case .pass(let seconds): pass(seconds * 1_000)
        case .passToTimer:
            if let timer { pass(max(0, timer.milliseconds - shelf.now.milliseconds)) }
        case .sweep: if shelf.sweep() { hear(.changed) }
        case .crash: crash()
        }
        check()
    }

    private mutating func tell(_ body: (inout Outbox, StoreTime) -> Outbox.Action) {
        guard var changed = outbox else { return }
        let action = body(&changed, shelf.now)
        outbox = changed
        perform(action)
    }

    private mutating func hear(_ news: CallbackNews) {
        if outbox == nil {
            outbox = Outbox(of: OutboxShelf.row)
            isLooking = true
        } else {
            tell { outbox, _ in outbox.hear(news) }
        }
    }

    private mutating func turn() {
        if isLooking {
            isLooking = false
            let record = shelf.record
            tell { $0.looked(record, at: $1) }
        } else if isAsking {
            isAsking = false
            tell { outbox, _ in outbox.placed() }
        }
    }

    private mutating func answer(_ reply: Reply) {
        guard let sent = attempt else { return }
        attempt = nil
        demand = OutboxDemand(after: reply, to: sent, shelf.state, at: shelf.now)
        random = random &* 6_364_136_223_846_793_005 &+ 1
        let random = random
        tell { $0.answered(reply.answer, at: $1, random: random >> 20) }
        if demand != nil { fail("the reply \(reply) is not recorded") }
    }

    private mutating func finishWriting(_ isTaken: Bool) {
        guard let record = writing else { return }
        writing = nil
        if isTaken { shelf.apply(record) } else { unwritten = record }
        tell { $0.recorded(isTaken: isTaken, at: $1) }
    }

    private mutating func pass(_ milliseconds: Int64) {
        shelf.now = StoreTime(milliseconds: shelf.now.milliseconds + milliseconds)
        if let timer, timer <= shelf.now { self.timer = nil }
        tell { $0.wake(at: $1) }
    }

    private mutating func crash() {
        (outbox, attempt, writing, unwritten, timer) = (nil, nil, nil, nil, nil)
        (isLooking, isAsking) = (false, false)
        if shelf.hasWork { hear(.added) }
    }

    private mutating func perform(_ action: Outbox.Action) {
        switch action {
        case .nothing: break
        case .look: isLooking = true
        case .ask: isAsking = true
        case .attempt: begin()
        case .wait(let time):
            if time < shelf.now { fail("it waits for a time that is over") }
            timer = time
        case .record(let record): judge(record)
        case .rest: (outbox, timer) = (nil, nil)
        }
    }

    /// Receives everything well until nothing is left to do.
    package mutating func settle() {
        var steps = 0
        while finding == nil, outbox != nil, steps < 2_000 {
            steps += 1
            if isLooking || isAsking {
                turn()
            } else if attempt != nil {
                answer(.accepted(isConfirmed: true))
            } else if writing != nil {
                finishWriting(true)
            } else {
                happen(.passToTimer)
            }
            check()
        }
        if outbox != nil { fail("it never comes to rest") }
        if shelf.hasWork { fail("it rests, and \(shelf.waiting.count) events wait") }
    }

    private mutating func check() {
        let isActive = isLooking || isAsking || attempt != nil || writing != nil || timer != nil
        if outbox != nil, !isActive { fail("it waits for nothing") }
        if outbox == nil, shelf.hasWork { fail("it rests although an event waits") }
    }
}
