import Base
import Delivery
import Notifications
import SQLite
import Testing
import Topics

@testable import Mailbox

@Suite("What the owner of a topic closes")
struct DismissalStoreTests {
    private let test: TestStore
    private let topic: TestTopic

    init() throws {
        test = try TestStore()
        topic = try test.addTopic()
    }

    private var screen: JoinedScreen { JoinedScreen(test: test, topic: topic) }

    private var kinds: [TopicMessage.Kind] {
        get throws { try test.page([topic]).entries.map(\.message.kind) }
    }

    @Test("It is stored with its end, once, and kept as long as the message")
    func stored() throws {
        let message = try test.post("one", to: topic, isShown: true)
        try test.post("two", to: topic, isShown: true)
        try screen.close("one")
        let page = try test.page([topic])
        #expect(page.entries.map(\.message.kind) == [.dismissal, .message, .message])
        #expect(page.entries.map(\.isCleared) == [false, false, true])
        let event = page.entries[0].message
        #expect(event.sequence == message.id.text && event.id != message.id)
        #expect(event.expires.map { ($0 - event.time - 3_600).magnitude <= 1 } == true)
        try test.restart()
        #expect(try test.page([topic]).entries.map(\.isCleared) == [false, false, true])
        #expect(try screen.texts == ["two"])
    }

    @Test("A later state is not closed; it is shown anew")
    func later() throws {
        for text in ["10 %", "50 %"] {
            try test.post(text, to: topic, sequence: "s", isShown: true)
        }
        try screen.close("50 %")
        #expect(try screen.texts == [])
        try test.post("90 %", to: topic, sequence: "s", isShown: true)
        #expect(try screen.texts == ["90 %"])
        #expect(try test.page([topic]).entries.map(\.isCleared) == [false, false, true, true])
        // A sender's clear event says the same.
        try test.post("", to: topic, .clear, sequence: "s")
        #expect(try screen.texts == [])
        #expect(try test.page([topic]).entries.filter(\.isCleared).count == 3)
    }

    @Test("Where a sequence was cleared last is found without a look at its states")
    func lookUp() throws {
        let connection = try Connection(test.path + "/" + WriterDatabase.fileName, .readOnly)
        let plan = try connection.statement("EXPLAIN QUERY PLAN " + TopicPage.lastEnd)
        var steps: [String] = []
        while try plan.step() { steps.append(plan.text(3)) }
        #expect(steps.count == 1)
        #expect(steps[0].hasSuffix("INDEX topic_message_cleared (topic=? AND sequence=?)"))
    }

    @Test("Only readers of the owner's own are told, and nobody else counts it")
    func readers() throws {
        try test.post("one", to: topic, isShown: true)
        try screen.close("one")
        // The newest of a topic is a message to others. Their cursors leave out the rest.
        let others = try test.read(.replay(.latest), topic).messages
        #expect(others.map(\.message.kind) == [.message, .dismissal])
        let owner = test.store.index.owner(ofDevice: topic.device)
        let name = try #require(topic.registration.terms.topicName)
        let own = TopicSubscription(owner: owner, topics: [topic.device: name], isOwners: true)
        let answer = try test.load(.topic(.stream(.replay(.latest), own)))
        guard case .topic(.stream(let page)) = answer else {
            Issue.record("no page")
            return
        }
        #expect(page.messages.map(\.message.kind) == [.dismissal])
    }

    @Test("What no history has is told to those who read now")
    func unkept() throws {
        let listener = TopicListener()
        test.store.index.topics.listen(listener, to: test.store.index.owner(ofDevice: topic.device))
        try test.post("one", to: topic, sequence: "s", lifetime: 0, isShown: true)
        try screen.close("one")
        #expect(try kinds == [])
        let last = try #require(listener.heard.last)
        #expect(last.message?.kind == .dismissal && last.message?.sequence == "s" && !last.isKept)
    }

