import Base
import Testing

@testable import Cluster

@Suite("Following the log")
struct LogFollowerTests {
    private var follower = LogFollower()

    init() { follower.start(after: 10) }

    private func state(_ last: Int64, first: Int64 = 1, age: Int64 = 0) -> LogFollower.Event {
        .state(LogState(first: first, last: last, age: age))
    }

    @Test("It asks at once, and is current when the answer is no news")
    mutating func start() {
        #expect(follower.handle(.time, at: 0) == [.ask])
        #expect(!follower.isCurrent(at: 0))
        #expect(follower.handle(state(10), at: 1) == [])
        #expect(follower.isCurrent(at: 1))
    }

    @Test("Before anybody follows it asks nothing and takes nothing")
    func idle() {
        var follower = LogFollower()
        #expect(follower.handle(.time, at: 0) == [])
        #expect(follower.handle(.told(1), at: 0) == [])
        #expect(!follower.isCurrent(at: 0))
    }

    @Test("Without answers it is cut off after a second")
    mutating func silence() {
        _ = follower.handle(.time, at: 0)
        _ = follower.handle(state(10), at: 1)
        #expect(follower.handle(.time, at: 299) == [])
        #expect(follower.handle(.time, at: 300) == [.ask])
        #expect(follower.handle(.unanswered, at: 900) == [.ask])
        #expect(follower.isCurrent(at: 1_000))
        #expect(!follower.isCurrent(at: 1_001))
        #expect(follower.handle(state(10), at: 1_400) == [.ask])
        #expect(follower.isCurrent(at: 1_400))
    }

    @Test("What was received counts only once it is carried out, and each answer for itself")
    mutating func carriedOut() {
        _ = follower.handle(.time, at: 0)
        _ = follower.handle(state(12), at: 1)
        _ = follower.handle(.page(from: 11, [11, 12]), at: 2)
        _ = follower.handle(.time, at: 300)
        _ = follower.handle(state(13), at: 301)
        _ = follower.handle(.page(from: 13, [13]), at: 302)
        #expect(!follower.isCurrent(at: 302))
        follower.carriedOut(through: 12)
        #expect(follower.isCurrent(at: 1_000) && !follower.isCurrent(at: 1_001))
        follower.carriedOut(through: 13)
        #expect(follower.isCurrent(at: 1_300) && !follower.isCurrent(at: 1_301))
    }

    @Test("A leader that hears nobody does not count")
    mutating func isolatedLeader() {
        _ = follower.handle(.time, at: 5_000)
        _ = follower.handle(state(10, age: 1_700), at: 5_001)
        #expect(follower.isCurrent(at: 5_100))
        #expect(!follower.isCurrent(at: 5_101))
    }

    @Test("A message that comes before its time is read in its place")
    mutating func order() {
        #expect(follower.handle(.told(12), at: 0) == [.read(from: 11), .ask])
        #expect(follower.handle(.page(from: 11, [11, 12]), at: 1) == [.take(11), .take(12)])
        #expect(follower.handle(.told(12), at: 2) == [])
        #expect(follower.received == 12)
    }

    @Test("The leader's word tells of a message that nobody told")
    mutating func missed() {
        _ = follower.handle(.time, at: 0)
        #expect(follower.handle(state(11), at: 1) == [.read(from: 11)])
        #expect(!follower.isCurrent(at: 1))
        #expect(follower.handle(.page(from: 11, [11]), at: 2) == [.take(11)])
        #expect(!follower.isCurrent(at: 2))
        follower.carriedOut(through: 11)
        #expect(follower.isCurrent(at: 2))
    }

    @Test("A read that failed or found nothing is tried again, but not at once")
    mutating func unreadable() {
        _ = follower.handle(.time, at: 0)
        _ = follower.handle(state(11), at: 0)
        #expect(follower.handle(.unreadable(from: 11), at: 1) == [])
        #expect(follower.handle(.time, at: 51) == [.read(from: 11)])
        #expect(follower.handle(.page(from: 11, []), at: 60) == [])
        #expect(follower.handle(.time, at: 110) == [.read(from: 11)])
    }

