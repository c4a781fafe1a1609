import Foundation
import Testing
import Topics

@testable import Mailbox

@Suite("Topics of stores that stay alike")
struct FollowingTopicTests {
    @Test("Readers at another node hear of what is kept, and get what is not")
    func news() throws {
        let group = try FollowingTests.Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let topic = try first.addTopic()
        try group.settle()
        let listener = TopicListener()
        second.store.index.topics.listen(
            listener, to: second.store.index.owner(ofDevice: topic.device))
        try first.post("kept", to: topic)
        let unkept = try first.post("needle", to: topic, lifetime: 0)
        try group.settle()
        let deadline = Date(timeIntervalSinceNow: 60)
        while listener.heard.count < 2, Date() < deadline { usleep(2_000) }
        let heard = listener.heard
        #expect(heard.map(\.isKept) == [true, false])
        #expect(heard.map(\.message) == [nil, unkept])
        #expect(heard.map(\.position) == [1, 2])
        #expect(try second.texts(topic) == ["kept"])
        try group.expectAlike()
    }

    @Test("What another server had kept comes to each node, and no reader is told of it")
    func taken() throws {
        let group = try FollowingTests.Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let topic = try first.addTopic()
        try group.settle()
        let listener = TopicListener()
        second.store.index.topics.listen(
            listener, to: second.store.index.owner(ofDevice: topic.device))
        let wall = first.clocks.now.wall / 1_000
        let posts = try (1...3).map {
            TopicPost(try first.message("old", time: wall - $0), keptFor: 3_600)
        }
        _ = try first.run(.registration(.take(posts, topic.address, isTrial: false)))
        try first.post("new", to: topic)
        try group.settle()
        let deadline = Date(timeIntervalSinceNow: 60)
        while listener.heard.isEmpty, Date() < deadline { usleep(2_000) }
        #expect(listener.heard.map(\.position) == [4])
        #expect(try second.texts(topic) == ["old", "old", "old", "new"])
        try group.expectAlike()
    }

    @Test("The text of what is not kept is not in the log")
    func sealed() throws {
        let group = try FollowingTests.Group(2)
        let topic = try group.stores[0].addTopic()
        try group.stores[0].post("needle", to: topic, lifetime: 0)
        let entries = group.log.entries(after: 0).map(\.entry)
        #expect(entries.contains { !$0.news.isEmpty })
        #expect(!entries.contains { Data($0.news).firstRange(of: Data("needle".utf8)) != nil })
    }
}