    @Test("What the history of a topic loses leaves the screen, unless a later state is there")
    func erased() throws {
        try test.post("old", to: topic, sequence: "s", isShown: true)
        try test.post("new", to: topic, sequence: "s", isShown: true)
        try test.post("other", to: topic, isShown: true)
        func erase(_ position: Int64) throws {
            let erasure = TopicErasure.message(position: position, of: [topic.device])
            #expect(try test.run(.registration(.erase(erasure))) == .done)
        }
        try erase(1)
        #expect(try screen.texts == ["new", "other"])
        try erase(2)
        #expect(try screen.texts == ["other"])
        try test.post("later", to: topic, isShown: true)
        let all = TopicErasure.all(of: topic.device, through: 3)
        #expect(try test.run(.registration(.erase(all))) == .done)
        #expect(try screen.texts == ["later"])
        #expect(try kinds == [.message])
    }

    private func mark(_ kind: OwnerMark.Kind, _ positions: Int64...) throws -> StoreOutcome {
        try test.run(.registration(.mark(OwnerMark(kind, positions, of: [topic.device]))))
    }

    @Test("What the owner has read leaves the screens, and readers hear of it once")
    func marked() throws {
        try test.post("one", to: topic, isShown: true)
        try test.post("two", to: topic, sequence: "s", isShown: true)
        #expect(try mark(.read, 1, 2, 9) == .done)
        #expect(try screen.texts == [])
        #expect(try kinds == [.dismissal, .dismissal, .message, .message])
        #expect(try mark(.read, 1, 2) == .done)
        #expect(try test.page([topic]).entries.map(\.isCleared) == [false, false, true, true])
        #expect(try mark(.read, 9) == .notFound)
        let other = try test.addTopic("other", owner: "uid:1")
        let foreign = OwnerMark(.deleted, [1], of: [other.device])
        #expect(try test.run(.registration(.mark(foreign))) == .notFound)
    }

    @Test("What is read takes no room of what is new, and an older state is unread again alone")
    func room() throws {
        for text in ["10 %", "50 %"] { try test.post(text, to: topic, sequence: "s") }
        #expect(try mark(.read, 1) == .done)
        try test.post("90 %", to: topic, sequence: "s")
        func cleared() throws -> [Bool] {
            try test.page([topic], kind: .message).entries.map(\.isCleared)
        }
        #expect(try cleared() == [false, true, true])
        #expect(try kept() == 3)
        #expect(try mark(.unread, 1) == .done)
        #expect(try cleared() == [false, false, false])
        try test.restart()
        #expect(try kept() == 3)
    }

    private func kept() throws -> Int64 {
        let connection = try Connection(test.path + "/" + WriterDatabase.fileName, .readOnly)
        return try connection.number("SELECT sum(count) FROM topic")
    }

    @Test("What is unread again was not closed, also after a start, and readers get nothing new")
    func reopened() throws {
        let listener = TopicListener()
        test.store.index.topics.listen(listener, to: test.store.index.owner(ofDevice: topic.device))
        try test.post("one", to: topic, sequence: "s", isShown: true)
        try test.post("", to: topic, .clear, sequence: "s")
        #expect(try mark(.unread, 1) == .done)
        #expect(try screen.texts == [])
        let last = try #require(listener.heard.last)
        #expect(last.message == nil && last.position == 3 && !last.isKept)
        #expect(try mark(.read, 1) == .done)
        #expect(try mark(.unread, 1) == .done)
        try test.restart()
        let page = try test.page([topic])
        #expect(page.entries.map(\.message.kind) == [.message])
        #expect(page.entries.map(\.isCleared) == [false])
        #expect(try test.read(.missed(after: 1), topic).messages.isEmpty)
    }

    @Test("What the owner deletes is gone with all its states, and all readers are told")
    func deleted() throws {
        try test.post("old", to: topic, sequence: "s", isShown: true)
        try test.post("new", to: topic, sequence: "s", isShown: true)
        #expect(try mark(.deleted, 1) == .done)
        #expect(try screen.texts == [])
        #expect(try kinds == [.delete])
        #expect(try mark(.deleted, 1) == .notFound)
    }

