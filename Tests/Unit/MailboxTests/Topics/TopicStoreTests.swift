import Base
import Crypto
import Delivery
import Foundation
import SQLite
import System
import TestSupport
import Testing
import Topics

@testable import Mailbox

@Suite("The history of topics")
struct TopicStoreTests {
    @Test("A message is read as it was posted, also after a restart")
    func restart() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        var content = TopicContent()
        (content.title, content.text, content.priority) = ("title", "text", 4)
        content.tags = ["one", "two"]
        let message = TopicMessage(
            id: TopicMessageID(number: 5), sequence: "same", time: 7, expires: 8, content)
        let post = TopicPost(message, keptFor: 60)
        #expect(
            try test.run(.registration(.post(post, topic.address))) == .stored(position: 1))
        try test.restart()
        let entry = try #require(try test.page([topic]).entries.first)
        #expect(entry.message == message)
        #expect(entry.device == topic.device && entry.position == 1)
    }

    @Test("What the engine shows and what the history has come from one commit")
    func shown() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        try test.post("shown", to: topic, isShown: true)
        #expect(try test.texts(topic) == ["shown"])
    }

    @Test("No text, title, name or sequence is readable in the file, nor its hash")
    func sealed() throws {
        let test = try TestStore()
        let topic = try test.addTopic("needle-name", #"{"secret_name":"s_needle-secret"}"#)
        try test.post("needle-text", to: topic, sequence: "needle-sequence")
        test.close()
        let files = try contents(ofFolder: test.path)
        #expect(files.firstRange(of: Data("needle".utf8)) == nil)
        for word in ["needle-name", "needle-text", "needle-sequence", "s_needle-secret"] {
            var hash = try SHA256()
            let bytes = Array(word.utf8)
            let digest = try hash.digest(of: bytes.span)
            #expect(files.firstRange(of: Data(digest.span.array(0..<8))) == nil)
        }
    }

    @Test("Several topics of an owner have one order, and other owners' messages are not in it")
    func order() throws {
        let test = try TestStore()
        let (first, second) = (try test.addTopic("one"), try test.addTopic("two"))
        let other = try test.addTopic("one", owner: "uid:7")
        for index in 0..<6 {
            try test.post("\(index)", to: index % 2 == 0 ? first : second)
            try test.post("other", to: other)
        }
        #expect(try test.texts(first, second) == ["0", "1", "2", "3", "4", "5"])
        #expect(try test.texts(second) == ["1", "3", "5"])
        var page = try test.page([first, second], limit: 2)
        #expect(page.entries.map(\.message.content.text) == ["5", "4"] && page.hasMore)
        page = try test.page([first, second], before: page.entries[1].position, limit: 9)
        #expect(page.entries.map(\.message.content.text) == ["3", "2", "1", "0"])
        #expect(!page.hasMore)
    }

    @Test("Pages of many topics have every message once, in order, however the topics take turns")
    func turns() throws {
        let test = try TestStore()
        var random = SeededGenerator(seed: 7)
        let topics = try (0..<5).map { try test.addTopic("topic-\($0)") }
        let texts = try (0..<60).map { number in
            // Now and then one topic has many in a row.
            let topic =
                number % 20 < 8
                ? topics[number / 20] : topics[Int.random(in: 0..<5, using: &random)]
            try test.post("\(number)", to: topic)
            return "\(number)"
        }
        for limit in [1, 3, 7, 59, 60] {
            var (found, before) = ([String](), Int64.max)
            while true {
                let page = try test.page(
                    topics.shuffled(using: &random), before: before, limit: limit)
                found += page.entries.map(\.message.content.text)
                guard page.hasMore, let last = page.entries.last else { break }
                before = last.position
            }
            #expect(found == texts.reversed())
        }
    }

    @Test("Pages have the messages, however many events of other kinds are between them")
    func kinds() throws {
        let test = try TestStore()
        let topics = try (0..<3).map { try test.addTopic("topic-\($0)") }
        var texts: [String] = []
        for number in 0..<300 {
            if number % 60 == 7 {
                try test.post("\(number)", to: topics[number % 3])
                texts.append("\(number)")
            } else {
                try test.post("", to: topics[number % 3], .clear, sequence: "s\(number)")
            }
        }
        for (limit, since) in [(1, nil), (2, nil), (4, 1), (9, nil)] as [(Int, Int64?)] {
            var (found, before) = ([String](), Int64?.none)
            while true {
                let page = try test.page(
                    topics, before: before, limit: limit, since: since, kind: .message)
                found += page.entries.map(\.message.content.text)
                #expect(page.entries.count == limit || !page.hasMore)
                guard page.hasMore else { break }
                before = page.next
            }
            #expect(found == texts.reversed())
        }
    }

    @Test("Messages of one second are all read from that second on")
    func time() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        for (text, time) in [("a", 9), ("b", 10), ("c", 10), ("d", 11)] as [(String, Int64)] {
            try test.post(text, to: topic, time: time)
        }
        #expect(try test.texts(topic, since: .time(10)) == ["b", "c", "d"])
        let page = try test.page([topic], since: 10)
        #expect(page.entries.map(\.message.content.text) == ["d", "c", "b"])
    }

    @Test("The oldest make room, and their places stay known")
    func room() throws {
        let test = try TestStore { $0.limits.growth.topicHistory.count = 3 }
        let topic = try test.addTopic()
        let posted = try (0..<5).map { try test.post("\($0)", to: topic) }
        #expect(try test.texts(topic) == ["2", "3", "4"])
        #expect(try test.texts(topic, since: .id(posted[1].id)) == ["2", "3", "4"])
        #expect(try test.texts(topic, since: .id(posted[3].id)) == ["4"])
        let unknown = StreamSince.id(TopicMessageID(number: 1))
        #expect(try test.texts(topic, since: unknown) == ["2", "3", "4"])
        let page = try test.read(.replay(.id(posted[0].id)), topic)
        #expect(page.plan?.isTruncated == true)
        #expect(try test.read(.replay(.id(posted[1].id)), topic).plan?.isTruncated == false)
    }

    @Test("The oldest also make room for bytes")
    func bytes() throws {
        let test = try TestStore { $0.limits.growth.topicHistory.bytes = 20_000 }
        let topic = try test.addTopic()
        for index in 0..<10 {
            try test.post("\(index)" + String(repeating: "x", count: 4_000), to: topic)
        }
        #expect(try test.texts(topic).map { $0.prefix(1) } == ["6", "7", "8", "9"])
    }

    @Test("What was deleted is told by the event of its end alone; what was cleared stays")
    func endings() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let first = try test.post("first", to: topic)
        try test.post("again", to: topic, sequence: first.id.text)
        try test.post("other", to: topic, sequence: "other")
        try test.post("", to: topic, .clear, sequence: "other")
        try test.post("", to: topic, .delete, sequence: first.id.text)
        let entries = try test.read(.replay(.everything), topic).messages
        #expect(entries.map(\.message.kind) == [.message, .clear, .delete])
        #expect(entries.map(\.text) == ["other", "", ""])
        #expect(try test.texts(topic, since: .id(first.id)) == ["other", "", ""])
    }

    @Test("A message ends with its time, and its place thirty days later")
    func expiry() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let message = try test.post("short", to: topic, lifetime: 60)
        try test.post("long", to: topic, lifetime: 60 * 86_400)
        try test.pass(seconds: 61)
        #expect(try test.texts(topic) == ["long"])
        let second = try test.post("second", to: topic, lifetime: 86_400)
        #expect(try test.texts(topic, since: .id(second.id)) == [])
        try test.pass(seconds: 86_401)
        #expect(try test.texts(topic, since: .id(second.id)) == [])
        #expect(try test.texts(topic, since: .id(message.id)) == ["long"])
        try test.pass(seconds: 30 * 86_400)
        // Its place is forgotten, so a reader who comes with it gets everything.
        #expect(try test.texts(topic, since: .id(second.id)) == ["long"])
    }

    @Test("What is for readers of this moment alone is not kept, and has a place")
    func passing() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        try test.post("passing", to: topic, lifetime: 0)
        try test.post("kept", to: topic)
        let page = try test.page([topic])
        #expect(page.entries.map(\.position) == [2])
    }

    @Test("A removed topic has nothing left, and one of the same name begins empty")
    func removal() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        for index in 0..<20 { try test.post("\(index)", to: topic) }
        try test.expectDone(.registration(.end(device: topic.device)))
        let name = try #require(TopicName("builds"))
        #expect(try test.device(.own(name, owner: "admin")) == nil)
        let next = try test.addTopic()
        #expect(try test.texts(next) == [])
        try test.pass(seconds: 1)
        test.close()
        let file = try Connection(test.path + "/" + WriterDatabase.fileName, .readOnly)
        #expect(try file.number("SELECT count(*) FROM topic_message") == 0)
    }
}

