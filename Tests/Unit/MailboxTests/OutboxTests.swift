import Base
import Delivery
import Testing
import WebPush

@testable import Mailbox

/// One callback with its outbox, and a clock that the test sets.
struct OutboxStory {
    var outbox = Outbox(of: 7)
    var now = StoreTime(milliseconds: 1_000_000)
    var state = CallbackState.active
    var callback = Callback(row: 7, url: "https://hook.example/", userID: nil, secrets: [])
    let created = StoreTime(milliseconds: 1_000_000)
    var waiting: [CallbackRecord.Head] = []
    var parked: [Int64] = []
    var delivered: [Int64] = []
    var attempts: [(position: Int64, at: StoreTime)] = []

    mutating func add(_ position: Int64, ttl: UInt32 = 0) {
        let isIntroduction = state == .unconfirmed && waiting.isEmpty
        waiting.append(
            CallbackRecord.Head(
                position: position, id: MessageID(high: 1, low: UInt64(position)), body: [],
                isIntroduction: isIntroduction, attempts: 0, refusals: 0, due: now,
                dies: now.adding(seconds: max(ttl, OutboxEvent.lifetime))))
    }

    var record: CallbackRecord? {
        guard state != .gone, state != .lapsed else { return nil }
        return CallbackRecord(
            callback: callback, state: state, created: created, head: waiting.first)
    }

    /// Continues until the outbox rests or `end` has come; `answer` decides the result of each
    /// attempt.
    mutating func run(
        from action: Outbox.Action = .look, until end: Int64 = .max,
        _ answer: (Int64, StoreTime) -> Outbox.Answer
    ) {
        var action = action
        for _ in 0..<100_000 {
            switch action {
            case .look: action = outbox.looked(record, at: now)
            case .ask:
                #expect(outbox.placed() == .look)
                action = .look
            case .attempt:
                guard let head = waiting.first else { return }
                attempts.append((head.position, now))
                action = outbox.answered(answer(head.position, now), at: now, random: 1 << 40)
            case .wait(let time):
                guard time.milliseconds < end else { return }
                guard time > now else { return _ = Issue.record("it waits for the past") }
                now = time
                action = outbox.wake(at: now)
            case .record(let record):
                apply(record)
                action = outbox.recorded(isTaken: true, at: now)
            case .nothing, .rest: return
            }
        }
        Issue.record("it goes on for ever")
    }

    private mutating func apply(_ record: AttemptRecord) {
        switch record.result {
        case .delivered:
            #expect(record.position == waiting.first?.position)
            delivered.append(waiting.removeFirst().position)
            if state == .unconfirmed { state = .active }
        case .postponed(let attempts, let refusals, let due):
            let head = waiting.removeFirst()
            waiting.insert(
                CallbackRecord.Head(
                    position: head.position, id: head.id, body: head.body,
                    isIntroduction: head.isIntroduction, attempts: attempts, refusals: refusals,
                    due: due, dies: head.dies), at: 0)
        case .parked: parked.append(waiting.removeFirst().position)
        case .dead, .refused: waiting.removeFirst()
        case .gone:
            waiting = []
            state = .gone
        case .lapsed:
            waiting = []
            state = .lapsed
        }
    }
}

@Suite("The outbox of a callback")
struct OutboxTests {
    private static let hour: Int64 = 3_600_000

    @Test("Events are sent in order, one at a time")
    func order() {
        var story = OutboxStory()
        for position in Int64(1)...50 { story.add(position) }
        story.run { _, _ in .status(204) }
        #expect(story.delivered == Array(1...50))
        #expect(story.attempts.count == 50)
    }

    @Test("A receiver that is offline for an hour gets everything once, in order")
    func away() {
        var story = OutboxStory()
        for position in Int64(1)...20 { story.add(position) }
        let back = story.now.milliseconds + Self.hour
        story.run { _, now in now.milliseconds < back ? .none : .status(200) }
        #expect(story.delivered == Array(1...20))
        let late = story.attempts.filter { $0.at.milliseconds >= back }
        #expect(late.map(\.position) == Array(1...20))
        // The pauses grow, but it resumes within as much time as it was offline.
        #expect(story.attempts.count < 20 + 12)
        #expect(story.now.milliseconds < back + Self.hour)
    }