    /// What the services push of one thing: its name there, and what is shown of it.
    private static func alerts(_ texts: String...) -> String {
        let alerts = texts.map {
            #"{"status":"firing","fingerprint":"f-\#($0)","annotations":{"description":"\#($0)"}}"#
        }
        return #"{"receiver":"r","groupKey":"g","alerts":[\#(alerts.joined(separator: ","))]}"#
    }

    private static let ofServices = [
        alerts("full"),
        #"{"x-github-event":"issues","action":"opened","repository":{"full_name":"a/b"},"#
            + #""issue":{"number":1,"title":"full"}}"#,
    ]

    @Test(
        "What a service names itself leaves with its message, and is closed like any other",
        arguments: ofServices)
    func named(payload: String) throws {
        let message = try test.post(payload, to: topic, isShown: true)
        #expect(try screen.texts.count == 1)
        try test.post("", to: topic, .delete, sequence: message.id.text)
        #expect(try screen.texts == [])
        let former = try test.post(payload, to: topic, isShown: true)
        try test.post(payload, to: topic, isShown: true)
        // The later one has taken the place of the former.
        try test.post("", to: topic, .delete, sequence: former.id.text)
        try test.restart()
        let text = try #require(try screen.texts.first)
        try screen.close(text)
        let page = try test.page([topic])
        #expect(page.entries.map(\.message.kind) == [.dismissal, .delete, .message, .delete])
        #expect(page.entries[2].isCleared)
    }

    @Test("A message that is several notifications is closed with the last of them")
    func several() throws {
        let message = try test.post(Self.alerts("a", "b"), to: topic, isShown: true)
        #expect(try screen.texts == ["a", "b"])
        try screen.close("a")
        #expect(try kinds == [.message])
        try screen.close("b")
        #expect(try kinds == [.dismissal, .message])
        #expect(try test.page([topic]).entries[0].message.sequence == message.id.text)
        try test.post(Self.alerts("c", "d"), to: topic, isShown: true)
        let all = TopicErasure.all(of: topic.device, through: 3)
        #expect(try test.run(.registration(.erase(all))) == .done)
        #expect(try screen.texts == [])
    }

    @Test("Its name tells its topic, and nothing else has such a name")
    func names() {
        let shown = ShownSequence("a:b", in: topic.device)
        #expect(ShownSequence(name: shown.name)?.sequence == "a:b")
        #expect(ShownSequence(name: shown.name)?.device == topic.device)
        for name in ["push:1:s", "sequence:s", "sequence:-1:s", "sequence::s", "topic:1:s", ""] {
            #expect(ShownSequence(name: name) == nil, "\(name)")
        }
    }
}

/// What a screen that joins the engine of a topic shows.
private struct JoinedScreen {
    let test: TestStore
    let topic: TestTopic

    private var engine: UInt32 { topic.registration.device }

    private var notifications: [(group: Int32, id: Int32, text: String)] {
        get throws {
            let texts = try test.welcomes([engine], EngineRole(isFetcher: false))[0]
            let documents = try texts.map { try JSONDocument(Array($0.utf8)) }
            let active = documents.first { $0.root["@type"]?.text == "updateActiveNotifications" }
            return (active?.root["groups"]?.elements ?? []).flatMap { group in
                (group["notifications"]?.elements ?? []).map { one in
                    (
                        Int32(clamping: group["id"]?.integer ?? 0),
                        Int32(clamping: one["id"]?.integer ?? 0),
                        one["type"]?["bellwire.presentation"]?["body"]?.text ?? ""
                    )
                }
            }
        }
    }

    var texts: [String] { get throws { try notifications.map(\.text) } }

    func close(_ text: String) throws {
        let shown = try #require(try notifications.first { $0.text == text })
        let request = EngineRequest.remove(group: shown.group, notification: shown.id).json
        let client = EngineClientID(
            engine: engine, number: test.store.index.engines.nextClient())
        for _ in 0..<2 {
            try test.expectDone(.engine(.request(client, Array(request.utf8))))
        }
    }
}
