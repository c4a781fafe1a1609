import Base
import Foundation
import TestSupport
import Testing
import Topics

@testable import Mailbox

@Suite("Searches in the history of topics")
struct TopicSearchTests {
    /// What is found, page by page, newest first.
    private func search(
        _ words: String, _ topics: [TestTopic], limit: Int = 100, since: Int64? = nil,
        _ test: TestStore
    ) throws -> [String] {
        var (found, before): ([String], Int64?) = ([], nil)
        let owner = test.store.index.owner(ofDevice: topics[0].device)
        repeat {
            let page = TopicPageRequest(
                owner: owner, devices: topics.map(\.device), before: before, limit: limit,
                since: since)
            let request = TopicSearchRequest(page, for: FoldedWords([words]))
            guard case .topic(.page(let page)) = try test.load(.search(request)) else {
                throw AnswerBox.Missing()
            }
            #expect(page.entries.count <= limit)
            found += page.entries.map(\.message.content.text)
            before = page.next
        } while before != nil
        return found
    }

    @Test("All words have to be in title, text or tags, in any form", arguments: [0, 64 << 20])
    func words(memory: Int) throws {
        let test = try TestStore { $0.limits.searchMemory = memory }
        let (first, second) = (try test.addTopic("one"), try test.addTopic("two"))
        try test.post("The disk is full", to: first)
        try test.post("Ärger mit der DISK", to: second)
        try test.post("nothing", to: first)
        var content = TopicContent()
        (content.title, content.text, content.tags) = ("Disk", "of Zoë", ["full", "tape"])
        let tagged = TopicMessage(
            id: TopicMessageID(number: 7), time: 100, content)
        _ = try test.run(.registration(.post(TopicPost(tagged, keptFor: 60), first.address)))
        for _ in 0..<2 {
            #expect(
                try search("disk", [first, second], test)
                    == ["of Zoë", "Ärger mit der DISK", "The disk is full"])
            #expect(
                try search("full disk", [first, second], test) == ["of Zoë", "The disk is full"])
            #expect(try search("arger", [first, second], test) == ["Ärger mit der DISK"])
            #expect(try search("arger", [first], test) == [])
            #expect(try search("zoe tape", [first], test) == ["of Zoë"])
            #expect(try search("fulltape", [first], test) == [])
            try test.restart()
        }
    }

    @Test(
        "A page ends where the next one begins, whatever the memory and the turns",
        arguments: [0, 4] as [Int64])
    func pages(turn: Int64) throws {
        let test = try TestStore {
            $0.limits.searchMemory = 9_000
            $0.limits.searchTurn = turn
        }
        let (topic, other) = (try test.addTopic("one"), try test.addTopic("other", owner: "ann"))
        for index in 0..<200 {
            let text = index % 3 == 0 ? "needle \(index)" : "hay"
            try test.post(text, to: topic, time: Int64(index))
            if index % 50 == 0 { try test.post("needle of ann", to: other) }
        }
        let expected = (0..<200).reversed().filter { $0 % 3 == 0 }.map { "needle \($0)" }
        for limit in [1, 7, 67, 500] {
            #expect(try search("needle", [topic], limit: limit, test) == expected)
        }
        #expect(try search("ANN", [other], test).count == 4)
        #expect(try search("ann", [topic], test) == [])
        let late = try search("needle", [topic], since: 190, test)
        #expect(late == ["needle 198", "needle 195", "needle 192"])
    }

    @Test("What came since the last search is found, and what has left is not")
    func changes() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let posted = try (0..<3).map { try test.post("needle \($0)", to: topic) }
        #expect(try search("needle", [topic], test).count == 3)
        try test.post("", to: topic, .delete, sequence: posted[1].id.text)
        try test.post("needle 3", to: topic)
        #expect(try search("needle", [topic], test) == ["needle 3", "needle 2", "needle 0"])
        try test.expectDone(.registration(.end(device: topic.device)))
        #expect(try search("needle", [topic], test) == [])
    }

    @Test("An owner who was forgotten is not found, nor what the next one of that number had not")
    func forgotten() throws {
        let test = try TestStore()
        let topic = try test.addTopic("one", owner: "ann")
        try test.post("needle", to: topic)
        #expect(try search("needle", [topic], test) == ["needle"])
        guard case .owners(let owners) = try test.load(.owners) else { throw AnswerBox.Missing() }
        for owner in owners { try test.expectDone(.forgetOwner(owner.row)) }
        let next = try test.addTopic("one", owner: "ann")
        #expect(try search("needle", [next], test) == [])
        try test.post("another needle", to: next)
        #expect(try search("needle", [next], test) == ["another needle"])
    }

    @Test("Nothing of what was searched is on the disk")
    func disk() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        try test.post("Needle of hay", to: topic)
        #expect(try search("needle", [topic], test) == ["Needle of hay"])
        for text in ["needle", "Needle", "hay"] {
            #expect(try contents(ofFolder: test.path).firstRange(of: Data(text.utf8)) == nil)
        }
    }

    @Test("Others are answered while a long search goes on")
    func turns() throws {
        let test = try TestStore { $0.limits.searchTurn = 0 }
        let topic = try test.addTopic()
        for index in 0..<10 { try test.post("hay \(index)", to: topic) }
        let owner = test.store.index.owner(ofDevice: topic.device)
        let page = TopicPageRequest(owner: owner, devices: [topic.device], limit: 1)
        let (sink, gate) = (OrderOfAnswers(), DispatchSemaphore(value: 0))
        let store = test.store
        store.reader.between { gate.wait() }
        store.load(
            .search(TopicSearchRequest(page, for: FoldedWords(["needle"]))), ticket: 1, to: sink)
        store.reader.between { [weak store] in
            store?.load(.topic(.newest(owner: owner)), ticket: 2, to: sink)
        }
        gate.signal()
        #expect(sink.wait(for: 2) == [2, 1])
    }
}

/// The tickets of answers, in their order.
// Unchecked: all state is only touched under the lock.
private final class OrderOfAnswers: StoreSink, @unchecked Sendable {
    private let condition = NSCondition()
    private var tickets: [UInt64] = []

    func completed(_ completions: [CompletedOperation]) {}

    func loaded(_ answer: LoadAnswer, ticket: UInt64) {
        condition.withLock {
            tickets.append(ticket)
            condition.broadcast()
        }
    }

    func wait(for count: Int) -> [UInt64] {
        condition.withLock {
            let deadline = Date(timeIntervalSinceNow: 60)
            while tickets.count < count, condition.wait(until: deadline) {}
            return tickets
        }
    }
}