    @Test(
        "Temporary failures are retried with growing pauses, up to a day",
        arguments: [408, 425, 429, 500, 502, 503, 301, 307])
    func backoff(status: Int) {
        var story = OutboxStory()
        story.add(1)
        story.run { _, _ in .status(status) }
        let pauses = zip(story.attempts.dropFirst(), story.attempts).map {
            $0.at.milliseconds - $1.at.milliseconds
        }
        #expect(pauses.first.map { (2_500...5_000).contains($0) } == true)
        for (next, pause) in zip(pauses.dropFirst(), pauses) { #expect(next <= 4 * pause) }
        #expect(pauses.allSatisfy { $0 <= 24 * Self.hour })
        #expect(pauses.max().map { $0 >= 12 * Self.hour } == true)
        #expect(story.delivered.isEmpty && story.parked.isEmpty && story.waiting.isEmpty)
    }

    @Test("An event is dropped after seven days, or after its own lifetime if that is longer")
    func death() {
        for (ttl, days) in [(UInt32(60), Int64(7)), (UInt32(20 * 86_400), Int64(20))] {
            var story = OutboxStory()
            story.add(1, ttl: ttl)
            story.run { _, _ in .none }
            let last = (story.attempts.last?.at.milliseconds ?? 0) - story.created.milliseconds
            #expect(last <= days * 24 * Self.hour)
            #expect(last >= (days - 1) * 24 * Self.hour)
            #expect(story.waiting.isEmpty)
        }
    }

    @Test("Retry-After is respected up to a day")
    func retryAfter() {
        var story = OutboxStory()
        story.add(1)
        var isFirst = true
        story.run { _, _ in
            defer { isFirst = false }
            return isFirst ? .status(503, retryAfter: 7_200) : .status(200)
        }
        #expect(story.attempts.count == 2)
        #expect(
            story.attempts[1].at.milliseconds - story.attempts[0].at.milliseconds == 2 * Self.hour)
    }

    @Test(
        "A refused event is parked after five tries in an hour, and the next one goes",
        arguments: [400, 401, 403, 404, 405, 413, 422, 451])
    func parking(status: Int) {
        var story = OutboxStory()
        for position in Int64(1)...3 { story.add(position) }
        story.run { position, _ in .status(position == 2 ? status : 200) }
        #expect(story.delivered == [1, 3])
        #expect(story.parked == [2])
        let tries = story.attempts.filter { $0.position == 2 }
        #expect(tries.count == 5)
        #expect(story.now.milliseconds - story.created.milliseconds <= Self.hour)
    }

    @Test("410 removes the callback with all its events")
    func gone() {
        var story = OutboxStory()
        for position in Int64(1)...3 { story.add(position) }
        story.run { position, _ in .status(position == 2 ? 410 : 200) }
        #expect(story.delivered == [1])
        #expect(story.state == .gone)
        #expect(story.attempts.count == 2)
    }

    @Test("Only the introduction is sent until the challenge has come back")
    func activation() {
        var story = OutboxStory()
        story.state = .unconfirmed
        for position in Int64(1)...3 { story.add(position) }
        var tries = 0
        story.run { _, _ in
            tries += 1
            return .status(200, isConfirmed: tries == 4)
        }
        #expect(story.delivered == [1, 2, 3])
        #expect(story.attempts.map(\.position) == [1, 1, 1, 1, 2, 3])
    }

    @Test("A callback that nobody confirms is dropped after an hour")
    func lapse() {
        for answer in [Outbox.Answer.none, .status(200), .status(404), .status(500)] {
            var story = OutboxStory()
            story.state = .unconfirmed
            for position in Int64(1)...3 { story.add(position) }
            story.run { _, _ in answer }
            #expect(story.state == .lapsed)
            #expect(story.now.milliseconds - story.created.milliseconds == Self.hour)
            #expect(story.attempts.allSatisfy { $0.position == 1 })
        }
    }

    @Test("A callback whose introduction is gone waits for its end")
    func noIntroduction() {
        var story = OutboxStory()
        story.add(1)
        story.state = .unconfirmed
        story.run { _, _ in .status(200) }
        #expect(story.state == .lapsed)
        #expect(story.attempts.isEmpty)
    }

    @Test("An answer that cannot be recorded is recorded later, and nothing is sent meanwhile")
    func unrecorded() {
        var story = OutboxStory()
        story.add(1)
        #expect(story.outbox.looked(story.record, at: story.now) == .ask)
        #expect(story.outbox.placed() == .look)
        #expect(story.outbox.looked(story.record, at: story.now) == .attempt)
        let record = AttemptRecord(callback: 7, position: 1, result: .delivered)
        #expect(
            story.outbox.answered(.status(200), at: story.now, random: 0) == .record(record))
        let later = story.now.adding(seconds: 1)
        #expect(story.outbox.recorded(isTaken: false, at: story.now) == .wait(until: later))
        #expect(story.outbox.hear(.changed) == .nothing)
        #expect(story.outbox.wake(at: story.now) == .wait(until: later))
        #expect(story.outbox.wake(at: later) == .record(record))
        #expect(story.outbox.recorded(isTaken: true, at: later) == .look)
    }

    @Test("An event that arrives while the store is read is not missed")
    func newsWhileLooking() {
        var outbox = Outbox(of: 7)
        #expect(outbox.hear(.added) == .nothing)
        #expect(outbox.looked(nil, at: StoreTime(milliseconds: 0)) == .look)
        #expect(outbox.looked(nil, at: StoreTime(milliseconds: 0)) == .rest)
    }

    @Test("A changed callback ends a wait, more events do not")
    func newsWhileWaiting() {
        var story = OutboxStory()
        story.add(1)
        story.run(until: 0) { _, _ in .none }
        #expect(story.outbox.hear(.added) == .nothing)
        #expect(story.outbox.hear(.changed) == .look)
    }

    @Test("An unreadable store is read again later")
    func unreadable() {
        var story = OutboxStory()
        let later = story.now.adding(seconds: 1)
        #expect(story.outbox.failed(at: story.now) == .wait(until: later))
        #expect(story.outbox.wake(at: later) == .look)
    }
}
