import Base
import Crypto
import Delivery
import Foundation
import TestSupport
import Testing
import Topics
import WebPush

@testable import Mailbox

extension TestStore {
    static let code = "k7mq2wxd9fhp"

    /// Makes a forward of a topic, or of all of an owner. Its number is returned.
    func makeForward(
        of topic: TestTopic?, owner: String = "admin", confirmed: Bool = true,
        expecting outcome: StoreOutcome = .done
    ) throws -> UInt32 {
        let keys = try ReceiverKeys.generate()
        let row = store.index.nextDevice()
        let target = PushTarget(
            key: keys.privateKey.publicKey, auth: keys.auth, form: .web, signer: 1,
            code: Self.code)
        let callback = Callback(row: row, url: "https://push.example/needle-\(row)", target)
        let introduction = OutboxEvent(
            ForwardedMessage(try message("code", time: 1), named: "x", code: Self.code),
            as: try MessageID(from: &random), keptFor: 86_400)
        let forward = Forward(row: row, owner: owner, topic: topic?.device)
        let made = try run(.forward(.make(forward, callback, introduction: introduction)))
        guard made == outcome else { throw Unexpected(outcome: made) }
        if confirmed, outcome == .done {
            try expectDone(.forward(.confirm(row, code: Self.code)))
        }
        return row
    }

    func forwards(of owner: String? = nil) throws -> [ForwardRecord] {
        guard case .forwards(let forwards) = try load(.forwards(owner: owner)) else {
            throw AnswerBox.Missing()
        }
        return forwards
    }

    fileprivate func soon(_ body: () throws -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: 30)
        while try !body() {
            guard Date() < deadline else { throw AnswerBox.Missing() }
            usleep(2_000)
        }
    }

    /// Delivers until nothing waits; returns the texts.
    func deliverForwarded(_ row: UInt32) throws -> [String] {
        var texts: [String] = []
        while let head = try record(row)?.head {
            let message = ForwardedMessage.decoded(head.body)
            texts.append(message?.message.content.text ?? "damaged")
            try settle(row, .delivered)
        }
        return texts
    }
}

@Suite("Forwards in the store")
struct ForwardStoreTests {
    @Test("What comes to a topic waits for each of its forwards, in the same transaction")
    func messages() throws {
        let test = try TestStore()
        let (first, second) = (try test.addTopic("builds"), try test.addTopic("alerts"))
        let one = try test.makeForward(of: first)
        let all = try test.makeForward(of: nil)
        let other = try test.makeForward(of: second)
        let message = try test.post("hello", to: first, sequence: "job", isShown: true)
        for row in [one, all] {
            let head = try #require(try test.record(row)?.head)
            let waiting = try #require(ForwardedMessage.decoded(head.body))
            #expect(waiting.message == message && waiting.topic == "builds")
            #expect(waiting.origin == nil && waiting.code.isEmpty)
        }
        #expect(try test.record(other)?.head == nil)
        try test.restart()
        #expect(try test.atWork().sorted() == [one, all])
        #expect(try test.deliverForwarded(all) == ["hello"])
        #expect(try test.deliverForwarded(one) == ["hello"])
    }

