import Base
import Delivery
import Testing

@testable import Mailbox
@testable import Topics

@Suite("Taking over what another server has kept")
struct TakingTests {
    private func take(
        _ messages: [TopicMessage], to topic: TestTopic, lifetime: UInt32 = 86_400,
        isTrial: Bool = false, _ test: TestStore
    ) throws -> [TakenPost] {
        let posts = messages.map { TopicPost($0, keptFor: lifetime) }
        let outcome = try test.run(
            .registration(.take(posts, topic.address, isTrial: isTrial)))
        guard case .registration(.taken(let fates, _)) = outcome else {
            throw TestStore.Unexpected(outcome: outcome)
        }
        return fates
    }

    private func wall(_ test: TestStore) -> Int64 { test.clocks.now.wall / 1_000 }

    @Test("It comes behind what is there, with its own time, once, and nobody is told")
    func once() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let listener = TopicListener()
        test.store.index.topics.listen(
            listener, to: test.store.index.owner(ofDevice: topic.device))
        try test.post("here", to: topic, time: wall(test))
        let old = try (1...3).map { try test.message("old \($0)", time: wall(test) - 100 + $0) }
        #expect(try take(old, to: topic, isTrial: true, test) == [.taken, .taken, .taken])
        #expect(try test.texts(topic) == ["here"])
        #expect(try take(old, to: topic, test) == [.taken, .taken, .taken])
        try test.restart()
        #expect(try take(old, to: topic, test) == [.known, .known, .known])
        #expect(try test.texts(topic) == ["here", "old 1", "old 2", "old 3"])
        #expect(try test.page([topic]).entries.map(\.message).last?.content.text == "here")
        #expect(try test.page([topic]).entries[0].message.time == old[2].time)
        let next = try test.post("next", to: topic, time: wall(test))
        #expect(try test.texts(topic, since: .id(old[2].id)) == ["next"])
        #expect(try test.page([topic]).entries[0].message.id == next.id)
        #expect(listener.heard.map { $0.message?.content.text } == ["here"])
    }

    @Test("Who was at the other server goes on from its last message")
    func since() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let former = try #require(TopicMessageID("zzzzzzzzzzzz"))
        var content = TopicContent()
        content.text = "former"
        let message = TopicMessage(
            id: TopicMessageID(number: former.folded), sequence: former.text, time: wall(test),
            content)
        #expect(try take([message], to: topic, test) == [.taken])
        try test.post("next", to: topic, time: wall(test))
        #expect(try test.texts(topic, since: .id(former)) == ["next"])
        // A later state of it, by its former id.
        try test.post("", to: topic, .delete, sequence: former.text, time: wall(test))
        #expect(try test.texts(topic) == ["next", ""])
        #expect(try take([message], to: topic, test) == [.known])
    }

    @Test("What is too old, or has no room, is not taken, and pushes nothing out")
    func limits() throws {
        let test = try TestStore { $0.limits.growth.topicHistory.count = 3 }
        let topic = try test.addTopic()
        try test.post("here", to: topic, time: wall(test))
        let now = wall(test)
        let messages = try [-86_400, -86_399, -10, -9].map {
            try test.message("\($0)", time: now + $0)
        }
        #expect(try take(messages, to: topic, test) == [.expired, .taken, .taken, .full])
        #expect(try take(messages, to: topic, lifetime: 0, test).allSatisfy { $0 == .expired })
        #expect(try test.texts(topic) == ["here", "-86399", "-10"])
        try test.pass(seconds: 2)
        #expect(try test.texts(topic) == ["here", "-10"])
    }

    @Test("The size of a history limits it, too")
    func bytes() throws {
        let test = try TestStore { $0.limits.growth.topicHistory.bytes = 1_000 }
        let topic = try test.addTopic()
        let long = String(repeating: "a", count: 600)
        let messages = try (0..<3).map { _ in try test.message(long, time: wall(test) - 5) }
        #expect(try take(messages, to: topic, test) == [.taken, .full, .full])
    }

    @Test("What was deleted here does not come back")
    func deleted() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let message = try test.message("gone", time: wall(test) - 5)
        #expect(try take([message], to: topic, test) == [.taken])
        try test.post("", to: topic, .delete, sequence: message.id.text, time: wall(test))
        #expect(try take([message], to: topic, test) == [.known])
        #expect(try test.texts(topic) == [""])
    }

    @Test("One that is not due yet comes at its time, once, also to the screen")
    func scheduled() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let message = try test.message("later", time: wall(test) + 60)
        #expect(try take([message], to: topic, isTrial: true, test) == [.taken])
        #expect(try take([message], to: topic, test) == [.taken])
        #expect(try take([message], to: topic, test) == [.known])
        #expect(try test.texts(topic) == [])
        try test.pass(seconds: 61)
        #expect(try test.texts(topic) == ["later"])
        #expect(try take([message], to: topic, test) == [.known])
    }

    @Test("A topic that has ended takes nothing")
    func ended() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        try test.expectDone(.registration(.end(device: topic.device)))
        let post = TopicPost(try test.message("a", time: wall(test) - 5), keptFor: 60)
        let outcome = try test.run(.registration(.take([post], topic.address, isTrial: false)))
        #expect(outcome == .notFound)
    }
}
