import Base
import Crypto
import Synchronization
import Testing
import WebPush

import enum Notifications.Update

@testable import Mailbox

@Suite("Callback events of a registration")
struct RegistrationCallbackTests {
    private static let day: Int64 = 86_400
    private static let terms = """
        {"token_type":10,"app":"a","account":"b","callback":"https://app.example/",\
        "expires":864000}
        """

    /// A registration whose callback has been confirmed.
    private func confirmed(
        _ test: TestStore, _ terms: String = terms
    ) throws -> (Registration, Subscription) {
        let (registration, subscription) = try test.draft(terms)
        let callback = Callback(
            row: registration.device, url: "https://app.example/", userID: nil,
            secrets: [Callback.SigningSecret(try Random.secret(count: 32))])
        let hello = OutboxEvent(id: MessageID(high: 1, low: 1), body: [1], isPush: false)
        try test.expectDone(
            .registration(
                .create(registration, subscription, credential: nil, limit: nil, nil),
                telling: [.make(callback, introduction: hello)]))
        try confirm(test, registration)
        return (registration, subscription)
    }

    /// Delivers the first event of the outbox.
    private func confirm(_ test: TestStore, _ registration: Registration) throws {
        let head = try #require(try record(test, registration)?.head)
        try test.expectDone(
            .callback(
                .record(
                    AttemptRecord(
                        callback: registration.device, position: head.position,
                        result: .delivered))))
    }

    private func record(
        _ test: TestStore, _ registration: Registration
    ) throws -> CallbackRecord? {
        guard case .callback(let record) = try test.load(.callback(registration.device)) else {
            throw TestStore.NoRegistration()
        }
        return record
    }

    private func event(_ test: TestStore, _ registration: Registration) throws -> String {
        let body = try record(test, registration)?.head?.body ?? []
        return String(decoding: body, as: UTF8.self)
    }

    @Test("The callback is warned once before the registration ends, and told of the end last")
    func expiry() throws {
        let test = try TestStore()
        let (registration, _) = try confirmed(test)
        try test.pass(seconds: 7 * Self.day + Self.day / 2 - 1)
        #expect(try event(test, registration) == "")
        try test.pass(seconds: 2)
        // The test's clock starts at 1,700,000,000.
        let end = CivilTime(secondsSince1970: 1_700_000_000 + 10 * Self.day).rfc3339
        let warning = try event(test, registration)
        #expect(warning.contains(#""type":"registration.expiring""#))
        #expect(warning.contains(#""expires":"\#(end)""#))
        #expect(warning.contains(#""registration":"\#(registration.id.text)","account":"b""#))
        try test.restart()
        try confirm(test, registration)
        try test.pass(seconds: Self.day)
        #expect(try event(test, registration) == "")
        try test.pass(seconds: 2 * Self.day)
        #expect(try event(test, registration).contains(#""type":"registration.expired""#))
        #expect(try test.find(registration.id) == nil)
        #expect(try record(test, registration)?.state == .ending)
        try confirm(test, registration)
        #expect(try record(test, registration) == nil)
    }

    @Test("A sign of life cancels the warning")
    func signOfLife() throws {
        let test = try TestStore()
        let (registration, _) = try confirmed(test)
        try test.pass(seconds: 8 * Self.day)
        try confirm(test, registration)
        var seen = try #require(try test.find(registration.id))
        let revision = seen.revision
        let isWritten = seen.recordSignOfLife(at: test.now)
        #expect(isWritten)
        try test.expectDone(.registration(.change(seen, from: revision, adding: nil)))
        try test.pass(seconds: 7 * Self.day)
        #expect(try event(test, registration) == "")
        try test.pass(seconds: Self.day)
        #expect(try event(test, registration).contains("registration.expiring"))
    }

