import Base
import TestSupport
import Testing

@testable import Notifications

/// A record of the journal that all engines of a server share, byte for byte.
@Suite("A journal's bytes")
struct RecordedJournalTests {
    /// For each engine its number, the length of its part, and its operations: time and entry.
    private static let record: [UInt8] =
        [0, 0, 0, 7, 0, 0, 0, 27]
        + time(1) + [4]
        + time(2) + [2, 6, 1, 0, 0, 0, 0, 2] + Array("hi".utf8)
        + [0, 0, 0, 9, 0, 0, 0, 49]
        + time(3) + [1, 39] + Array(#"{"@type":"bellwire.setMe","user_id":77}"#.utf8)
        + [0, 0, 0, 7, 0, 0, 0, 9] + time(4) + [0]

    private static func time(_ seconds: Double) -> [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: seconds.bitPattern >> ($0 * 8)) }
    }

    @Test("Each engine finds its own part, in the order in which it was written")
    func read() throws {
        let mine = EngineJournal.entries(of: 7, in: Self.record)
        #expect(mine.count == 27 + 9)
        var account = Account()
        account.options = [OptionName.groupCountMax: .integer(5)]
        var engine = Engine(account)
        #expect(EngineEntries.replay(mine, on: &engine, .english))
        #expect(engine.activeGroups.first?.totalCount == 1)
        var other = Engine(Account())
        #expect(
            EngineEntries.replay(
                EngineJournal.entries(of: 9, in: Self.record), on: &other, .english))
        #expect(other.account.userID == 77)
    }

    @Test("It is written like this")
    func written() throws {
        var journal = EngineJournal()
        let push = EngineEntry.push(payload: Array("hi".utf8), .plain, .webpush, id: "")
        journal.add(EngineEntries.bytes([(1, .start), (2, push)]), of: 7)
        journal.add(EngineEntries.bytes([(3, .own(.setUser(77)))]), of: 9)
        journal.add(EngineEntries.bytes([(4, .time)]), of: 7)
        let (first, second) = (journal.takeRecord(), journal.takeRecord())
        let written = try #require(first)
        #expect(written.record == Self.record)
        #expect(written.engines.sorted() == [7, 9] && second == nil)
    }

    @Test("An ended engine is cut out of shared records; a truncated record is rejected")
    func cut() {
        let rest = EngineJournal.record(Self.record, without: 9)
        #expect(EngineJournal.entries(of: 9, in: rest).isEmpty)
        #expect(
            EngineJournal.entries(of: 7, in: rest) == EngineJournal.entries(of: 7, in: Self.record))
        for part in prefixes(of: EngineJournal.entries(of: 7, in: Self.record)) {
            var engine = Engine(Account())
            let isWhole = [0, 9, 27].contains(part.count)
            #expect(EngineEntries.replay(part, on: &engine, .english) == isWhole)
        }
    }
}