    @Test("What is only for streams, for an account or came far enough is not forwarded")
    func left() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let row = try test.makeForward(of: nil)
        try test.post("shown", to: topic, isShown: true)
        try test.post("only for streams", to: topic)
        try test.post("", to: topic, .delete, sequence: "another")
        for hops in [1, 2] as [UInt8] {
            var post = TopicPost(try test.message("after \(hops)", time: 1), keptFor: 60)
            post.origin = ForwardOrigin(server: "there", id: "m\(hops)", hops: hops)
            let message = try test.message(topic.address, "x", level: .clear)
            let push = try test.push(topic.device)
            _ = try test.run(.registration(.receive(message, nil, push, post)))
        }
        #expect(try test.deliverForwarded(row) == ["shown", "after 1"])
    }

    @Test("What was deleted meanwhile is not forwarded, however it was deleted")
    func deleted() throws {
        let test = try TestStore()
        let (topic, other) = (try test.addTopic("builds"), try test.addTopic("alerts"))
        let row = try test.makeForward(of: nil)
        let sent = try test.post("by its sender", to: topic, isShown: true)
        try test.post("by the reader", to: topic, isShown: true)
        try test.post("with its topic", to: other, isShown: true)
        try test.post("stays", to: topic, isShown: true)
        try test.post("", to: topic, .delete, sequence: sent.sequence)
        let entries = try test.page([topic]).entries
        let read = try #require(
            entries.first { $0.message.content.text == "by the reader" })
        try test.expectDone(
            .registration(.erase(.message(position: read.position, of: [topic.device]))))
        try test.expectDone(.registration(.end(device: other.device)))
        #expect(try test.forwards().map(\.waiting) == [1])
        let bytes = try test.number("SELECT bytes FROM callback WHERE row = \(row)")
        #expect(try test.number("SELECT sum(size) FROM callback_event") == bytes)
        #expect(try test.deliverForwarded(row) == ["stays"])
    }

    @Test("A scheduled message is forwarded when it is due")
    func scheduled() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let row = try test.makeForward(of: topic)
        let due = test.store.clock.time(at: test.clocks.now).adding(seconds: 600)
        let post = TopicPost(try test.message("later", time: 700), keptFor: 3_600)
        try test.expectDone(
            .registration(.schedule(ScheduledPost(post, to: topic.address, at: due, isShown: true)))
        )
        #expect(try test.record(row)?.head == nil)
        test.clocks.advance(seconds: 601)
        try test.post("wake", to: topic)
        try test.soon { try test.record(row)?.head != nil }
        #expect(try test.deliverForwarded(row) == ["later"])
    }

    @Test("Nothing is forwarded before the code has come back, and after a day nothing is left")
    func confirming() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let row = try test.makeForward(of: topic, confirmed: false)
        try test.post("early", to: topic, isShown: true)
        #expect(try test.deliverForwarded(row) == ["code"])
        #expect(try test.record(row)?.state == .unconfirmed)
        #expect(try test.run(.forward(.confirm(row, code: "k7mq2wxd9fhq"))) == .conflict)
        #expect(try test.run(.forward(.confirm(row, code: ""))) == .conflict)
        try test.expectDone(.forward(.confirm(row, code: TestStore.code)))
        try test.expectDone(.forward(.confirm(row, code: TestStore.code)))
        try test.post("now", to: topic, isShown: true)
        #expect(try test.deliverForwarded(row) == ["now"])

        let late = try test.makeForward(of: topic, confirmed: false)
        test.clocks.advance(seconds: Int64(Forward.timeToConfirm) + 1)
        try test.soon {
            try test.post("wake", to: topic)
            return try test.forwards().map(\.forward.row) == [row]
        }
        #expect(try test.run(.forward(.confirm(late, code: TestStore.code))) == .notFound)
        #expect(try test.rows("callback") == 1)
    }

    @Test("A forward ends with its topic, its owner, its push service and by wish")
    func ends() throws {
        let test = try TestStore()
        let topic = try test.addTopic("builds", owner: "ann")
        let kept = try test.addTopic("alerts", owner: "ann")
        let (one, all) = (
            try test.makeForward(of: topic, owner: "ann"),
            try test.makeForward(of: nil, owner: "ann")
        )
        let gone = try test.makeForward(of: kept, owner: "ann")
        let wished = try test.makeForward(of: kept, owner: "ann")
        try test.post("x", to: topic, isShown: true)
        try test.post("y", to: kept, isShown: true)
        try test.expectDone(.registration(.end(device: topic.device)))
        #expect(try test.forwards().map(\.forward.row) == [all, gone, wished])
        #expect(try test.record(one) == nil)
        try test.settle(gone, .gone)
        #expect(!test.store.index.callbacks.isGone(gone))
        try test.expectDone(.forward(.end(wished)))
        #expect(try test.run(.forward(.end(wished))) == .notFound)
        #expect(try test.forwards().map(\.forward.row) == [all])
        #expect(try test.rows("callback_event") == 1)
        guard case .owners(let owners) = try test.load(.owners) else { throw AnswerBox.Missing() }
        let owner = try #require(owners.first { $0.name == "ann" })
        try test.expectDone(.forgetOwner(owner.row))
        for table in ["forward", "callback", "callback_event"] {
            #expect(try test.rows(table) == 0, "\(table)")
        }
    }

    @Test("A message dies with the history's copy of it, and never sooner than it can be sent")
    func death() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let row = try test.makeForward(of: topic)
        let now = test.store.clock.time(at: test.clocks.now)
        for (lifetime, life) in [(0, 60), (3_600, 3_600), (90 * 86_400, 28 * 86_400)] {
            try test.post("x", to: topic, lifetime: UInt32(lifetime), isShown: true)
            let head = try #require(try test.record(row)?.head)
            #expect(head.dies == now.adding(seconds: UInt32(life)))
            try test.settle(row, .delivered)
        }
    }

    @Test("What the push service said last is known, and whose forward it is")
    func listed() throws {
        let test = try TestStore()
        let topic = try test.addTopic("builds", owner: "ann")
        let row = try test.makeForward(of: topic, owner: "ann")
        _ = try test.addTopic("others", owner: "bob")
        _ = try test.makeForward(of: nil, owner: "bob")
        func answer(_ status: Int, _ result: AttemptRecord.Result, _ body: String = "") throws {
            try test.post("x", to: topic, isShown: true)
            let head = try #require(try test.record(row)?.head)
            var record = AttemptRecord(callback: row, position: head.position, result: result)
            record.answer = PushServiceAnswer(
                status: status, retryAfter: nil, body: Array(body.utf8), now: 0)
            try test.expectDone(.callback(.record(record)))
        }
        let listed = try #require(try test.forwards(of: "ann").first)
        #expect(listed.status == nil && listed.delivered == nil && listed.state == .active)
        #expect(listed.registration?.id == topic.registration.id)
        try answer(201, .delivered)
        let taken = try #require(try test.forwards(of: "ann").first)
        #expect(taken.status == 201 && taken.reason == nil)
        #expect(taken.delivered == test.clocks.now.wall / 1_000)
        try answer(400, .refused, "BadWebPushTopic")
        try test.restart()
        let refused = try #require(try test.forwards(of: "ann").first)
        #expect(refused.status == 400 && refused.reason == "BadWebPushTopic")
        #expect(refused.delivered == taken.delivered && refused.waiting == 0)
        #expect(try test.forwards(of: "ann").count == 1 && test.forwards().count == 2)
    }

    @Test("There is a limit, and no forward of what does not exist or belongs to another")
    func limits() throws {
        let test = try TestStore()
        let topic = try test.addTopic("builds", owner: "ann")
        _ = try test.makeForward(of: topic, owner: "bob", expecting: .notFound)
        _ = try test.makeForward(of: nil, owner: "bob", expecting: .notFound)
        for _ in 0..<OwnerLimits.forwards {
            _ = try test.makeForward(of: topic, owner: "ann", confirmed: false)
        }
        _ = try test.makeForward(
            of: topic, owner: "ann", expecting: .registration(.tooMany))
    }

    @Test("Where it goes stands nowhere in the file")
    func sealed() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        _ = try test.makeForward(of: topic)
        try test.post("haystack", to: topic, isShown: true)
        test.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: test.path) {
            guard let data = FileManager.default.contents(atPath: test.path + "/" + name) else {
                continue
            }
            for word in ["needle-", TestStore.code, "haystack"] {
                #expect(data.firstRange(of: Data(word.utf8)) == nil, "\(word) in \(name)")
            }
        }
    }

    @Test("Another node has the same forwards, and what waits for them")
    func followed() throws {
        let group = try FollowingTests.Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let topic = try first.addTopic()
        let row = try first.makeForward(of: topic, confirmed: false)
        try group.settle()
        try second.expectDone(.forward(.confirm(row, code: TestStore.code)))
        try second.post("hello", to: topic, isShown: true)
        try group.settle()
        for store in [first, second] {
            #expect(try store.forwards().map(\.state) == [.active])
            let head = try #require(try store.record(row)?.head)
            #expect(ForwardedMessage.decoded(head.body)?.message.content.text == "hello")
        }
        try group.expectAlike()
    }

    @Test("An export names what is forwarded and what waits, and no endpoint")
    func export() throws {
        let test = try TestStore()
        let topic = try test.addTopic("builds", owner: "ann")
        _ = try test.makeForward(of: topic, owner: "ann")
        try test.post("hello", to: topic, isShown: true)
        let owner = test.store.index.owner(ofDevice: topic.device)
        let export = StoreExport(.owner(owner))
        var bytes: [UInt8] = []
        while case .export(let part?) = try test.load(.export(export)) { bytes += part }
        let text = String(decoding: bytes, as: UTF8.self)
        let root = try #require(
            try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        let forwards = try #require(root["forwards"] as? [[String: Any]])
        #expect(forwards.map { $0["registration"] as? String } == [topic.registration.id.text])
        let events = try #require(root["callback_events"] as? [[String: Any]])
        let message = events.first?["message"] as? [String: Any]
        #expect(message?["message"] as? String == "hello")
        #expect(!text.contains("needle") && !text.contains(TestStore.code))
    }

    @Test("A record that was cut is none, whatever kind it is of", arguments: [true, false])
    func cut(isPush: Bool) throws {
        let keys = try ReceiverKeys.generate()
        let target = PushTarget(
            key: keys.privateKey.publicKey, auth: keys.auth, form: .ntfy, signer: 3, code: "code")
        let callback =
            isPush
            ? Callback(row: 1, url: "https://push.example/x", target)
            : Callback(row: 1, url: "https://push.example/x", userID: 7, secrets: [])
        let bytes = CallbackCode.bytes(callback)
        let head = bytes.count - callback.url.utf8.count
        for length in bytes.indices {
            let read = CallbackCode.callback(row: 1, bytes.span.extracting(0..<length))
            #expect((read == nil) == (length < head))
        }
        let whole = CallbackCode.callback(row: 1, bytes.span)
        let read = try #require(whole)
        #expect(read.url == callback.url && read.userID == callback.userID)
        guard case .push(let again) = read.kind else { return #expect(!isPush) }
        #expect(again.key == target.key && again.form == .ntfy && again.signer == 3)
        #expect(again.code == "code" && again.auth.count == 16)
    }
}
