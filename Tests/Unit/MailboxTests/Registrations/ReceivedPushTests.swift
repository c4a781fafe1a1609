import Base
import Crypto
import Delivery
import SQLite
import Testing
import WebPush

import enum Notifications.TrustLevel

@testable import Mailbox

@Suite("Pushes for registrations in the store")
struct ReceivedPushTests {
    private static let day: Int64 = 86_400

    private func mark(_ byte: UInt8) -> ReplayMark {
        let bytes = InlineArray<32, UInt8>(repeating: byte)
        return ReplayMark(Digest(bytes), device: 1)
    }

    private let repeated = StoreOutcome.registration(.repeated)

    @Test("A body repeated within 30 days is stored once, even across a restart")
    func replay() throws {
        let test = try TestStore()
        let (registration, subscription) = try test.addRegistration(
            #"{"token_type":10,"app":"a","account":"b","expires":31536000}"#)
        guard case .stored = try test.receive(subscription.address, "x", mark: mark(1)) else {
            Issue.record("not stored")
            return
        }
        #expect(try test.receive(subscription.address, "x", mark: mark(1)) == repeated)
        guard case .stored = try test.receive(subscription.address, "y", mark: mark(2)) else {
            Issue.record("another one is not stored")
            return
        }
        try test.restart()
        #expect(try test.receive(subscription.address, "x", mark: mark(1)) == repeated)
        // A repetition takes no room.
        #expect(test.store.index.usage(ofDevice: registration.device).messages == 2)
        #expect(try test.fetch(registration.device).bodies == ["x", "y"])
        #expect(try test.receive(subscription.address, "x", mark: mark(1)) == repeated)
        try test.pass(seconds: 30 * Self.day + 1)
        guard case .stored = try test.receive(subscription.address, "x", mark: mark(1)) else {
            Issue.record("the mark did not expire")
            return
        }
    }

    @Test("A push replaces the former notification of its topic, at its own endpoint only")
    func topics() throws {
        let test = try TestStore()
        let terms = #"{"token_type":10,"app":"a","account":"b","dialect":"plain"}"#
        let endpoints = try (0..<2).map { _ in try test.addRegistration(terms).1.address }
        let engine = endpoints[0].device
        for (text, endpoint, topic) in [
            ("first", 0, "a"), ("other topic", 0, "b"), ("elsewhere", 1, "a"), ("plain", 0, nil),
            ("second", 0, "a"),
        ] {
            _ = try test.receive(endpoints[endpoint], text, topic: topic)
        }
        for _ in 0..<2 {
            let shown = try test.welcomes([engine])[0].joined()
            #expect(!shown.contains("first"))
            for text in ["second", "other topic", "elsewhere", "plain"] {
                #expect(shown.contains(text))
            }
            try test.restart()
        }
    }

    private func isWithdrawn(_ location: LocationID, _ test: TestStore) throws -> Bool {
        if case .withdrawn = try test.run(.withdraw(location)) { true } else { false }
    }

    @Test("A withdrawn push takes its notification back")
    func withdrawn() throws {
        let test = try TestStore()
        let (registration, subscription) = try test.addRegistration(
            #"{"token_type":10,"app":"a","account":"b","dialect":"plain"}"#)
        let engine = registration.device
        let push = try test.push(engine)
        func send(_ text: String, topic: String? = nil) throws -> LocationID {
            let message = try test.message(
                subscription.address, text, topic: topic, level: .webpush)
            _ = try test.run(.registration(.receive(message, nil, push)))
            return message.location
        }
        // A viewer fetches nothing.
        func welcome() throws -> String {
            try test.welcomes([engine], EngineRole(isFetcher: false))[0].joined()
        }
        let locations = [
            try send("alpha"), try send("beta", topic: "t"), try send("gamma"),
        ]
        let before = try welcome()
        #expect(["alpha", "beta", "gamma"].allSatisfy { before.contains($0) })
        for location in locations.dropLast() {
            #expect(try isWithdrawn(location, test))
        }
        for _ in 0..<2 {
            let after = try welcome()
            #expect(!after.contains("alpha") && !after.contains("beta"))
            #expect(after.contains("gamma"))
            try test.restart()
        }
    }

    @Test(
        "A withdrawn push takes its notification back when nothing waits, too",
        arguments: [
            #"{"token_type":10,"app":"a","account":"b","dialect":"plain"}"#,
            #"{"token_type":10,"app":"script","account":"b","dialect":"plain","clear":true,"trust_clear":true}"#,
            #"{"token_type":10,"app":"a","account":"b","dialect":"declarative"}"#,
        ])
    func withdrawnLate(terms: String) throws {
        let test = try TestStore()
        let (registration, subscription) = try test.addRegistration(terms)
        let engine = registration.device
        let push = try test.push(engine)
        let locations = try ["alpha", "beta"].map { text in
            // It has a name of its sender's, and is not alone in its payload.
            let declared =
                #"{"web_push":8030,"notification":{"title":"\#(text)","tag":"\#(text)"},"#
                + #""app_badge":1}"#
            let payload = registration.terms.dialect == .declarative ? declared : text
            let message = try test.message(subscription.address, payload, level: .webpush)
            _ = try test.run(.registration(.receive(message, nil, push)))
            return message.location
        }
        _ = try test.fetch(engine)
        let before = try test.welcomes([engine])[0].joined()
        #expect(before.contains("alpha") && before.contains("beta"))
        for location in [locations[0], LocationID(high: 1, low: 2)] {
            #expect(try test.run(.withdraw(location)) == .notFound)
        }
        for _ in 0..<2 {
            let after = try test.welcomes([engine])[0].joined()
            #expect(!after.contains("alpha") && after.contains("beta"))
            try test.restart()
        }
    }

    @Test("A withdrawn push takes back only what it could have replaced")
    func withdrawnLevel() throws {
        let test = try TestStore()
        let (registration, subscription) = try test.addRegistration(
            #"{"token_type":10,"app":"a","account":"b","dialect":"plain"}"#)
        let push = try test.push(registration.device)
        for (text, level) in [("strong", TrustLevel.webpush), ("weak", .clear)] {
            let message = try test.message(
                subscription.address, text, topic: "t", level: level)
            _ = try test.run(.registration(.receive(message, nil, push)))
            guard level == .clear else { continue }
            #expect(try isWithdrawn(message.location, test))
        }
        #expect(try test.welcomes([registration.device])[0].joined().contains("strong"))
    }

    @Test("What a stronger push made of a message stays, however often the weaker one is withdrawn")
    func withdrawnTwice() throws {
        let test = try TestStore()
        let (registration, subscription) = try test.addRegistration(
            #"{"token_type":10,"app":"telegram","account":"a"}"#)
        let push = try test.push(registration.device)
        let messages = try [("weak", TrustLevel.clear), ("strong", .webpush)].map { text, level in
            let payload =
                #"{"loc_key":"MESSAGE_TEXT","loc_args":["A","\#(text)"],"#
                + #""custom":{"from_id":"5","msg_id":"1"}}"#
            let message = try test.message(subscription.address, payload, level: level)
            _ = try test.run(.registration(.receive(message, nil, push)))
            return message
        }
        for _ in 0..<2 {
            _ = try test.run(.withdraw(messages[0].location))
            #expect(try test.welcomes([registration.device])[0].joined().contains("strong"))
        }
    }

    @Test("A withdrawn push is taken back from each account that got it")
    func withdrawnEverywhere() throws {
        let test = try TestStore()
        let (registration, subscription) = try test.addRegistration(
            #"{"token_type":10,"app":"telegram","account":"a","user_id":1,"other_user_ids":[2]}"#)
        let (other, _) = try test.addRegistration(
            #"{"token_type":10,"app":"telegram","account":"b","user_id":2}"#)
        let engines = [registration.device, other.device]
        func shown() throws -> [Bool] {
            try test.welcomes(engines, EngineRole(isFetcher: false)).map {
                $0.joined().contains("a text")
            }
        }
        let payload =
            #"{"loc_key":"MESSAGE_TEXT","loc_args":["A","a text"],"#
            + #""custom":{"from_id":"5","msg_id":"1"}}"#
        let message = try test.message(subscription.address, payload, level: .webpush)
        let push = try test.push(registration.device)
        _ = try test.run(.registration(.receive(message, nil, push)))
        #expect(try shown() == [true, true])
        #expect(try isWithdrawn(message.location, test))
        #expect(try shown() == [false, false])
    }

    @Test("A body with TTL zero still leaves its mark")
    func nowOrNever() throws {
        let test = try TestStore()
        let (registration, subscription) = try test.addRegistration()
        #expect(try test.receive(subscription.address, "x", mark: mark(1), ttl: 0) == .done)
        #expect(try test.receive(subscription.address, "x", mark: mark(1)) == repeated)
        #expect(try test.fetch(registration.device).bodies == [])
    }

    @Test(
        "A push leaves nothing behind if one account of its endpoint cannot be read",
        .alone("it changes the file by hand"))
    func damagedAccount() throws {
        let test = try TestStore()
        let (registration, subscription) = try test.addRegistration(
            #"{"token_type":10,"app":"telegram","account":"a","user_id":1,"other_user_ids":[2]}"#)
        let (other, _) = try test.addRegistration(
            #"{"token_type":10,"app":"telegram","account":"b","user_id":2}"#)
        func receive(_ rest: String, _ number: UInt8) throws -> StoreOutcome {
            let payload =
                #"{"loc_key":"MESSAGE_TEXT","loc_args":["A","x"],"#
                + #""custom":{"from_id":"5","msg_id":"1"}\#(rest)}"#
            return try test.receive(subscription.address, payload, mark: mark(number))
        }
        try test.restart {
            try Connection(test.path + "/" + WriterDatabase.fileName, .readWrite).execute(
                "UPDATE engine SET sealed = zeroblob(200) WHERE row = \(other.device)")
        }
        for (rest, number) in [("", 1), ("", 1), (#","user_id":2"#, 2)] as [(String, UInt8)] {
            #expect(try receive(rest, number) == .unavailable)
        }
        #expect(try test.bodies(registration.device) == [])
        #expect(test.store.index.usage(ofDevice: registration.device).messages == 0)
        guard case .stored = try receive(#","user_id":1"#, 1) else {
            Issue.record("a push for the other account alone is not stored")
            return
        }
    }

    @Test("Unreadable pushes are counted by reason")
    func counters() throws {
        let test = try TestStore()
        let (registration, _) = try test.addRegistration()
        for reason in ["bad-tag", "no-p", "bad-tag"] {
            try test.expectDone(
                .registration(.count(device: registration.device, reason: reason)))
        }
        try test.restart()
        #expect(try test.undecryptable(registration.id) == ["bad-tag": 2, "no-p": 1])
    }

    @Test("The first fetch returns everything, the next one nothing")
    func fetch() throws {
        let test = try TestStore()
        let (registration, subscription) = try test.addRegistration()
        for number in 0..<200 { _ = try test.receive(subscription.address, "\(number)") }
        let expected = (0..<200).map(String.init)
        #expect(try test.bodies(registration.device) == expected)
        #expect(try test.fetch(registration.device).bodies == expected)
        #expect(try test.fetch(registration.device).bodies == [])
        #expect(test.store.index.usage(ofDevice: registration.device).messages == 0)
        try test.restart()
        #expect(try test.fetch(registration.device).bodies == [])
    }

    @Test("Waiting signals are merged into one, even across a restart")
    func signals() throws {
        let test = try TestStore()
        let (registration, subscription) = try test.addRegistration()
        for number: UInt64 in 1...3 {
            let signal = FetchSignal(
                id: MessageID(high: 0, low: number), version: .max - number, arrival: 5,
                expiry: test.now.adding(seconds: 60))
            try test.expectDone(.registration(.signal(signal, subscription.address)))
        }
        try test.restart()
        let waiting = try test.fetch(registration.device).signals.waiting
        #expect(waiting?.count == 3 && waiting?.version == .max - 3)
        #expect(waiting?.id == MessageID(high: 0, low: 1))
        #expect(try test.fetch(registration.device).signals == FetchSignals())
        try test.expectDone(.registration(.end(device: registration.device)))
        let late = FetchSignal(
            id: MessageID(high: 0, low: 9), version: nil, arrival: 5, expiry: test.now)
        #expect(
            try test.run(.registration(.signal(late, subscription.address))) == .notFound)
    }

    @Test("A repeated request gets the same answer for a day")
    func idempotency() throws {
        let test = try TestStore()
        let (request, body, other) = (try test.digest(), try test.digest(), try test.digest())
        func create(_ body: Digest, _ answer: String) throws -> StoreOutcome {
            let (registration, subscription) = try test.draft()
            let kept = KeptAnswer(request: request, body: body, answer: Array(answer.utf8))
            return try test.run(
                .registration(
                    .create(registration, subscription, credential: nil, limit: nil, kept)))
        }
        #expect(try create(body, "first") == .done)
        let again = StoreOutcome.registration(.answered(Array("first".utf8)))
        #expect(try create(body, "second") == again)
        #expect(try create(other, "third") == .registration(.otherRequest))
        try test.restart()
        #expect(try create(body, "fourth") == again)
        guard case .registration(.all(let all)) = try test.load(.registration(.all(owner: nil)))
        else {
            Issue.record("no list")
            return
        }
        #expect(all.count == 1)
        try test.pass(seconds: Self.day + 1)
        #expect(try create(other, "fifth") == .done)
    }

    @Test("A recently read registration is cached until it changes")
    func cache() throws {
        let test = try TestStore()
        let (registration, _) = try test.addRegistration()
        let cache = test.store.index.registrations
        #expect(cache[registration.device] == nil)
        _ = try test.load(.registration(.ofDevice(registration.device)))
        #expect(cache[registration.device]?.registration.id == registration.id)
        // A registration read before a change is not cached after it.
        let generation = cache.generation
        var changed = registration
        changed.pause()
        try test.expectDone(.registration(.change(changed, from: 0, adding: nil)))
        #expect(cache[registration.device] == nil)
        cache.put(registration, size: 100, readIn: generation)
        #expect(cache[registration.device] == nil)
    }

    @Test("The cache is limited in registrations and in bytes")
    func cacheBounds() throws {
        let test = try TestStore()
        let registrations = try (0..<5).map { _ in try test.draft().0 }
        for (limit, size) in [(2, 1), (100, 50)] {
            let cache = RegistrationCache(limit: limit, byteLimit: 100)
            for registration in registrations {
                cache.put(registration, size: size, readIn: cache.generation)
                #expect(registrations.count { cache[$0.device] != nil } <= 2)
                #expect(cache[registration.device] != nil)
            }
        }
    }
}
