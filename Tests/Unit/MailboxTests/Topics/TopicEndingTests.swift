import Base
import Delivery
import Foundation
import SQLite
import TestSupport
import Testing
import Topics

@testable import Mailbox

@Suite("What is left of topics that ended")
struct TopicEndingTests {
    private func owner(_ name: String, _ test: TestStore) throws -> UInt32 {
        guard case .owners(let owners) = try test.load(.owners) else {
            throw AnswerBox.Missing()
        }
        return try #require(owners.first { $0.name == name }).row
    }

    @Test("An owner who was forgotten and returns has a new key, and no position twice")
    func forgottenOwner() throws {
        let test = try TestStore()
        let topic = try test.addTopic("builds", owner: "ann")
        for index in 0..<3 { try test.post("\(index)", to: topic) }
        let last = try #require(try test.page([topic]).entries.first).position
        try test.expectDone(.forgetOwner(try owner("ann", test)))
        let again = try test.addTopic("builds", owner: "ann")
        try test.post("new", to: again)
        for _ in 0..<2 {
            let entries = try test.page([again]).entries
            #expect(entries.map(\.message.content.text) == ["new"])
            #expect(entries.allSatisfy { $0.position > last })
            try test.restart()
        }
    }

    @Test("Nothing of a forgotten device's topics is in the file, although their owner stays")
    func forgottenDevice() throws {
        let test = try TestStore()
        try test.addTopic("others", owner: "ann")
        let device = DeviceCredential(
            row: test.store.index.nextCredential(), secret: try test.digest(), name: "desk",
            owner: "ann", created: 1)
        try test.expectDone(.addCredential(device))
        let (registration, subscription) = try test.draft(
            test.topicTerms("builds"), owner: "ann")
        try test.expectDone(
            .registration(
                .create(registration, subscription, credential: device.row, limit: nil, nil)))
        let topic = TestTopic(registration: registration, address: subscription.address)
        for index in 0..<20 { try test.post("\(index)", to: topic) }
        try test.expectDone(.forgetCredential(device.row))
        #expect(try test.rows("topic_message") == 0 && test.rows("topic") == 1)
    }

    @Test("A deletion also deletes where nothing is kept any more")
    func unkeptDeletion() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let message = try test.post("text", to: topic)
        try test.post("", to: topic, .delete, sequence: message.id.text, lifetime: 0)
        #expect(try test.texts(topic) == [])
    }

    @Test("A reader goes on from a message that was not kept")
    func unkept() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        try test.post("before", to: topic)
        let unkept = try test.post("unkept", to: topic, lifetime: 0)
        try test.post("after", to: topic)
        #expect(try test.texts(topic, since: .id(unkept.id)) == ["after"])
    }

    @Test(
        "What left a topic after a backup does not come back, nor do its former names",
        .alone("only a store of one machine is restored"))
    func restored() throws {
        let test = try TestStore()
        let topic = try test.addTopic("builds", #"{"secret_name":"s_old"}"#)
        let posted = try (0..<4).map { try test.post("\($0)", to: topic) }
        let path = try test.backUp()
        try test.post("", to: topic, .delete, sequence: posted[1].id.text)
        try test.post("lost", to: topic)
        var changed = topic.registration
        var terms = TopicTerms()
        terms.secretName = TopicName("s_new")
        changed.set(topic: terms)
        try test.expectDone(.registration(.change(changed, from: 0, adding: nil)))
        try test.restore(path, former: true)
        #expect(try test.texts(topic) == ["0", "2", "3"])
        let (old, new) = (
            try #require(TopicName("s_old")), try #require(TopicName("s_new"))
        )
        #expect(try test.device(.secret(old)) == nil)
        #expect(try test.device(.secret(new)) == topic.device)
        #expect(try test.number("SELECT count FROM topic") == 3)
        #expect(try test.number("SELECT gone FROM topic") == 1)
        try test.post("next", to: topic)
        #expect(try test.texts(topic, since: .id(posted[3].id)) == ["next"])
    }

    @Test(
        "An owner who was forgotten after a backup has no key after its restore",
        .alone("only a store of one machine is restored"), arguments: [false, true])
    func restoredOwner(returns: Bool) throws {
        let test = try TestStore()
        try test.post("text", to: try test.addTopic("builds", owner: "ann"))
        let path = try test.backUp()
        try test.expectDone(.forgetOwner(try owner("ann", test)))
        if returns { try test.addTopic("builds", owner: "ann") }
        try test.restore(path, former: true)
        #expect(try test.rows("topic_message") == 0)
        #expect(try test.number("SELECT count(*) FROM topic_owner WHERE sealed <> x''") == 0)
    }

    @Test("An owner has a thousand topics")
    func limit() throws {
        let test = try TestStore()
        for number in 0..<OwnerLimits.topics { try test.addTopic("t\(number)") }
        let (registration, subscription) = try test.draft(test.topicTerms("more"))
        #expect(
            try test.run(
                .registration(
                    .create(registration, subscription, credential: nil, limit: nil, nil)))
                == .registration(.tooMany))
        try test.addTopic("more", owner: "other")
    }
}

extension TestStore {
    /// What the file has now.
    func number(_ sql: String) throws -> Int64 {
        try Connection(options.folder + "/" + WriterDatabase.fileName, .readOnly).number(sql)
    }

    func rows(_ table: String) throws -> Int64 { try number("SELECT count(*) FROM \(table)") }
}
