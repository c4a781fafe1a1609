import Testing

@testable import Cluster

@Suite("Following the log")
struct LogFollowerTests {
    private typealias Entry = LogFollower.Entry
    private var follower = LogFollower(applied: 10)

    private func entry(_ sequence: Int64) -> Entry { Entry(sequence: sequence, body: [UInt8(sequence)]) }

    @Test("It asks at once, and is current when the answer is no news")
    mutating func start() {
        #expect(follower.handle(.time, at: 0) == [.ask])
        #expect(follower.handle(.last(10), at: 1) == [.setCurrent(true)])
        #expect(follower.isCurrent)
    }

    @Test("Without answers it is cut off after a second")
    mutating func silence() {
        _ = follower.handle(.time, at: 0)
        _ = follower.handle(.last(10), at: 1)
        #expect(follower.handle(.time, at: 299) == [])
        #expect(follower.handle(.time, at: 300) == [.ask])
        #expect(follower.handle(.unanswered, at: 1_000) == [.ask])
        #expect(follower.handle(.time, at: 1_001) == [.setCurrent(false)])
        #expect(follower.handle(.last(10), at: 1_400) == [.ask, .setCurrent(true)])
    }

    @Test("Entries are applied in order, whichever comes first")
    mutating func order() {
        #expect(follower.handle(.told(entry(12)), at: 0) == [.read(from: 11), .ask])
        #expect(
            follower.handle(.page([entry(11)]), at: 1)
                == [.apply(entry(11)), .apply(entry(12))])
        #expect(follower.handle(.told(entry(12)), at: 2) == [])
        #expect(follower.applied == 12)
    }

    @Test("The leader's word tells of an entry that nobody told")
    mutating func missed() {
        _ = follower.handle(.time, at: 0)
        #expect(follower.handle(.last(11), at: 1) == [.read(from: 11)])
        #expect(!follower.isCurrent)
        #expect(
            follower.handle(.page([entry(11)]), at: 2)
                == [.apply(entry(11)), .setCurrent(true)])
    }

    @Test("A read that failed is tried again")
    mutating func unreadable() {
        _ = follower.handle(.last(11), at: 0)
        #expect(follower.handle(.unreadable, at: 1).contains(.read(from: 11)))
    }
}