    @Test(
        "Only the callback is told what to register with, at each start and every day",
        .alone("the callbacks of a cluster are reminded once a day"))
    func reminders() throws {
        let test = try TestStore()
        let (registration, _) = try confirmed(test)
        let (other, _) = try test.addRegistration()
        func begin() throws {
            test.store.remind { #"{"token":"\#($0.id.text)"}"# }
            try test.pass(seconds: 0)
        }
        let reminder =
            #""type":"registration.refresh","timestamp":"2023-11-14T22:13:20Z","data":{"#
            + #""registration":"\#(registration.id.text)","account":"b","#
            + #""register_device":{"token":"\#(registration.id.text)"}}}"#
        #expect(try event(test, registration) == "")
        try begin()
        #expect(try event(test, registration) == "{" + reminder)
        #expect(try record(test, other) == nil)
        try confirm(test, registration)
        try test.pass(seconds: Self.day - 1)
        #expect(try event(test, registration) == "")
        try test.pass(seconds: 1)
        #expect(try event(test, registration).contains("registration.refresh"))
        try confirm(test, registration)
        try test.restart()
        #expect(try event(test, registration) == "")
        try begin()
        #expect(try event(test, registration).contains("registration.refresh"))
        try confirm(test, registration)
        #expect(try record(test, registration)?.head == nil)
        // A rotation causes the event too.
        var rotated = try #require(try test.find(registration.id))
        let (target, subscription) = try test.target(registration.device)
        let revision = rotated.revision
        try test.pass(seconds: Self.day - 10)
        rotated.rotate(to: target, at: test.now)
        try test.expectDone(.registration(.change(rotated, from: revision, adding: subscription)))
        try test.pass(seconds: Self.day - 1)
        #expect(try event(test, registration) == "")
        try test.pass(seconds: 1)
        #expect(try event(test, registration).contains("registration.refresh"))
    }

    @Test("The callback is told when the user's session expires, and when the user is back")
    func session() throws {
        let test = try TestStore()
        let terms = Self.terms.replacing(
            "}", with: #","dialect":"icq","session_timeout":600}"#)
        let (registration, _) = try confirmed(test, terms)
        func change(_ body: (inout Registration) -> Void) throws {
            var changed = try #require(try test.find(registration.id))
            let revision = changed.revision
            body(&changed)
            try test.expectDone(.registration(.change(changed, from: revision, adding: nil)))
        }
        func told() throws -> String {
            let event = try event(test, registration)
            guard let data = event.range(of: #"","online":"#) else { return event }
            #expect(event.contains(#""type":"registration.session""#))
            try confirm(test, registration)
            return String(event[data.upperBound...])
        }
        try test.pass(seconds: 599)
        #expect(try told() == "")
        try test.pass(seconds: 1)
        #expect(try told() == #"false,"mobile":false,"until":null}}"#)
        try test.restart()
        try test.pass(seconds: 600)
        #expect(try told() == "")
        // Another client was in use meanwhile, which changes nothing.
        try change { $0.pause() }
        #expect(try told() == "")
        try change { _ = $0.recordSignOfLife(at: test.now) }
        // 1,700,000,000 plus 1,800 seconds.
        #expect(try told() == #"true,"mobile":true,"until":"2023-11-14T22:43:20Z"}}"#)
        try change { $0.pause() }
        #expect(try told() == #"false,"mobile":false,"until":null}}"#)
        // A client of the engine is a sign of life.
        let (engines, engine) = (test.store.index.engines, registration.device)
        try test.expectDone(
            .engine(
                .join(
                    EngineClientID(engine: engine, number: engines.nextClient()),
                    EngineRole())))
        #expect(try told().hasPrefix("true"))
        #expect(try record(test, registration)?.head == nil)
    }

    /// A listener that ignores everything.
    private final class Nobody: StoreListener {
        func receive(_ news: [EngineNews]) {}
        func storeReturned() {}
    }

    @Test("The callback is told what to register with when a client returns after an hour")
    func clients() throws {
        let test = try TestStore()
        let (registration, _) = try confirmed(test)
        test.store.remind { _ in "{}" }
        try test.pass(seconds: 0)
        // At the start a store of its own reminds all.
        if !TestStore.areFollowed { try confirm(test, registration) }
        let (engines, nobody) = (test.store.index.engines, Nobody())
        let engine = registration.device
        func visit() throws {
            engines.listen(nobody, to: engine)
            try test.expectDone(
                .engine(
                    .join(
                        EngineClientID(engine: engine, number: engines.nextClient()),
                        EngineRole())))
            engines.stopListening(nobody, to: engine, at: test.now)
        }
        try visit()
        try test.pass(seconds: 3_599)
        try visit()
        #expect(try record(test, registration)?.head == nil)
        try test.pass(seconds: 3_600)
        try visit()
        #expect(try event(test, registration).contains("registration.refresh"))
        try confirm(test, registration)
        #expect(try record(test, registration)?.head == nil)
    }

    @Test("An action waits for the callback too, and its answer takes the action")
    func actions() throws {
        let test = try TestStore()
        let (registration, _) = try confirmed(
            test,
            #"{"token_type":10,"app":"telegram","account":"b","callback":"https://app.example/"}"#)
        let engine = registration.device
        let client = EngineClientID(engine: engine, number: 1)
        func ask(_ request: String) throws {
            try test.expectDone(.engine(.request(client, Array(request.utf8))))
        }
        /// The ids of the waiting actions.
        func owed() throws -> [Int64] {
            let (listener, index) = (WelcomeListener(), test.store.index.engines)
            index.listen(listener, to: engine)
            index.addFetcher(of: engine)
            try test.expectDone(.engine(.join(client, EngineRole())))
            _ = try test.run(.touchDevice(0, at: 0))
            index.removeFetcher(of: engine)
            index.stopListening(listener, to: engine, at: test.now)
            return listener.actions
        }
        for (id, text) in [(11, "one"), (12, "two")] {
            try ask(Self.push(id: id))
            try ask(
                #"{"@type":"bellwire.invokeNotificationAction","notification_group_id":1,"notification_id":\#(id - 10),"action":"reply","text":"\#(text)"}"#
            )
        }
        #expect(try owed() == [1, 2])
        try test.restart()
        let told = try event(test, registration)
        #expect(told.contains(#""type":"notification.action""#))
        #expect(told.contains(#""id":"1","chat_id":5,"#) && told.contains(#""text":"one""#))
        #expect(told.contains(#""data":{"from_id":"5","msg_id":"11"}"#))
        #expect(try owed() == [1, 2], "it was not answered yet")
        try confirm(test, registration)
        #expect(try owed() == [2])
        try test.restart()
        #expect(try owed() == [2])
        // A client has taken it; the callback still gets it, under the same number.
        try ask(#"{"@type":"bellwire.actionTaken","id":2}"#)
        #expect(try event(test, registration).contains(#""id":"2""#))
        try confirm(test, registration)
        #expect(try owed() == [])
    }

    @Test("An action that nobody took in an hour is counted for the log and told to no application")
    func expiredActions() throws {
        let expired = Tally()
        let test = try TestStore { $0.onExpiredActions = { expired.add($0) } }
        let (registration, _) = try test.addRegistration()
        let client = EngineClientID(engine: registration.device, number: 1)
        try test.expectDone(.engine(.request(client, Array(Self.push(id: 1).utf8))))
        let open =
            #"{"@type":"bellwire.invokeNotificationAction","notification_group_id":1,"notification_id":1,"action":"default"}"#
        try test.expectDone(.engine(.request(client, Array(open.utf8))))
        try test.pass(seconds: 3_599)
        try test.expectDone(.engine(.advance(engine: registration.device)))
        #expect(expired.count == 0)
        try test.pass(seconds: 1)
        try test.expectDone(.engine(.advance(engine: registration.device)))
        #expect(expired.count == 1)
    }

    /// A message that a client passes in.
    private static func push(id: Int) -> String {
        #"{"@type":"processPushNotification","payload":"{\"loc_key\":\"MESSAGE_TEXT\",\"loc_args\":[\"Ada\",\"m\"],\"custom\":{\"from_id\":\"5\",\"msg_id\":\"\#(id)\"}}"}"#
    }

    private final class Tally: Sendable {
        private let sum = Mutex(0)
        func add(_ count: Int) { sum.withLock { $0 += count } }
        var count: Int { sum.withLock { $0 } }
    }

    private final class WelcomeListener: StoreListener {
        private let told = Mutex<[Int64]>([])

        func receive(_ news: [EngineNews]) {
            for item in news {
                guard case .welcome(let updates, _, _) = item.content else { continue }
                for case .notificationAction(let action) in updates {
                    told.withLock { $0.append(action.id) }
                }
            }
        }

        func storeReturned() {}
        var actions: [Int64] { told.withLock { $0 } }
    }

    @Test(
        "Any number of callbacks are each reminded once at the start",
        .alone("the callbacks of a cluster are reminded once a day"))
    func round() throws {
        let test = try TestStore()
        let registrations = try (0..<150).map { _ in try confirmed(test).0 }
        test.store.remind { _ in "{}" }
        try test.pass(seconds: 0)
        for _ in 0..<50 where test.store.index.reminders.isUnderWay {
            try test.pass(seconds: 0)
        }
        for registration in registrations {
            #expect(try event(test, registration).contains("registration.refresh"))
            try confirm(test, registration)
            #expect(try record(test, registration)?.head == nil)
        }
    }

    @Test("A session ended elsewhere is the callback's last event, and all registrations are gone")
    func revoked() throws {
        let test = try TestStore()
        let (registration, subscription) = try confirmed(test)
        let (second, other) = try confirmed(test)
        let date = test.clocks.now.wall / 1_000
        func revocation(_ date: Int64) -> String {
            #"{"date":\#(date),"data":{"loc_key":"SESSION_REVOKE"}}"#
        }
        _ = try test.receive(subscription.address, revocation(date))
        _ = try test.receive(
            subscription.address, revocation(date - 29 * Self.day), level: .mtproto)
        #expect(try test.find(registration.id) != nil)
        // For the one under a secret, the client has to ask although it is old.
        #expect(try event(test, registration).contains("push.fetch"))
        try confirm(test, registration)
        _ = try test.receive(subscription.address, revocation(date), level: .mtproto)
        for (one, subscription) in [(registration, subscription), (second, other)] {
            #expect(try test.find(one.id) == nil)
            #expect(test.answer(subscription) == .gone)
            #expect(try event(test, one).contains("session.revoked"))
            try confirm(test, one)
            #expect(try record(test, one) == nil)
        }
        let join = EngineClientID(engine: registration.device, number: 1)
        #expect(try test.run(.engine(.join(join, EngineRole()))) == .notFound)
    }

    @Test("The callback is told what there is to fetch, with the details from the payload")
    func fetch() throws {
        let test = try TestStore()
        let (registration, subscription) = try confirmed(test)
        _ = try test.receive(
            subscription.address,
            #"{"loc_key":"PHONE_CALL_REQUEST","loc_args":["A"],"custom":{"from_id":5,"call_id":"77"}}"#
        )
        let told = try event(test, registration)
        #expect(told.contains("push.fetch") && told.contains(#""call_id":"77""#))
    }

    @Test("ICQ's payloads wait to be fetched even if there is a callback")
    func icq() throws {
        let test = try TestStore()
        let (registration, subscription) = try confirmed(
            test,
            #"{"token_type":10,"app":"icq","account":"b","callback":"https://app.example/"}"#)
        _ = try test.receive(subscription.address, "x")
        #expect(try test.bodies(registration.device) == ["x"])
    }

    @Test("A repetition causes no event, and a push is refused if the outbox is full")
    func pushes() throws {
        let test = try TestStore()
        let (registration, subscription) = try confirmed(test)
        let mark = ReplayMark(
            Digest(InlineArray<32, UInt8>(repeating: 1)), device: registration.device)
        func receive(_ body: [UInt8], _ mark: ReplayMark?) throws -> StoreOutcome {
            let message = try test.message(subscription.address, "x")
            let event = OutboxEvent(id: message.id, body: body, isPush: true)
            return try test.run(
                .registration(
                    .receive(message, mark, try test.push(registration.device)),
                    telling: [.add(event, to: registration.device)]))
        }
        #expect(try receive([2], mark) == .done)
        #expect(try receive([3], mark) == .registration(.repeated))
        try confirm(test, registration)
        #expect(try record(test, registration)?.head == nil)
        let huge = [UInt8](repeating: 0x61, count: 16 << 20)
        #expect(try receive(huge, nil) == .done)
        #expect(try receive([4], nil) == .full)
        // A message that the callback has does not also wait to be fetched.
        #expect(try test.bodies(registration.device) == [])
        #expect(test.store.index.usage(ofDevice: registration.device).messages == 0)
    }
}
