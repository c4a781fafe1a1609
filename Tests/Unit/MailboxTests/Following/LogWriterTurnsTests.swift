import Testing

@testable import Mailbox

@Suite("Turns of stores that write to one log")
struct LogWriterTurnsTests {
    private var turns = LogWriterTurns()
    private let first = writer(startingAt: 1 << 40)
    private let second = writer(startingAt: 2 << 40)

    private static func writer(startingAt random: UInt64) -> CommitEntry.Writer {
        var names = EntryNames(startingAt: random)
        let name = names.next()
        return CommitEntry(name: name, position: 0, sequence: 0, changes: [], schema: 14).writer
    }

    @Test("Who writes alone never waits")
    mutating func alone() {
        #expect(turns.rest(at: 0) == 0)
        turns.wrote(from: 1, to: 2)
        #expect(turns.rest(at: 2) == 0)
    }

    @Test("Nobody waits unless an entry came too late a moment ago")
    mutating func calm() {
        turns.followed(first, at: 0)
        turns.wrote(from: 2, to: 12)
        #expect(turns.rest(at: 12) == 0)
        turns.cameTooLate(at: 12)
        #expect(turns.rest(at: 12) == 20)
        turns.followed(first, at: 1_000)
        turns.wrote(from: 1_003, to: 1_013)
        #expect(turns.rest(at: 1_013) == 0)
    }

    @Test("All who wrote lately come first, each for the time of two writes at most")
    mutating func others() {
        turns.cameTooLate(at: 0)
        turns.followed(first, at: 0)
        turns.followed(second, at: 1)
        turns.wrote(from: 2, to: 12)
        #expect(turns.rest(at: 12) == 40)
        turns.followed(first, at: 15)
        #expect(turns.rest(at: 15) == 17)
        #expect(turns.rest(at: 32) == 0)
        turns.followed(second, at: 16)
        #expect(turns.rest(at: 16) == 0)
    }

    @Test("Nobody waits for who has written nothing for a while, nor for long")
    mutating func silence() {
        turns.cameTooLate(at: 3_000)
        turns.followed(first, at: 0)
        turns.wrote(from: 0, to: 3_000)
        #expect(turns.rest(at: 3_000) == 0)
        turns.followed(first, at: 3_001)
        turns.wrote(from: 3_100, to: 3_199)
        #expect(turns.rest(at: 3_199) == 50)
        #expect(turns.rest(at: 3_202) == 0)
    }

    @Test("Who was too late for long asks the others, and once more if they may not have heard it")
    mutating func asking() {
        let early = turns.asks(at: 0)
        turns.cameTooLate(at: 0)
        turns.cameTooLate(at: 99)
        let late = [99, 100, 200, 1_099, 1_100, 1_999].map { turns.asks(at: $0) }
        #expect(!early && late == [false, true, false, false, true, false])
        turns.wrote(from: 1_999, to: 2_000)
        let written = turns.asks(at: 2_200)
        turns.cameTooLate(at: 2_201)
        let again = turns.asks(at: 2_202)
        #expect(!written && !again)
    }

    @Test("Who cannot write for two seconds says so, asks no more, and is able when it has written")
    mutating func shutOut() {
        for time in stride(from: Int64(0), through: 1_900, by: 100) { turns.cameTooLate(at: time) }
        #expect(!turns.isShutOut(at: 1_900))
        turns.cameTooLate(at: 2_000)
        let asks = turns.asks(at: 3_000)
        #expect(turns.isShutOut(at: 2_000) && turns.isShutOut(at: 11_999) && !asks)
        // Nobody has sent it anything since.
        #expect(!turns.isShutOut(at: 12_000))
        turns.cameTooLate(at: 2_100)
        turns.wrote(from: 2_100, to: 2_200)
        #expect(!turns.isShutOut(at: 2_200))
    }

    @Test("Nobody waits again for who has not written since, nor soon for who has")
    mutating func again() {
        turns.followed(first, asks: true, at: 0)
        #expect(turns.rest(at: 299) == 1 && turns.rest(at: 300) == 0)
        turns.followed(first, asks: true, at: 400)
        #expect(turns.rest(at: 401) == 0)
        turns.followed(first, at: 500)
        // It had 300 ms, so the next wish counts 2,700 later.
        turns.followed(first, asks: true, at: 600)
        #expect(turns.rest(at: 601) == 0 && turns.rest(at: 3_199) == 0)
        #expect(turns.rest(at: 3_200) == 300)
        turns.followed(first, at: 3_250)
        #expect(turns.rest(at: 3_250) == 0)
    }

    @Test("Who is asked waits until the other one has written, but not for long")
    mutating func asked() {
        turns.followed(first, asks: true, at: 0)
        #expect(turns.rest(at: 1) == 299)
        turns.wrote(from: 1, to: 2)
        turns.followed(second, at: 50)
        #expect(turns.rest(at: 60) == 240)
        turns.followed(first, at: 100)
        #expect(turns.rest(at: 100) == 0)
        turns.followed(first, asks: true, at: 200)
        #expect(turns.rest(at: 500) == 0)
    }

    @Test("Two who ask do not wait for each other")
    mutating func both() {
        turns.cameTooLate(at: 0)
        let asks = turns.asks(at: 100)
        #expect(asks)
        turns.followed(first, asks: true, at: 101)
        #expect(turns.rest(at: 102) == 0)
        turns.wrote(from: 103, to: 104)
        #expect(turns.rest(at: 105) == 296)
    }

    @Test("A writer gives no name twice, and is known by all of them")
    func names() {
        var names = EntryNames(startingAt: (7 << 40) + (1 << 40 - 1))
        let given = (0..<3).map { _ in names.next() }
        #expect(given == [7 << 40, 7 << 40 + 1, 7 << 40 + 2])
    }
}
