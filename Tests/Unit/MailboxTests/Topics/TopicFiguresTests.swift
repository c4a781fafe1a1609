import Delivery
import Foundation
import TestSupport
import Testing
import Topics

@testable import Mailbox

@Suite("What topics keep, in exports and figures")
struct TopicFiguresTests {
    private func owner(_ name: String, _ test: TestStore) throws -> Owner {
        guard case .owners(let owners) = try test.load(.owners) else { throw AnswerBox.Missing() }
        return try #require(owners.first { $0.name == name })
    }

    private func schedule(_ text: String, to topic: TestTopic, _ test: TestStore) throws {
        let post = TopicPost(try test.message(text, time: 160), keptFor: 3_600)
        let due = test.now.adding(seconds: 60)
        try test.expectDone(
            .registration(
                .schedule(ScheduledPost(post, to: topic.address, at: due, isShown: false))))
    }

    private func document(_ subject: ExportSubject, _ test: TestStore) throws -> String {
        let export = StoreExport(subject, StoreExport.Room(bytes: 200, rows: 2))
        var bytes: [UInt8] = []
        while true {
            guard case .export(let part) = try test.load(.export(export)) else {
                throw AnswerBox.Missing()
            }
            guard let part else { return String(decoding: bytes, as: UTF8.self) }
            bytes += part
        }
    }

    private func list(_ name: String, _ document: String) throws -> [[String: Any]] {
        let root = try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any]
        return try #require(root?[name] as? [[String: Any]])
    }

    @Test("Each topic says how much it keeps, and when its last message came")
    func kept() throws {
        let test = try TestStore()
        let (first, second) = (
            try test.addTopic("one", owner: "ann"), try test.addTopic("two", owner: "ann")
        )
        let other = try test.addTopic("other", owner: "bob")
        let message = try test.post("one", to: first, time: 100)
        try test.post("two", to: first, time: 170)
        try test.post("", to: first, .clear, sequence: message.id.text, time: 200)
        try test.post("of bob", to: other, time: 300)
        func kept(of topic: TestTopic) throws -> [UInt32: KeptMessages] {
            let owner = test.store.index.owner(ofDevice: topic.device)
            guard case .topic(.kept(let kept)) = try test.load(.topic(.kept(owner: owner))) else {
                throw AnswerBox.Missing()
            }
            return kept
        }
        let ofAnn = try kept(of: first)
        #expect(Set(ofAnn.keys) == [first.device, second.device])
        let one = try #require(ofAnn[first.device])
        #expect(one.count == 3 && one.bytes > 0 && one.newest == 170)
        #expect(ofAnn[second.device] == KeptMessages(count: 0, bytes: 0, newest: nil))
        #expect(try kept(of: other)[other.device]?.newest == 300)
        guard case .topic(.kept(let none)) = try test.load(.topic(.kept(owner: 9_999))) else {
            throw AnswerBox.Missing()
        }
        #expect(none.isEmpty)
    }

    @Test("The export of an owner has the whole history, and what comes later")
    func export() throws {
        let test = try TestStore()
        let (first, second) = (
            try test.addTopic("one", owner: "ann"), try test.addTopic("two", owner: "ann")
        )
        let other = try test.addTopic("other", owner: "bob")
        let kept = try (0..<5).map { try test.post("kept \($0)", to: $0 < 3 ? first : second) }
        try test.post("", to: first, .delete, sequence: kept[1].id.text)
        try test.post("unkept", to: first, lifetime: 0)
        try test.post("of bob", to: other)
        try schedule("later", to: second, test)
        try test.expectDone(.addCredential(try test.token("laptop", owner: "ann")))
        let text = try document(.owner(owner("ann", test).row), test)
        let history = try list("history", text)
        #expect(
            history.map { $0["message"] as? String }
                == ["kept 0", "kept 2", nil, "kept 3", "kept 4"])
        #expect(history[0]["id"] as? String == kept[0].id.text)
        #expect(history[0]["registration"] as? String == first.registration.id.text)
        #expect(history[2]["event"] as? String == "message_delete")
        #expect(try list("scheduled", text).map { $0["message"] as? String } == ["later"])
        #expect(try list("tokens", text).map { $0["name"] as? String } == ["laptop"])
        #expect(try list("devices", text).isEmpty)
        #expect(!text.contains("unkept") && !text.contains("bob"))
    }

    @Test("An owner's figures have the history and what comes later, and lose what has left")
    func figures() throws {
        let test = try TestStore()
        let topic = try test.addTopic("one", owner: "ann")
        #expect(try owner("ann", test).keptMessages == 0)
        let message = try test.post("text", to: topic)
        try schedule("later", to: topic, test)
        let sizes = try test.number(
            """
            SELECT (SELECT sum(length(sealed)) FROM topic_message)
            + (SELECT sum(length(sealed)) FROM topic_scheduled)
            """)
        let figures = try owner("ann", test)
        #expect(figures.keptMessages == 2 && figures.keptBytes == Int(sizes))
        try test.restart()
        #expect(test.store.report.kept == 2)
        try test.post("", to: topic, .delete, sequence: message.id.text)
        try test.post("second", to: topic)
        #expect(try owner("ann", test).keptMessages == 3)
        try test.expectDone(.registration(.end(device: topic.device)))
        let none = try owner("ann", test)
        #expect(none.keptMessages == 0 && none.keptBytes == 0)
    }

    @Test("A backup says how many messages it has, and forgetting an owner leaves none")
    func ends() throws {
        let test = try TestStore()
        let topic = try test.addTopic("one", owner: "ann")
        try test.post("needle", to: topic)
        try schedule("needle later", to: topic, test)
        let backup = try BackupFile(try test.backUp()) { _, _, _ in }
        #expect(backup.figures.kept == 2)
        try test.expectDone(.forgetOwner(try owner("ann", test).row))
        for table in ["topic", "topic_message", "topic_scheduled", "topic_name"] {
            #expect(try test.rows(table) == 0, "\(table)")
        }
        #expect(try test.number("SELECT count(*) FROM topic_owner WHERE sealed <> x''") == 0)
    }
}
