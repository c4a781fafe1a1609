import Testing

@testable import PushService

@Suite("Too many failures")
struct FailureLimiterTests {
    private let limiter = FailureLimiter(perSecond: 3, capacity: 4)

    private func fail(_ key: UInt64, _ times: Int, second: Int64 = 10) {
        for _ in 0..<times { limiter.count(key, second: second) }
    }

    @Test("Each key has its own number of failures per second")
    func limit() {
        fail(1, 3)
        fail(2, 2)
        #expect(limiter.isExhausted(1, second: 10))
        #expect(!limiter.isExhausted(2, second: 10) && !limiter.isExhausted(3, second: 10))
        #expect(!limiter.isExhausted(1, second: 11))
        fail(2, 1, second: 11)
        #expect(!limiter.isExhausted(2, second: 11))
    }

    @Test("When too many keys fail, further keys are not counted and need not wait")
    func full() {
        for key in 1...4 { fail(UInt64(key), key) }
        fail(5, 100)
        #expect(!(5...1_000).contains { limiter.isExhausted($0, second: 10) })
        for key in 1...4 {
            #expect(limiter.isExhausted(UInt64(key), second: 10) == (key >= 3))
        }
        fail(2, 1)
        #expect(limiter.isExhausted(2, second: 10))
        // There is room again.
        fail(5, 3, second: 11)
        #expect(limiter.isExhausted(5, second: 11))
    }

    @Test("A clock that is a moment behind does not reset the counts")
    func behind() {
        fail(1, 2, second: 11)
        fail(1, 1, second: 10)
        #expect(limiter.isExhausted(1, second: 10) && limiter.isExhausted(1, second: 11))
    }
}
