import Base
import Delivery
import Foundation
import Testing
import WebPush

@testable import Mailbox

@Suite("The store")
struct StoreTests {
    let test: TestStore
    let device: UInt32
    let address: Address

    init() throws {
        test = try TestStore()
        device = try test.addDevice()
        address = try test.register(device).address
    }

    @Test("A stored message comes back whole, also after a restart")
    func roundTrip() throws {
        let content = MessageContent(
            body: [0, 1, 255],
            headers: PayloadHeaders(
                encoding: .aesgcm, encryption: Array("salt=abc".utf8),
                cryptoKey: Array("dh=def".utf8)),
            topic: Topic("t-1"), urgency: .veryLow, ttl: 99)
        let sent = try test.message(address)
        let message = Message(
            id: sent.id, location: sent.location, address: address, sequence: sent.sequence,
            content: content, arrival: 1_234, expiry: sent.expiry)
        guard case .stored = try test.run(.store(message)) else { throw AnswerBox.Missing() }
        for _ in 0..<2 {
            let stored = try #require(try test.waiting(device).first)
            #expect(stored.reference == message.reference)
            #expect(stored.location == message.location)
            #expect(stored.content == content)
            #expect(stored.arrival == 1_234)
            #expect(stored.expiry == message.expiry)
            try test.restart()
        }
    }

    @Test("Messages are read in order of acceptance, whatever the order of commits")
    func order() throws {
        let messages = try (0..<10).map { try test.message(address, "\($0)") }
        for message in messages.reversed() { _ = try test.run(.store(message)) }
        #expect(try test.bodies(device) == (0..<10).map { "\($0)" })
    }

    @Test("A backlog is read in pages, and messages stored meanwhile come after them")
    func pages() throws {
        let test = try TestStore { $0.limits.pageMessages = 3 }
        let device = try test.addDevice()
        let address = try test.register(device).address
        let early = try test.message(address, "accepted early, stored late")
        let messages = try (0..<8).map { try test.keep(address, "\($0)") }
        guard case .page(let first) = try test.load(.messages(PageRequest(device: device)))
        else { throw AnswerBox.Missing() }
        #expect(first.messages.count == 3)
        // Both are posted to the session with their positions, and must not arrive twice.
        for message in [early, try test.message(address, "late")] {
            guard case .stored(let position) = try test.run(.store(message)) else {
                throw AnswerBox.Missing()
            }
            #expect(position > first.through)
        }
        _ = try test.run(.acknowledge(messages[4].reference))
        var bodies: [String] = []
        var next = first.next
        while let request = next {
            guard case .page(let page) = try test.load(.messages(request)) else {
                throw AnswerBox.Missing()
            }
            #expect(page.through == first.through)
            bodies += page.messages.map { String(decoding: $0.content.body, as: UTF8.self) }
            next = page.next
        }
        #expect(bodies == ["3", "5", "6", "7"])
    }

    @Test("An acknowledgement ends one message, for good")
    func acknowledge() throws {
        let messages = try (0..<3).map { try test.keep(address, "\($0)") }
        #expect(try test.run(.acknowledge(messages[1].reference)) == .done)
        #expect(try test.run(.acknowledge(messages[1].reference)) == .notFound)
        #expect(try test.run(.acknowledgeByID(messages[2].id, device: device + 1)) == .notFound)
        #expect(try test.run(.acknowledgeByID(messages[2].id, device: device)) == .done)
        try test.restart()
        #expect(try test.bodies(device) == ["0"])
    }