@Suite("Names of topics in the store")
struct TopicNameStoreTests {
    private func name(_ text: String) throws -> TopicName { try #require(TopicName(text)) }

    @Test("A topic is found by its own, its open and its secret name, also after a restart")
    func names() throws {
        let test = try TestStore()
        let topic = try test.addTopic(
            "builds", owner: "uid:7", #"{"open":true,"secret_name":"s_abc"}"#)
        for _ in 0..<2 {
            #expect(
                try test.device(.own(try name("builds"), owner: "uid:7")) == topic.device)
            #expect(try test.device(.open(try name("builds"))) == topic.device)
            #expect(try test.device(.secret(try name("s_abc"))) == topic.device)
            #expect(try test.device(.own(try name("builds"), owner: "admin")) == nil)
            #expect(try test.device(.open(try name("Builds"))) == nil)
            try test.restart()
        }
    }

    @Test("Each owner may have the name, but only one of them open")
    func taken() throws {
        let test = try TestStore()
        let first = try test.addTopic("builds", owner: "one", #"{"open":true}"#)
        let second = try test.addTopic("builds", owner: "two")
        let again = try test.draft(test.topicTerms("builds"), owner: "one")
        #expect(
            try test.run(
                .registration(.create(again.0, again.1, credential: nil, limit: nil, nil)))
                == .registration(.nameTaken))
        var changed = second.registration
        var terms = TopicTerms()
        terms.isOpen = true
        changed.set(topic: terms)
        #expect(
            try test.run(.registration(.change(changed, from: 0, adding: nil)))
                == .registration(.nameTaken))
        #expect(try test.device(.open(try name("builds"))) == first.device)
    }

