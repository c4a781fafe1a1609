import Base
import Crypto
import Delivery
import Foundation
import TestSupport
import Testing
import WebPush

@testable import Mailbox

extension TestStore {
    func callback(_ row: UInt32, secrets: [[UInt8]] = [[1, 2, 3]]) -> Callback {
        Callback(
            row: row, url: "https://hook.example/\(row)", userID: row == 9 ? 1_000 : nil,
            secrets: secrets.map { Callback.SigningSecret(Secret($0.span)) })
    }

    func event(
        _ text: String, ttl: UInt32 = 0, isPush: Bool = true
    ) throws -> OutboxEvent {
        var random = RandomSupply()
        return OutboxEvent(
            id: try MessageID(from: &random), body: Array(text.utf8), ttl: ttl, isPush: isPush)
    }

    func make(_ row: UInt32) throws {
        try expectDone(.callback(.make(callback(row), introduction: try event("created"))))
    }

    func record(_ row: UInt32) throws -> CallbackRecord? {
        guard case .callback(let record) = try load(.callback(row)) else {
            throw AnswerBox.Missing()
        }
        return record
    }

    @discardableResult
    func settle(_ row: UInt32, _ result: AttemptRecord.Result) throws -> String? {
        guard let head = try record(row)?.head else { return nil }
        try expectDone(
            .callback(
                .record(AttemptRecord(callback: row, position: head.position, result: result))))
        return String(decoding: head.body, as: UTF8.self)
    }

    /// Delivers until nothing waits; returns what was delivered.
    func deliverAll(_ row: UInt32) throws -> [String] {
        var bodies: [String] = []
        while let body = try settle(row, .delivered) { bodies.append(body) }
        return bodies
    }

    func atWork() throws -> [UInt32] {
        guard case .callbacks(let rows) = try load(.callbacks) else { throw AnswerBox.Missing() }
        return rows
    }
}

@Suite("Callbacks in the store")
struct CallbackStoreTests {
    @Test("A callback and its events survive a restart unchanged")
    func restart() throws {
        let test = try TestStore()
        try test.make(9)
        try test.expectDone(.callback(.add(try test.event("one", ttl: 20 * 86_400), to: 9)))
        let before = try #require(try test.record(9))
        try test.restart()
        #expect(try test.atWork() == [9])
        let record = try #require(try test.record(9))
        #expect(record.state == .unconfirmed)
        #expect(record.callback.url == "https://hook.example/9")
        #expect(record.callback.userID == 1_000)
        #expect(record.callback.secrets.count == 1)
        #expect(record.head?.id == before.head?.id)
        #expect(record.head?.isIntroduction == true)
        #expect(try test.deliverAll(9) == ["created", "one"])
        #expect(try test.record(9)?.state == .active)
        #expect(try test.atWork() == [])
    }

    @Test("A postponed event keeps its place, its id and its count")
    func postponed() throws {
        let test = try TestStore()
        try test.make(1)
        let id = try test.record(1)?.head?.id
        let due = StoreTime(milliseconds: 99_000)
        try test.settle(1, .postponed(attempts: 3, refusals: 2, due: due))
        try test.restart()
        let head = try #require(try test.record(1)?.head)
        #expect((head.attempts, head.refusals) == (3, 2))
        #expect(head.due == due)
        #expect(head.id == id)
    }

    @Test("An event and its cause are committed together")
    func together() throws {
        let test = try TestStore()
        try test.make(1)
        let (registration, subscription) = try test.addRegistration()
        let message = try test.message(subscription.address)
        let outcome = try test.run(
            .registration(
                .receive(message, nil, try test.push(registration.device)),
                telling: [.add(try test.event("push"), to: 1)]))
        guard case .stored = outcome else { throw TestStore.Unexpected(outcome: outcome) }
        #expect(try test.deliverAll(1) == ["created", "push"])
        #expect(try test.bodies(subscription.address.device) == ["body"])
    }

