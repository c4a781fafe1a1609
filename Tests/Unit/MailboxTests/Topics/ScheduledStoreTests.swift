import Base
import Delivery
import Testing
import Topics

@testable import Mailbox

@Suite("Messages of topics that come later")
struct ScheduledStoreTests {
    private func schedule(
        _ text: String, in seconds: UInt32, to topic: TestTopic, sequence: String? = nil,
        isShown: Bool = false, _ test: TestStore
    ) throws -> TopicMessage {
        let message = try test.message(text, sequence: sequence, time: 100 + Int64(seconds))
        let scheduled = ScheduledPost(
            TopicPost(message, keptFor: 86_400), to: topic.address,
            at: test.now.adding(seconds: seconds), isShown: isShown)
        try test.expectDone(.registration(.schedule(scheduled)))
        return message
    }

    @Test("It comes once, not before its time, with its own id, also after a restart")
    func once() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let message = try schedule("later", in: 60, to: topic, isShown: true, test)
        try test.pass(seconds: 59)
        #expect(try test.texts(topic) == [])
        try test.restart()
        try test.pass(seconds: 1)
        #expect(try test.texts(topic) == ["later"])
        #expect(try test.page([topic]).entries.first?.message == message)
        try test.restart()
        try test.pass(seconds: 120)
        #expect(try test.texts(topic) == ["later"])
    }

    @Test("Its place is that of its delivery")
    func place() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        _ = try schedule("later", in: 60, to: topic, test)
        let last = try test.post("now", to: topic)
        try test.pass(seconds: 61)
        #expect(try test.texts(topic, since: .id(last.id)) == ["later"])
    }

    @Test("A later one of its sequence takes its place, and a deletion cancels it")
    func sequence() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        _ = try schedule("first", in: 60, to: topic, sequence: "s", test)
        _ = try schedule("second", in: 60, to: topic, sequence: "s", test)
        let other = try schedule("other", in: 60, to: topic, test)
        try test.post("", to: topic, .delete, sequence: other.id.text)
        try test.pass(seconds: 61)
        #expect(try test.texts(topic) == ["", "second"])
    }

    @Test("A thousand of the same second all come, and none after the end of its topic")
    func many() throws {
        let test = try TestStore()
        let (topic, ended) = (try test.addTopic("one"), try test.addTopic("two"))
        for index in 0..<1_000 { _ = try schedule("\(index)", in: 60, to: topic, test) }
        _ = try schedule("never", in: 60, to: ended, test)
        try test.expectDone(.registration(.end(device: ended.device)))
        for _ in 0..<10 { try test.pass(seconds: 61) }
        #expect(try test.page([topic], limit: 2_000).entries.count == 1_000)
    }

    @Test("A topic has a limit of them")
    func limit() throws {
        let test = try TestStore { $0.limits.growth.topicScheduled = 2 }
        let topic = try test.addTopic()
        for text in ["a", "b"] { _ = try schedule(text, in: 60, to: topic, test) }
        let message = try test.message("c", time: 160)
        let more = ScheduledPost(
            TopicPost(message, keptFor: 60), to: topic.address,
            at: test.now.adding(seconds: 60), isShown: false)
        #expect(try test.run(.registration(.schedule(more))) == .full)
    }
}