    @Test("A change of its names is known at once")
    func change() throws {
        let test = try TestStore()
        let topic = try test.addTopic("builds", #"{"secret_name":"s_old"}"#)
        var changed = topic.registration
        var terms = TopicTerms()
        terms.isOpen = true
        terms.secretName = TopicName("s_new")
        changed.set(topic: terms)
        try test.expectDone(.registration(.change(changed, from: 0, adding: nil)))
        #expect(try test.device(.secret(try name("s_old"))) == nil)
        #expect(try test.device(.secret(try name("s_new"))) == topic.device)
        #expect(try test.device(.open(try name("builds"))) == topic.device)
    }
}

@Suite("Streams of topics in the store")
struct TopicStreamStoreTests {
    @Test("A replay comes in pages, each message once, and what was stored since comes after it")
    func pages() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        for index in 0..<450 { try test.post("\(index)", to: topic) }
        var page = try test.read(.replay(.everything), topic)
        let range = try #require(page.plan?.range)
        var texts = page.messages.map(\.text)
        let end = range.through
        try test.post("new", to: topic)
        while page.through < end {
            page = try test.read(
                .replayed(range, after: page.through), topic)
            texts += page.messages.map(\.text)
        }
        #expect(texts == (0..<450).map(String.init))
        page = try test.read(.missed(after: end), topic)
        #expect(page.messages.map(\.text) == ["new"])
        #expect(end == 450 && page.through == 451)
    }

    @Test("A stream of an owner without messages has nothing")
    func nothing() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let page = try test.read(.replay(.everything), topic)
        #expect(page.messages.isEmpty && page.through == 0)
    }

    @Test("The latest of each topic")
    func latest() throws {
        let test = try TestStore()
        let (first, second) = (try test.addTopic("one"), try test.addTopic("two"))
        for index in 0..<5 { try test.post("\(index)", to: index < 3 ? first : second) }
        #expect(try test.texts(first, second, since: .latest) == ["2", "4"])
    }

    @Test("Readers hear after the commit what came to topics of their owner, also to later ones")
    func news() throws {
        let test = try TestStore()
        let first = try test.addTopic("one")
        let other = try test.addTopic("one", owner: "uid:7")
        let listener = TopicListener()
        let owner = test.store.index.owner(ofDevice: first.device)
        test.store.index.topics.listen(listener, to: owner)
        let second = try test.addTopic("two")
        try test.post("first", to: first)
        try test.post("other", to: other)
        try test.post("second", to: second)
        try test.post("passing", to: first, lifetime: 0)
        test.store.index.topics.stopListening(listener, to: owner)
        try test.post("unheard", to: first)
        let heard = listener.heard
        #expect(heard.map { $0.message?.content.text } == ["first", "second", "passing"])
        #expect(heard.map(\.device) == [first.device, second.device, first.device])
        #expect(heard.map(\.isKept) == [true, true, false])
        #expect(heard.map(\.position) == [1, 2, 3])
    }
}
