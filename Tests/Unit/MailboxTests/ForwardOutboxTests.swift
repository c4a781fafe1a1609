import Crypto
import Delivery
import Testing
import WebPush

@testable import Mailbox

@Suite("The outbox of a forward")
struct ForwardOutboxTests {
    private static let minute: Int64 = 60_000

    private func story(_ state: CallbackState = .active) throws -> OutboxStory {
        let keys = try ReceiverKeys.generate()
        var story = OutboxStory()
        story.callback = Callback(
            row: 7, url: "https://push.example/",
            PushTarget(
                key: keys.privateKey.publicKey, auth: keys.auth, form: .ntfy, signer: 1, code: ""))
        story.state = state
        return story
    }

    private func answer(_ status: Int, retryAfter: String? = nil) -> Outbox.Answer {
        .push(PushServiceAnswer(status: status, retryAfter: retryAfter, body: [], now: 0))
    }

    @Test("Whatever fails, it is tried until the message is too old, with pauses up to an hour")
    func patience() throws {
        for answer in [.push(.none), answer(503), answer(307), answer(406)] {
            var story = try story()
            story.add(1)
            story.run { _, _ in answer }
            #expect(story.delivered.isEmpty && story.parked.isEmpty && story.state == .active)
            let pauses = zip(story.attempts.dropFirst(), story.attempts).map {
                $0.at.milliseconds - $1.at.milliseconds
            }
            #expect(pauses.first.map { (15_000...30_000).contains($0) } == true)
            #expect(pauses.allSatisfy { $0 <= 60 * Self.minute })
            #expect(story.attempts.count > 7 * 24)
        }
    }

    @Test("It waits as long as it is told, and no longer")
    func retryAfter() throws {
        var story = try story()
        story.add(1)
        let began = story.now
        story.run { _, now in
            self.answer(now == began ? 429 : 201, retryAfter: now == began ? "2" : nil)
        }
        #expect(story.attempts.map { $0.at.milliseconds - began.milliseconds } == [0, 2_000])
    }

    @Test("Who always asks to be asked at once is asked less and less often")
    func haste() throws {
        var story = try story()
        story.add(1)
        story.run { _, _ in self.answer(503, retryAfter: "0") }
        #expect(story.attempts.count < 30 * 24)
    }

    @Test("What is too long is tried twice, and what is wrong once; then the next is sent")
    func refusals() throws {
        for (status, attempts) in [(413, 2), (400, 1), (405, 1)] {
            var story = try story()
            story.add(1)
            story.add(2)
            story.run { position, _ in position == 1 ? self.answer(status) : self.answer(201) }
            #expect(story.delivered == [2] && story.parked.isEmpty)
            #expect(story.attempts.map(\.position) == Array(repeating: 1, count: attempts) + [2])
        }
    }

    @Test("Only an ended subscription ends it", arguments: [404, 410])
    func gone(_ status: Int) throws {
        var story = try story()
        story.add(1)
        story.add(2)
        story.run { _, _ in self.answer(status) }
        #expect(story.state == .gone && story.attempts.count == 1)
    }

    @Test("An introduction is tried three times, over more than half an hour")
    func introduction() throws {
        var story = try story(.unconfirmed)
        story.add(1)
        let began = story.now
        story.run { _, _ in .push(.none) }
        #expect(story.state == .lapsed && story.attempts.count == 3)
        #expect(story.now.milliseconds - began.milliseconds > 30 * Self.minute)
    }

    @Test("What a restore brought back is not sent")
    func restored() throws {
        var story = try story(.restored)
        story.add(1)
        story.run { _, _ in self.answer(201) }
        #expect(story.attempts.isEmpty)
    }

    @Test("What the service said goes with the result")
    func answers() throws {
        var story = try story()
        story.add(1)
        #expect(story.outbox.looked(story.record, at: story.now) == .ask)
        #expect(story.outbox.placed() == .look)
        #expect(story.outbox.looked(story.record, at: story.now) == .attempt)
        let answer = PushServiceAnswer(status: 201, retryAfter: nil, body: [], now: 0)
        var record = AttemptRecord(callback: 7, position: 1, result: .delivered)
        record.answer = answer
        #expect(
            story.outbox.answered(.push(answer), at: story.now, random: 0) == .record(record))
        let later = story.now.adding(seconds: 1)
        #expect(story.outbox.recorded(isTaken: false, at: story.now) == .wait(until: later))
        #expect(story.outbox.wake(at: later) == .record(record))
    }
}