    @Test("What was removed before it was read is seen")
    mutating func tooFarBehind() {
        _ = follower.handle(.time, at: 0)
        _ = follower.handle(state(20, first: 11), at: 1)
        #expect(!follower.isTooFarBehind)
        _ = follower.handle(.page(from: 11, [15, 16]), at: 2)
        #expect(follower.isTooFarBehind)
        follower.start(after: 20)
        #expect(!follower.isTooFarBehind)
        _ = follower.handle(state(40, first: 22), at: 3)
        #expect(follower.isTooFarBehind && !follower.isCurrent(at: 3))
    }

    @Test("While it is full it takes nothing, and then reads what it left out")
    mutating func full() {
        follower.isFull = true
        #expect(follower.handle(.told(11), at: 0) == [.ask])
        follower.isFull = false
        #expect(follower.handle(.time, at: 1) == [.read(from: 11)])
    }

    @Test("The own message is not taken")
    mutating func own() {
        #expect(follower.handle(.appended(13), at: 0) == [.ask])
        #expect(follower.handle(.told(12), at: 1) == [])
        #expect(follower.handle(.told(14), at: 1) == [.take(14)])
    }

    @Test("After the connection was lost, the last message is compared before anything counts")
    mutating func compared() {
        _ = follower.handle(.time, at: 0)
        _ = follower.handle(state(11), at: 1)
        _ = follower.handle(.page(from: 11, [11]), at: 2)
        follower.carriedOut(through: 11)
        #expect(follower.handle(.connectionReturned, at: 500) == [.read(from: 11), .ask])
        #expect(follower.handle(.told(12), at: 501) == [])
        _ = follower.handle(state(12), at: 502)
        #expect(!follower.isCurrent(at: 502) && !follower.isSound)
        let actions = follower.handle(.page(from: 11, [11, 12]), at: 503)
        #expect(actions == [.compare(11), .take(12)])
        follower.carriedOut(through: 12)
        #expect(follower.isCurrent(at: 503) && follower.isSound)
        follower.meetOtherLog()
        #expect(!follower.isCurrent(at: 503) && follower.hasGoneBack)
        #expect(follower.handle(.told(13), at: 504) == [.take(13)])
    }

    @Test("The same after two seconds without the leader's word, unless it was removed")
    mutating func silent() {
        _ = follower.handle(.time, at: 0)
        _ = follower.handle(state(10), at: 1)
        #expect(follower.handle(.unanswered, at: 1_000) == [.ask])
        #expect(follower.handle(state(10), at: 2_002) == [.read(from: 10), .ask])
        #expect(!follower.isSound)
        _ = follower.handle(state(10, first: 11), at: 2_003)
        _ = follower.handle(.page(from: 10, []), at: 2_004)
        #expect(follower.isSound && !follower.isTooFarBehind)
    }

    @Test("A leader that lacks what was received is not believed, and after a while has lost it")
    mutating func lacking() {
        #expect(follower.handle(.time, at: 0) == [.ask])
        _ = follower.handle(state(10), at: 1)
        _ = follower.handle(.time, at: 400)
        // Another server had it a moment earlier.
        _ = follower.handle(state(9), at: 401)
        #expect(follower.isCurrent(at: 401))
        _ = follower.handle(.time, at: 700)
        _ = follower.handle(state(9), at: 701)
        #expect(!follower.isCurrent(at: 701) && !follower.hasGoneBack)
        _ = follower.handle(.time, at: 5_300)
        // One that is cut off is no leader.
        _ = follower.handle(state(9, age: 3_000), at: 5_402)
        #expect(!follower.hasGoneBack)
        _ = follower.handle(.time, at: 5_700)
        _ = follower.handle(state(9), at: 5_701)
        #expect(follower.hasGoneBack && !follower.isCurrent(at: 5_701))
    }

    @Test(
        "So many servers make the majority",
        arguments: [([10, 90], 10), ([90], 90), ([10, 20, 90, 95], 20), ([], 0)] as [([Int], Int64)]
    )
    func majority(_ ages: [Int], _ age: Int64) throws {
        let others = ages.map { "{\"active\":\($0)000000}" }.joined(separator: ",")
        let text = """
            {"state":{"first_seq":1,"last_seq":2},"ts":"1970-01-02T00:00:01.5Z",
            "cluster":{"replicas":[\(others)]}}
            """
        let document = try JSONDocument(Array(text.utf8))
        let expected = LogState(first: 1, last: 2, age: age, time: 86_401_500)
        #expect(LogState(document.root) == expected)
    }
}
