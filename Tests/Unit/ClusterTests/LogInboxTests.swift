import Mailbox
import Testing

@testable import Cluster

@Suite("What was received of the log")
struct LogInboxTests {
    private var inbox = LogInbox()

    private func entry(_ name: UInt64) -> CommitEntry {
        CommitEntry(name: name, position: 0, sequence: 0, changes: [1], schema: 14)
    }

    private mutating func tell(_ name: UInt64, _ sequence: Int64) throws -> LogInbox.Outcome {
        let message = try message(name, sequence)
        return inbox.handle(.told(sequence), [sequence: message], at: 0)
    }

    private func message(_ name: UInt64, _ sequence: Int64) throws -> StreamMessage {
        let entry = entry(name)
        let fields = [
            LogPart.name: LogPart.name(of: entry), LogPart.schema: String(entry.schema),
            "Nats-Sequence": String(sequence), "Nats-Subject": LogFeed.subject,
        ]
        let told = NatsMessage(
            subject: LogFeed.told, body: LogPart.bodies(entry, longest: 1_000)[0], fields: fields)
        return try #require(StreamMessage(told))
    }

    @Test(
        "What comes back with another entry in the place of the last one is another log",
        arguments: [(false, UInt64(1)), (false, 2), (true, 1), (true, 2)])
    mutating func wentBack(isOwn: Bool, found: UInt64) throws {
        _ = inbox.begin(entry(1), after: 10)
        if isOwn {
            _ = inbox.end(.appended(11), at: 0)
        } else {
            _ = try tell(1, 11)
            _ = inbox.end(.outdated, at: 0)
        }
        _ = inbox.handle(.connectionReturned, at: 0)
        let messages: [Int64: StreamMessage] = [
            11: try message(found, 11), 12: try message(3, 12),
        ]
        let outcome = inbox.handle(.page(from: 11, [11, 12]), messages, at: 0)
        #expect(inbox.follower.hasGoneBack == (found == 2))
        #expect(outcome.hasNews == (found == 1))
    }

    @Test("What is there after a start is what is compared later")
    mutating func started() throws {
        _ = inbox.take(after: 11)
        for name in [1, 2] as [UInt64] {
            _ = inbox.handle(.connectionReturned, at: 0)
            let message = try message(name, 11)
            _ = inbox.handle(.page(from: 11, [11]), [11: message], at: 0)
            #expect(inbox.follower.hasGoneBack == (name == 2))
        }
    }

    @Test("Another entry in the place of the own one is noticed before there is an answer")
    mutating func overtaken() throws {
        let begin = inbox.begin(entry(1), after: 10)
        #expect(begin.overtaken == nil)
        let outcome = try tell(2, 11)
        #expect(outcome.overtaken == 1 && outcome.hasNews)
        let end = inbox.end(.outdated, at: 0)
        #expect(end.hasNews)
        let again = inbox.begin(entry(3), after: 10)
        #expect(again.overtaken == 3)
    }

    @Test("An entry that comes after the own one changes nothing")
    mutating func followed() throws {
        _ = inbox.begin(entry(1), after: 10)
        let own = try tell(1, 11)
        #expect(own.overtaken == nil && !own.hasNews)
        let next = try tell(2, 12)
        #expect(next.overtaken == nil && next.hasNews)
        _ = inbox.end(.appended(11), at: 0)
        let taken = inbox.take(after: 11).map(\.entry.name)
        #expect(taken == [2])
    }
}
