import Delivery
import Testing
import Topics

@testable import Mailbox

@Suite("Erasing what topics had")
struct TopicErasureTests {
    private func texts(_ test: TestStore, _ topics: TestTopic...) throws -> [String] {
        try test.page(topics).entries.map(\.message.content.text)
    }

    @Test("What is shown has its place in the history, in the order of its owner")
    func place() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        try test.post("first", to: topic)
        let shown = try test.message(topic.address, "second", level: .clear)
        let post = TopicPost(try test.message("second", time: 100), keptFor: 60)
        let push = try test.push(topic.device)
        let operation = RegistrationOperation.receive(shown, nil, push, post)
        #expect(try test.run(.registration(operation)) == .stored(position: 2))
        #expect(try test.page([topic]).entries.first?.position == 2)
    }

    @Test("One message goes, and nobody is told")
    func one() throws {
        let test = try TestStore()
        let (topic, other) = (try test.addTopic(), try test.addTopic("other"))
        for text in ["a", "b", "c"] { try test.post(text, to: topic) }
        let erasure = TopicErasure.message(position: 2, of: [topic.device, other.device])
        #expect(try test.run(.registration(.erase(erasure))) == .done)
        #expect(try texts(test, topic, other) == ["c", "a"])
        // There is no event of it, and the next message has the next place.
        try test.post("d", to: topic)
        #expect(try test.page([topic]).entries.first?.position == 4)
        #expect(try test.run(.registration(.erase(erasure))) == .notFound)
    }

    @Test(
        "What is in another topic, or nowhere, cannot be erased",
        arguments: [0, -1, 1, 2, 99, .max, .min])
    func elsewhere(position: Int64) throws {
        let test = try TestStore()
        let (topic, other) = (try test.addTopic(), try test.addTopic("other"))
        try test.post("kept", to: other)
        let foreign = try test.addTopic("builds", owner: "uid:7")
        try test.post("foreign", to: foreign)
        let erasure = TopicErasure.message(position: position, of: [topic.device])
        #expect(try test.run(.registration(.erase(erasure))) == .notFound)
        let none = TopicErasure.message(position: position, of: [])
        #expect(try test.run(.registration(.erase(none))) == .notFound)
        #expect(try texts(test, topic, other) == ["kept"])
        #expect(try texts(test, foreign) == ["foreign"])
    }

    @Test("All of a topic goes up to a place, in parts, and the rest stays")
    func all() throws {
        let test = try TestStore()
        let (topic, other) = (try test.addTopic(), try test.addTopic("other"))
        let count = StoredTopics.goneAtOnce + 2
        for number in 0..<count { try test.post("\(number)", to: topic) }
        try test.post("beside", to: other)
        try test.post("later", to: topic)
        let erasure = TopicErasure.all(of: topic.device, through: Int64(count))
        #expect(try test.run(.registration(.erase(erasure))) == .registration(.partly))
        #expect(try test.run(.registration(.erase(erasure))) == .done)
        #expect(try test.run(.registration(.erase(erasure))) == .done)
        #expect(try texts(test, topic, other) == ["later", "beside"])
        try test.restart()
        #expect(try texts(test, topic, other) == ["later", "beside"])
    }

    @Test("A page has only what it was asked for, and ends early if that is long")
    func page() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        try test.post("first", to: topic)
        try test.post("", to: topic, .clear, sequence: "one")
        try test.post("second", to: topic)
        let messages = try test.page([topic], limit: 2, kind: .message)
        #expect(messages.entries.map(\.message.content.text) == ["second", "first"])
        #expect(!messages.hasMore)
        #expect(try test.page([topic], kind: .clear).entries.map(\.position) == [2])
        let long = String(repeating: "x", count: 1 << 20)
        for _ in 0..<6 { try test.post(long, to: topic) }
        let page = try test.page([topic])
        #expect(page.entries.count == 4 && page.hasMore)
        let next = try test.page([topic], before: page.entries.last?.position)
        #expect(next.entries.count == 5 && !next.hasMore)
    }
}