    @Test("A message that is acknowledged in the same batch is never written")
    func acknowledgedInBatch() throws {
        let messages = try (0..<100).map { try test.message(address, "\($0)") }
        // The first keeps the writer busy while the others queue up.
        _ = try test.keep(address)
        let tickets = messages.map { message in
            (test.submit(.store(message)), test.submit(.acknowledge(message.reference)))
        }
        for (stored, acknowledged) in tickets {
            let outcome = try test.box.outcome(stored)
            if case .stored = outcome {} else { #expect(outcome == .acknowledged) }
            #expect(try test.box.outcome(acknowledged) == .done)
        }
        #expect(try test.bodies(device) == ["body"])
        #expect(test.store.index.usage(ofDevice: device).messages == 1)
    }

    @Test("A message replaces the one with its topic, even if it is acknowledged in the same batch")
    func acknowledgedReplacement() throws {
        let topics = (0..<50).map { "topic-\($0)" }
        for topic in topics { try test.keep(address, "former", topic: topic) }
        let messages = try topics.map { try test.message(address, "new", topic: $0) }
        try test.keep(address)
        let tickets = messages.map { message in
            (test.submit(.store(message)), test.submit(.acknowledge(message.reference)))
        }
        for (_, acknowledged) in tickets {
            #expect(try test.box.outcome(acknowledged) == .done)
        }
        #expect(try test.bodies(device) == ["body"])
        #expect(test.store.index.usage(ofDevice: device).messages == 1)
    }

    @Test("The location alone is enough to withdraw a message")
    func withdraw() throws {
        let message = try test.keep(address)
        let kept = try test.keep(address, "kept")
        let unknown = LocationID(high: message.location.high, low: message.location.low ^ 1)
        #expect(try test.run(.withdraw(unknown)) == .notFound)
        try test.restart()
        #expect(try test.run(.withdraw(message.location)) == .withdrawn(message.reference))
        #expect(try test.run(.withdraw(message.location)) == .notFound)
        #expect(try test.waiting(device).map(\.id) == [kept.id])
    }

    @Test("A message replaces the one with its topic, on its own subscription only")
    func topic() throws {
        let other = try test.register(device).address
        try test.keep(address, "first", topic: "a")
        try test.keep(address, "other topic", topic: "b")
        try test.keep(other, "other subscription", topic: "a")
        let second = try test.keep(address, "second", topic: "a")
        let expected = ["other topic", "other subscription", "second"]
        #expect(try test.bodies(device) == expected)
        #expect(test.store.index.usage(ofDevice: device).messages == 3)
        try test.restart()
        #expect(try test.bodies(device) == expected)
        #expect(try test.run(.withdraw(second.location)) == .withdrawn(second.reference))
    }

    @Test(
        "An ended subscription is gone for good with its messages, and accepts no more",
        .alone("a node calls an endpoint ended only a second later"))
    func unregister() throws {
        let ended = try test.register(device)
        try test.keep(ended.address, "ended")
        try test.keep(address, "stays")
        let late = try test.message(ended.address, "late")
        #expect(
            test.store.index.endpoint(ended.digest)
                == .found(Endpoint(address: ended.address, kind: .channel, sender: .anyone)))
        try test.expectDone(.unregister(subscription: ended.address.subscription))
        #expect(try test.run(.store(late)) == .notFound)
        #expect(
            try test.run(.unregister(subscription: ended.address.subscription)) == .notFound)
        for _ in 0..<2 {
            #expect(test.store.index.endpoint(ended.digest) == .gone)
            #expect(try test.bodies(device) == ["stays"])
            #expect(test.store.index.usage(ofDevice: device).messages == 1)
            try test.restart()
        }
    }

    @Test("No number is used twice, whatever ended before a restart")
    func counters() throws {
        let last = try test.register(device).address.subscription
        let message = try test.keep(address)
        try test.expectDone(.unregister(subscription: last))
        _ = try test.run(.acknowledge(message.reference))
        try test.restart()
        #expect(test.store.index.nextSubscription() > last)
        #expect(test.store.index.nextDevice() > device)
        #expect(test.store.index.nextSequence() > message.sequence)
        let next = try test.message(address)
        guard case .stored(let position) = try test.run(.store(next)) else {
            throw AnswerBox.Missing()
        }
        #expect(position > 1)
    }

    @Test("Subscriptions come back with channel and token; the first correct key is bound once")
    func subscriptions() throws {
        let free = try test.register(device, sender: .firstKey)
        let hash = KeyHash(try test.digest())
        let bind = StoreOperation.bindKey(subscription: free.address.subscription, hash)
        try test.expectDone(bind)
        #expect(try test.run(bind) == .notFound)
        for _ in 0..<2 {
            #expect(
                test.store.index.endpoint(free.digest)
                    == .found(
                        Endpoint(address: free.address, kind: .channel, sender: .key(hash))))
            guard case .subscriptions(let found) = try test.load(.subscriptions(device: device))
            else { throw AnswerBox.Missing() }
            #expect(found.count == 2)
            #expect(found[1].channel == free.channel)
            #expect(found[1].token.bytes == free.token.bytes)
            #expect(found[1].digest == free.digest)
            #expect(found[1].sender == .key(hash))
            try test.restart()
        }
    }

    @Test("A subscription without a device, and an endpoint that exists already, are refused")
    func refusedRegistrations() throws {
        #expect(try test.run(.register(try test.subscription(device + 1))) == .notFound)
        let subscription = try test.register(device)
        let again = Subscription(
            address: Address(
                subscription: test.store.index.nextSubscription(), device: device),
            kind: .channel, channel: subscription.channel, sender: .anyone,
            token: subscription.token, digest: subscription.digest, created: 1)
        #expect(try test.run(.register(again)) == .conflict)
    }

    @Test(
        "Registering a channel again, after a lost answer, ends the former subscription",
        .alone("a node calls an endpoint ended only a second later"))
    func channelRegisteredTwice() throws {
        let first = try test.register(device)
        try test.keep(first.address, "first")
        let made = try test.subscription(device)
        let second = Subscription(
            address: made.address, kind: .channel, channel: first.channel, sender: .anyone,
            token: made.token, digest: made.digest, created: 3)
        try test.expectDone(.register(second))
        for _ in 0..<2 {
            #expect(test.store.index.endpoint(first.digest) == .gone)
            #expect(test.store.index.endpoint(second.digest) != .gone)
            #expect(try test.bodies(device) == [])
            #expect(test.store.index.usage(ofDevice: device).messages == 0)
            try test.restart()
        }
    }

    @Test("A connection registers nothing after a newer one of its device has said hello")
    func lateRegistration() throws {
        try test.expectDone(.touchDevice(device, at: 10))
        try test.expectDone(.touchDevice(device, at: 11))
        let made = try test.subscription(device)
        try test.expectDone(.register(made, seen: 11))
        let late = Subscription(
            address: try test.subscription(device).address, kind: .channel, channel: made.channel,
            sender: .anyone, token: made.token, digest: made.digest, created: 3)
        #expect(try test.run(.register(late, seen: 10)) == .unavailable)
        #expect(test.store.index.endpoint(made.digest) != .gone)
    }

    @Test("A device is told apart whose endpoints were made under another address")
    func addresses() throws {
        try test.store.serve(at: "https://old.example")
        let device = try test.addDevice()
        try test.expectDone(.touchDevice(device, at: 1))
        try test.restart()
        try test.store.serve(at: "https://new.example")
        #expect(try test.run(.touchDevice(device, at: 2)) == .conflict)
        let address = try test.register(device).address
        try test.keep(address, "waits")
        #expect(try test.run(.retireDevice(device)) == .conflict)
        try test.expectDone(.unregister(subscription: address.subscription))
        try test.expectDone(.retireDevice(device))
        #expect(try test.run(.touchDevice(device, at: 3)) == .notFound)
        #expect(try test.run(.retireDevice(device)) == .notFound)
        let newer = try test.addDevice()
        try test.expectDone(.touchDevice(newer, at: 4))
    }

    @Test(
        "Devices are found by their user agent; those of a credential end with it",
        .alone("a node calls an endpoint ended only a second later"))
    func credentials() throws {
        let secret = try test.digest()
        let credential = DeviceCredential(
            row: test.store.index.nextCredential(), secret: secret, name: "laptop",
            owner: "uid:1000", created: 5)
        try test.expectDone(.addCredential(credential))
        let userAgent = try test.digest()
        let owned = try test.addDevice(credential: credential.row, userAgent: userAgent)
        let subscription = try test.register(owned)
        try test.expectDone(.touchCredential(credential.row, at: 77))
        try test.expectDone(.touchDevice(owned, at: 78))
        try test.restart()
        #expect(test.store.index.credential(secret)?.name == "laptop")
        #expect(test.store.index.credential(secret)?.owner == "uid:1000")
        #expect(test.store.index.credential(secret)?.lastSeen == 77)
        #expect(
            test.store.index.userAgent(userAgent)
                == StoreIndex.UserAgent(device: owned, credential: credential.row))
        #expect(test.store.index.userAgent(secret) == nil)
        guard case .credentials(let all) = try test.load(.credentials) else {
            throw AnswerBox.Missing()
        }
        #expect(all.map(\.name) == ["laptop"])
        try test.expectDone(.removeCredential(credential.row))
        for _ in 0..<2 {
            #expect(test.store.index.credential(secret) == nil)
            #expect(test.store.index.userAgent(userAgent) == nil)
            #expect(test.store.index.endpoint(subscription.digest) == .gone)
            try test.restart()
        }
        let orphan = KnownUserAgent(
            row: test.store.index.nextDevice(), userAgent: try test.digest(),
            credential: credential.row, created: 1)
        #expect(try test.run(.addDevice(orphan)) == .notFound)
    }

    @Test("Many operations share a commit, and each has its answer")
    func groupCommit() throws {
        let messages = try (0..<2_000).map { try test.message(address, "\($0)") }
        let tickets = messages.map { test.submit(.store($0)) }
        var positions: [Int64] = []
        for ticket in tickets {
            if case .stored(let position) = try test.box.outcome(ticket) {
                positions.append(position)
            }
        }
        #expect(positions.count == 2_000)
        #expect(positions == positions.sorted())
        #expect(test.box.batches.max() ?? 0 > 10)
        #expect(try test.waiting(device).count == 2_000)
    }
}
