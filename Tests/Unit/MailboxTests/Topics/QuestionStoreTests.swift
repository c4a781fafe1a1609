import Base
import Delivery
import System
import Testing
import Topics

@testable import Mailbox

@Suite("Questions in the store")
struct QuestionStoreTests {
    private static let ann = QuestionPresser(9, named: "ann", at: .screen)
    private static let asker = QuestionPresser(7, named: "ci", at: .request)

    @discardableResult
    private func ask(
        _ text: String = "Deploy?", at topic: TestTopic, key: String = "", by asker: UInt32 = 7,
        answers: [String] = ["yes", "no"], for seconds: UInt32 = 600, _ test: TestStore
    ) throws -> StoreOutcome {
        var message = try test.message(text, time: 100)
        message.content.question = try TopicQuestion(answers)
        message.content.question?.number = 42
        let question = try #require(
            Question(message, at: topic.device, by: asker, until: 700, keptFor: 3_600))
        let asked = AskedQuestion(
            question, TopicPost(message, keptFor: 3_600), key: key,
            until: test.now.adding(seconds: seconds))
        let shown = try test.message(topic.address, text, level: .clear)
        let push = try test.push(topic.device)
        return try test.run(.registration(.question(.ask(asked, shown, push))))
    }

    private func asked(_ outcome: StoreOutcome) throws -> Question {
        guard case .registration(.question(let question)) = outcome else {
            throw TestStore.NoRegistration()
        }
        return question
    }

    private func press(
        _ answer: String, _ id: TopicMessageID, number: UInt64 = 42, engine: UInt32? = nil,
        by presser: QuestionPresser = ann, _ test: TestStore
    ) throws -> StoreOutcome {
        let press = QuestionPress(.text(answer), to: number, by: presser)
        return try test.run(.registration(.question(.press(press, id, engine: engine))))
    }

    private func question(_ id: TopicMessageID, _ test: TestStore) throws -> Question? {
        guard case .question(let question) = try test.load(.question(id)) else {
            throw TestStore.NoRegistration()
        }
        return question
    }

    @Test("It has one result, for all who come, also after a restart")
    func one() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let listener = QuestionListener()
        let id = try asked(try ask(at: topic, test)).id
        test.store.index.topics.listen(listener, to: id)
        #expect(try question(id, test)?.isOpen == true)
        let first = try asked(try press("no", id, test))
        #expect(first.result?.answer == "no")
        #expect(listener.heard == [id])
        #expect(try asked(try press("yes", id, test)) == first)
        try test.restart()
        #expect(try question(id, test) == first)
        #expect(try asked(try press("yes", id, test)) == first)
        let withdrawal = QuestionOperation.withdraw(Self.asker, id, mayAlways: false)
        #expect(try asked(try test.run(.registration(.question(withdrawal)))) == first)
        try test.pass(seconds: 700)
        #expect(try question(id, test) == first)
        #expect(try test.texts(topic) == ["Deploy?", "Deploy?\n→ no (ann, on the screen)"])
        let messages = try test.page([topic]).entries.map(\.message)
        #expect(Set(messages.map(\.sequence)) == [id.text])
    }

    @Test("Its time ends it, also while the store was closed")
    func expiry() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let id = try asked(try ask(at: topic, test)).id
        try test.restart { test.clocks.advance(seconds: 601) }
        // This one may be before the writer's look at the clock.
        #expect(try asked(try press("yes", id, test)).result?.ending == .expired)
        let other = try asked(try ask(at: topic, test)).id
        try test.pass(seconds: 601)
        #expect(try question(other, test)?.result?.ending == .expired)
    }

    @Test("The same key of the same caller is the same question, open or not; another text is not")
    func key() throws {
        let test = try TestStore()
        let (topic, second) = (try test.addTopic("one"), try test.addTopic("two"))
        let first = try asked(try ask(at: topic, key: "k", test))
        #expect(try asked(try ask(at: topic, key: "k", test)) == first)
        #expect(try test.texts(topic) == ["Deploy?"])
        #expect(try ask("Other?", at: topic, key: "k", test) == .registration(.otherRequest))
        #expect(
            try ask(at: topic, key: "k", answers: ["no"], test) == .registration(.otherRequest))
        #expect(try asked(try ask(at: topic, key: "k", by: 8, test)).id != first.id)
        #expect(try asked(try ask(at: second, key: "k", test)).id != first.id)
        let ended = try asked(try press("yes", first.id, test))
        try test.restart()
        #expect(try asked(try ask(at: topic, key: "k", test)) == ended)
    }

    @Test("Only the number shown counts, only at its engine, and never the asker's answer")
    func refused() throws {
        let test = try TestStore()
        let (topic, other) = (try test.addTopic("one"), try test.addTopic("two"))
        let id = try asked(try ask(at: topic, test)).id
        func refusal(_ refusal: Question.Refusal) -> StoreOutcome {
            .registration(.questionRefused(refusal))
        }
        #expect(try press("yes", id, number: 1, test) == refusal(.otherQuestion))
        #expect(try press("maybe", id, test) == refusal(.noAnswer))
        #expect(try press("yes", id, by: Self.asker, test) == refusal(.forbidden))
        #expect(try press("yes", id, engine: try test.push(other.device).engine, test) == .notFound)
        #expect(try press("yes", TopicMessageID(number: 1), test) == .notFound)
        let withdrawal = QuestionOperation.withdraw(Self.ann, id, mayAlways: false)
        #expect(try test.run(.registration(.question(withdrawal))) == refusal(.forbidden))
        let engine = try test.push(topic.device).engine
        #expect(try asked(try press("yes", id, engine: engine, test)).result?.answer == "yes")
    }

    @Test("No message changes an open one; what has ended is deleted, and its result stays")
    func unchanged() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let id = try asked(try ask(at: topic, key: "k", test)).id
        func post(_ kind: TopicMessage.Kind) throws -> StoreOutcome {
            let message = try test.message("other", kind, sequence: id.text, time: 100)
            return try test.run(
                .registration(.post(TopicPost(message, keptFor: 60), topic.address)))
        }
        #expect(try post(.message) == .conflict && post(.delete) == .conflict)
        #expect(try post(.clear).isStored)
        _ = try press("yes", id, test)
        // Twice is once.
        for _ in 0..<2 { #expect(try post(.delete).isStored) }
        try test.restart()
        let rest = try #require(try question(id, test))
        #expect(rest.result?.answer == "yes" && rest.content == TopicContent())
        #expect(try asked(try press("no", id, test)) == rest)
        #expect(try asked(try ask(at: topic, key: "k", test)) == rest)
        #expect(try ask("Other?", at: topic, key: "k", test) == .registration(.otherRequest))
        #expect(try test.page([topic]).entries.map(\.message.kind) == [.delete])
    }

    @Test("No reader erases an open one; what has ended stays away")
    func erased() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        try test.post("before", to: topic)
        let id = try asked(try ask(at: topic, key: "k", test)).id
        func erase(_ erasure: TopicErasure) throws -> StoreOutcome {
            try test.run(.registration(.erase(erasure)))
        }
        #expect(try erase(.message(position: 2, of: [topic.device])) == .conflict)
        #expect(try erase(.all(of: topic.device, through: 2)) == .done)
        #expect(try test.texts(topic) == ["Deploy?"])
        let ended = try asked(try press("yes", id, test))
        #expect(try question(id, test) == ended)
        #expect(try erase(.message(position: 2, of: [topic.device])) == .done)
        let rest = try #require(try question(id, test))
        #expect(rest.result == ended.result && rest.content == TopicContent())
        #expect(try erase(.all(of: topic.device, through: 3)) == .done)
        #expect(try test.texts(topic) == [])
        #expect(try asked(try ask(at: topic, key: "k", test)) == rest)
        #expect(try ask("Other?", at: topic, key: "k", test) == .registration(.otherRequest))
        #expect(try test.texts(topic) == [])
    }

    @Test("Whoever deletes what told its end deletes its words", arguments: [false, true])
    func ending(isByName: Bool) throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let id = try asked(try ask(at: topic, test)).id
        _ = try press("yes", id, test)
        let told = try #require(try test.page([topic]).entries.first { $0.message.id != id })
        if isByName {
            let message = try test.message(
                "", .delete, sequence: told.message.id.text, time: 100)
            let post = TopicPost(message, keptFor: 60)
            #expect(try test.run(.registration(.post(post, topic.address))).isStored)
        } else {
            let erasure = TopicErasure.all(of: topic.device, through: told.position)
            #expect(try test.run(.registration(.erase(erasure))) == .done)
        }
        let rest = try #require(try question(id, test))
        #expect(rest.result?.answer == "yes" && rest.content == TopicContent())
    }

    @Test("One caller leaves half of the open ones to others, at each topic")
    func shares() throws {
        let test = try TestStore { $0.limits.growth.topicQuestions = 6 }
        let (topic, other) = (try test.addTopic("one"), try test.addTopic("two"))
        let token = try test.token("made")
        let child = try test.token("child", parent: token.row)
        for credential in [token, child] { try test.expectDone(.addCredential(credential)) }
        let own = token.row
        let ids = try [own, child.row, own].map {
            try asked(try ask(at: topic, by: $0, test)).id
        }
        for row in [own, child.row] {
            #expect(try ask(at: topic, by: row, test) == .registration(.tooMany))
        }
        for asker in [0, 8, 9] as [UInt32] { _ = try asked(try ask(at: topic, by: asker, test)) }
        #expect(try ask(at: topic, by: 10, test) == .registration(.tooMany))
        _ = try asked(try ask(at: other, by: own, test))
        _ = try press("yes", ids[0], test)
        try test.restart()
        _ = try asked(try ask(at: topic, by: child.row, test))
        #expect(try ask(at: topic, by: own, test) == .registration(.tooMany))
    }

    @Test("A topic has a limit of open ones, and of results; its end ends them all")
    func limits() throws {
        let test = try TestStore {
            $0.limits.growth.topicQuestions = 2
            $0.limits.growth.topicResults = 1
        }
        let topic = try test.addTopic()
        let listener = QuestionListener()
        let ids = try [7, 8].map { try asked(try ask(at: topic, by: $0, test)).id }
        for _ in 0..<100 { #expect(try ask(at: topic, by: 6, test) == .registration(.tooMany)) }
        _ = try press("yes", ids[0], test)
        try test.pass(seconds: 1)
        let third = try asked(try ask(at: topic, test)).id
        _ = try press("yes", ids[1], test)
        #expect(try question(ids[0], test) == nil && question(ids[1], test)?.isOpen == false)
        test.store.index.topics.listen(listener, to: third)
        try test.expectDone(.registration(.end(device: topic.device)))
        #expect(listener.heard.contains(third))
        #expect(try question(third, test) == nil && test.rows("question") == 0)
    }

    @Test("Whoever has half of the results takes no more from others, and repeats stay known")
    func results() throws {
        let test = try TestStore { $0.limits.growth.topicResults = 4 }
        let topic = try test.addTopic()
        func end(by asker: UInt32, key: String = "") throws -> Question {
            let id = try asked(try ask(at: topic, key: key, by: asker, test)).id
            try test.pass(seconds: 1)
            return try asked(try press("yes", id, test))
        }
        let others = [try end(by: 8, key: "k"), try end(by: 8)]
        var own: [Question] = []
        for _ in 0..<6 { own.append(try end(by: 7)) }
        let kept = try others.map { try question($0.id, test) }
        #expect(kept == others)
        #expect(try asked(try ask(at: topic, key: "k", by: 8, test)) == others[0])
        let known = try own.map { try question($0.id, test) != nil }
        #expect(known == [false, false, false, false, true, true])
        // One who has less than half takes the oldest of all.
        let third = try end(by: 6)
        #expect(try question(others[0].id, test) == nil && question(third.id, test) == third)
        #expect(try test.rows("question") == 4)
    }

    @Test("Results are forgotten after 30 days")
    func forgotten() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let id = try asked(try ask(at: topic, test)).id
        _ = try press("yes", id, test)
        try test.pass(seconds: 29 * 86_400)
        #expect(try question(id, test) != nil)
        try test.pass(seconds: 2 * 86_400)
        #expect(try question(id, test) == nil)
    }

    @Test("Another node knows the question, and hears of its end")
    func following() throws {
        let group = try FollowingTests.Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let topic = try first.addTopic()
        let id = try asked(try ask(at: topic, first)).id
        try group.settle()
        let listener = QuestionListener()
        second.store.index.topics.listen(listener, to: id)
        #expect(try question(id, second)?.isOpen == true)
        let ended = try asked(try press("yes", id, first))
        try group.settle()
        #expect(try question(id, second) == ended && listener.heard == [id])
        #expect(try asked(try press("no", id, second)) == ended)
        try group.expectAlike()
    }
}

/// Keeps which questions have ended.
private final class QuestionListener: StoreListener {
    private let news = Lock<[TopicMessageID]>([])

    var heard: [TopicMessageID] { news.withLock { $0 } }
    func receive(_ news: [QuestionNews]) { self.news.withLock { $0 += news.map(\.id) } }
    func storeReturned() {}
}