    @Test("A failed operation causes no event")
    func nothingHappened() throws {
        let test = try TestStore()
        try test.make(1)
        let event = try test.event("ended")
        #expect(
            try test.run(.registration(.end(device: 77), telling: [.add(event, to: 1)]))
                == .notFound)
        #expect(try test.deliverAll(1) == ["created"])
    }

    @Test("Ten thousand events fill an outbox, and a refused push leaves nothing behind")
    func fullByCount() throws {
        let test = try TestStore()
        try test.make(1)
        var ticket: UInt64 = 0
        for _ in 1..<10_000 {
            ticket = test.submit(.callback(.add(try test.event("x"), to: 1)))
        }
        #expect(try test.box.outcome(ticket) == .done)
        let (registration, subscription) = try test.addRegistration()
        let message = try test.message(subscription.address)
        let push = StoreOperation.registration(
            .receive(message, nil, try test.push(registration.device)),
            telling: [.add(try test.event("push"), to: 1)])
        #expect(try test.run(push) == .full)
        #expect(test.store.index.usage(ofDevice: subscription.address.device).messages == 0)
        #expect(try test.bodies(subscription.address.device) == [])
        // The service's own events are still accepted.
        try test.expectDone(.callback(.add(try test.event("expiring", isPush: false), to: 1)))
        #expect(try test.run(.callback(.add(try test.event("x"), to: 1))) == .full)
        try test.settle(1, .delivered)
        try test.settle(1, .delivered)
        try test.expectDone(.callback(.add(try test.event("x"), to: 1)))
    }

    @Test("16 MiB fill an outbox, and another outbox has its own room")
    func fullBySize() throws {
        let test = try TestStore()
        try test.make(1)
        try test.make(2)
        let megabyte = String(repeating: "x", count: 1 << 20)
        for _ in 0..<15 { try test.expectDone(.callback(.add(try test.event(megabyte), to: 1))) }
        #expect(try test.run(.callback(.add(try test.event(megabyte), to: 1))) == .full)
        try test.expectDone(.callback(.add(try test.event(megabyte), to: 2)))
        try test.restart()
        #expect(try test.run(.callback(.add(try test.event(megabyte), to: 1))) == .full)
    }

    @Test("Nothing is accepted after the last event, and the callback goes with it")
    func ending() throws {
        let test = try TestStore()
        try test.make(1)
        try test.settle(1, .delivered)
        try test.expectDone(.callback(.add(try test.event("one"), to: 1)))
        try test.expectDone(
            .callback(.end(callback: 1, last: try test.event("deleted", isPush: false))))
        #expect(try test.run(.callback(.add(try test.event("late"), to: 1))) == .notFound)
        try test.restart()
        #expect(try test.deliverAll(1) == ["one", "deleted"])
        #expect(try test.record(1) == nil)
        #expect(try test.run(.callback(.add(try test.event("late"), to: 1))) == .notFound)
    }

    @Test("A receiver that never confirmed anything is not told of the end")
    func endingUnconfirmed() throws {
        let test = try TestStore()
        try test.make(1)
        try test.expectDone(
            .callback(.end(callback: 1, last: try test.event("deleted", isPush: false))))
        #expect(try test.record(1) == nil)
        #expect(try test.atWork() == [])
    }

    @Test("A callback that is gone accepts nothing, and is still known as gone after a restart")
    func gone() throws {
        let test = try TestStore()
        try test.make(1)
        try test.expectDone(.callback(.add(try test.event("one"), to: 1)))
        try test.settle(1, .gone)
        #expect(test.store.index.callbacks.isGone(1))
        #expect(try test.run(.callback(.add(try test.event("two"), to: 1))) == .notFound)
        try test.restart()
        #expect(test.store.index.callbacks.isGone(1))
        #expect(try test.record(1) == nil)
        try test.expectDone(.callback(.end(callback: 1, last: nil)))
        #expect(!test.store.index.callbacks.isGone(1))
    }

    @Test("A parked event lets the next one go, and returns with a new target")
    func parked() throws {
        let test = try TestStore()
        try test.make(1)
        try test.settle(1, .delivered)
        for text in ["one", "two", "three"] {
            try test.expectDone(.callback(.add(try test.event(text), to: 1)))
        }
        #expect(try test.settle(1, .parked) == "one")
        #expect(try test.settle(1, .delivered) == "two")
        try test.make(1)
        #expect(try test.record(1)?.state == .unconfirmed)
        #expect(try test.deliverAll(1) == ["created", "one", "three"])
    }

    @Test("Waiting fetch signals are merged with their count, but not into one being sent")
    func tallies() throws {
        let test = try TestStore()
        func signal(_ count: Int = 1) throws {
            let event = try test.event("n=1;")
            let tally = OutboxEvent.Tally(count: count, digits: 2..<3)
            try test.expectDone(
                .callback(
                    .add(
                        OutboxEvent(id: event.id, body: event.body, isPush: true, tally: tally),
                        to: 1)))
        }
        try test.make(1)
        for _ in 0..<12 { try signal() }
        try test.expectDone(.callback(.add(try test.event("push"), to: 1)))
        try signal(2)
        try signal()
        #expect(try test.settle(1, .delivered) == "created")
        // It has been sent once, without success.
        let due = StoreTime(milliseconds: 0)
        #expect(
            try test.settle(1, .postponed(attempts: 1, refusals: 0, due: due)) == "n=12;")
        #expect(try test.settle(1, .delivered) == "n=12;")
        #expect(try test.settle(1, .delivered) == "push")
        #expect(test.store.index.callbacks.handOut(1))
        try signal()
        try signal()
        test.store.index.callbacks.takeBack(1)
        #expect(try test.deliverAll(1) == ["n=3;", "n=2;"])
        try signal()
        let id = try test.record(1)?.head?.id
        try test.restart()
        try signal()
        try signal()
        // Events from before the restart may have been sent.
        #expect(try test.record(1)?.head?.id == id)
        #expect(try test.deliverAll(1) == ["n=1;", "n=2;"])
    }

    @Test("A new secret signs first, and the former one also signs for a week")
    func rotation() throws {
        let test = try TestStore()
        try test.make(1)
        for secret in [[UInt8]](arrayLiteral: [4], [5, 5]) {
            try test.expectDone(.callback(.rotateSecret(callback: 1, Secret(secret.span))))
        }
        let secrets = try #require(try test.record(1)?.callback.secrets)
        #expect(secrets.map(\.secret.count) == [2, 1])
        #expect(secrets[0].expiry == nil)
        let now = test.store.clock.time(at: test.clocks.now)
        #expect(secrets[1].expiry == now.adding(seconds: 7 * 86_400))
        #expect(try test.run(.callback(.rotateSecret(callback: 2, Secret([6].span)))) == .notFound)
    }

    @Test("Events expire after a week, or with their push if that is later")
    func death() throws {
        let test = try TestStore()
        try test.make(1)
        try test.settle(1, .delivered)
        try test.expectDone(.callback(.add(try test.event("week"), to: 1)))
        try test.expectDone(.callback(.add(try test.event("month", ttl: 30 * 86_400), to: 1)))
        test.clocks.advance(seconds: 8 * 86_400)
        // Each batch is followed by a sweep of expired events.
        try test.make(2)
        try test.make(3)
        #expect(try test.deliverAll(1) == ["month"])
    }

    @Test("Listeners are told what was committed")
    func news() throws {
        let test = try TestStore()
        let heard = Heard()
        test.store.index.callbacks.listen { heard.note($0) }
        try test.make(1)
        try test.expectDone(.callback(.add(try test.event("one"), to: 1)))
        #expect(heard.callbacks == [1])
        #expect(heard.count == 2)
    }

    @Test("A record cut before its URL is rejected")
    func cut() {
        let secrets = [[UInt8](repeating: 1, count: 32), [2]].map {
            Callback.SigningSecret(Secret($0.span), expiry: StoreTime(milliseconds: 5))
        }
        let bytes = CallbackCode.bytes(
            Callback(row: 1, url: "u", userID: 7, secrets: secrets))
        for length in 0...bytes.count {
            let callback = CallbackCode.callback(row: 1, bytes.span.extracting(0..<length))
            #expect((callback != nil) == (length >= bytes.count - 1), "\(length)")
            if length == bytes.count {
                #expect(callback?.userID == 7 && callback?.url == "u")
                #expect(callback?.secrets.map(\.secret.count) == [32, 1])
            }
        }
    }

    @Test("No body, target or secret is in the files")
    func sealed() throws {
        let test = try TestStore()
        try test.expectDone(
            .callback(
                .make(
                    test.callback(1, secrets: [Array("SIGNING-SECRET".utf8)]),
                    introduction: try test.event("VISIBLE-BODY"))))
        test.close()
        let bytes = try contents(ofFolder: test.path)
        for text in ["SIGNING-SECRET", "VISIBLE-BODY", "hook.example"] {
            #expect(bytes.firstRange(of: Array(text.utf8)) == nil)
        }
        #expect(bytes.firstRange(of: Array("callback_event".utf8)) != nil)
    }

    // Unchecked: it is only touched under the lock.
    private final class Heard: @unchecked Sendable {
        private let lock = NSLock()
        private var seen: [[UInt32: CallbackNews]] = []

        var count: Int { lock.withLock { seen.count } }
        var callbacks: Set<UInt32> { lock.withLock { Set(seen.flatMap(\.keys)) } }

        func note(_ news: [UInt32: CallbackNews]) { lock.withLock { seen.append(news) } }
    }
}
