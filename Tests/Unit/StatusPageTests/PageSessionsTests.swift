import Base
import Testing

@testable import StatusPage

@Suite("Sessions of the status page")
final class PageSessionsTests {
    private static let minute: Int64 = 60_000
    private var sessions = PageSessions<Int>()

    private func name(_ number: UInt64) -> Digest {
        var bytes = InlineArray<32, UInt8>(repeating: 0)
        bytes[0] = UInt8(truncatingIfNeeded: number)
        bytes[1] = UInt8(truncatingIfNeeded: number >> 8)
        return Digest(bytes)
    }

    private func signIn(_ number: UInt64, at now: Int64) -> PageSessions<Int>.Session? {
        sessions.signIn(
            code: name(number), session: name(1_000 + number), formToken: "\(number)", at: now)
    }

    @Test("A code lets its maker in once")
    func once() {
        sessions.add(code: name(1), for: 7, at: 0)
        #expect(signIn(2, at: 1) == nil)
        #expect(signIn(1, at: 1)?.visitor == 7)
        #expect(signIn(1, at: 2) == nil)
        #expect(sessions.session(name(1_001), at: 3)?.formToken == "1")
        sessions.end(name(1_001))
        #expect(sessions.session(name(1_001), at: 4) == nil)
    }

    @Test("A code ends after five minutes, a session after twelve hours")
    func ends() {
        sessions.add(code: name(1), for: 7, at: 0)
        sessions.add(code: name(2), for: 7, at: 0)
        #expect(signIn(1, at: 5 * Self.minute) == nil)
        sessions.add(code: name(2), for: 7, at: 0)
        #expect(signIn(2, at: 5 * Self.minute - 1) != nil)
        let end = 5 * Self.minute - 1 + 720 * Self.minute
        #expect(sessions.session(name(1_002), at: end - 1) != nil)
        #expect(sessions.session(name(1_002), at: end) == nil)
    }

    @Test("For five minutes after signing in, a session is fresh")
    func fresh() throws {
        sessions.add(code: name(1), for: 7, at: 100)
        let session = try #require(signIn(1, at: 200))
        #expect(session.isFresh(at: 200) && session.isFresh(at: 200 + 5 * Self.minute - 1))
        #expect(!session.isFresh(at: 200 + 5 * Self.minute))
    }

    @Test("Nobody has more than eight sessions, and nobody ends another's")
    func limit() {
        for number in 1...9 {
            let visitor = number == 1 ? 1 : 2
            sessions.add(code: name(UInt64(number)), for: visitor, at: 0)
            #expect(signIn(UInt64(number), at: 0) != nil)
        }
        sessions.add(code: name(10), for: 2, at: 0)
        _ = signIn(10, at: 0)
        #expect(sessions.session(name(1_001), at: 0)?.visitor == 1)
        #expect(sessions.session(name(1_002), at: 0) == nil, "the oldest of the same visitor ends")
        #expect(sessions.session(name(1_003), at: 0) != nil)
    }

    @Test("A visitor sees the own sessions and ends one of them; others' stay")
    func listed() throws {
        for (number, visitor) in [(1, 1), (2, 2), (3, 2)] {
            sessions.add(code: name(UInt64(number)), for: visitor, at: 0)
            #expect(signIn(UInt64(number), at: Int64(number) * Self.minute) != nil)
        }
        let found = sessions.session(name(1_002), at: 4 * Self.minute)
        let session = try #require(found)
        let all = sessions.all(like: session, at: 4 * Self.minute)
        #expect(all.map(\.isThis) == [false, true])
        #expect(all.map(\.age) == [Self.minute, 2 * Self.minute])
        let ended = [1, 2].map { visitor in sessions.end(number: all[0].number, of: visitor) }
        #expect(ended == [false, true])
        #expect(sessions.session(name(1_003), at: 4 * Self.minute) == nil)
        #expect(session.isFresh(at: 7 * Self.minute - 1) && !session.isFresh(at: 7 * Self.minute))
    }

    @Test("All visitors together have a limit as well")
    func total() {
        for number in 1...600 {
            sessions.add(code: name(UInt64(number)), for: number, at: 0)
            _ = signIn(UInt64(number), at: 0)
        }
        let open = (1...600).filter { sessions.session(name(1_000 + UInt64($0)), at: 0) != nil }
        #expect(open == Array(89...600))
    }

    @Test("A form that may be sent once is accepted once")
    func spends() {
        sessions.add(code: name(1), for: 7, at: 0)
        _ = signIn(1, at: 0)
        let attempts = [1_001, 1_001, 1_002].map { sessions.spend(addition: 0, of: name($0)) }
        #expect(attempts == [true, false, false])
        #expect(sessions.session(name(1_001), at: 0)?.additions == 1)
    }
}
