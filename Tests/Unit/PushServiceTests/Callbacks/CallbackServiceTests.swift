import Base
import Crypto
import Foundation
import HookSupport
import Mailbox
import Outbound
import System
import TestSupport
import Testing
import WebPush
@testable import PushService

@Suite("Callbacks of registrations")
struct CallbackServiceTests {
    private func url(_ hook: HookServer) -> String { "http://127.0.0.1:\(hook.port)/hook" }

    private func types(_ requests: [HookRequest]) throws -> [String] {
        try requests.map { request in
            let json = try JSONSerialization.jsonObject(with: Data(request.body))
            return (json as? [String: Any])?["type"] as? String ?? ""
        }
    }

    @Test("A confirmed callback gets every event, signed, in order, each with its own id")
    func story() throws {
        let hook = try HookServer()
        let fixture = try CallbackFixture()
        let secret = try fixture.make(1, url(hook))
        for text in ["one", "two"] { try fixture.run(.add(try fixture.message(text), to: 1)) }
        try waitUntil { try fixture.record(1)?.state == .active }
        try fixture.run(
            .end(callback: 1, last: try fixture.event(.deleted(unregisterDevice: "{}"))))
        let requests = hook.requests(4)
        try #require(
            try types(requests) == [
                "registration.created", "push.message", "push.message", "registration.deleted",
            ])
        #expect(Set(requests.map(\.id)).count == 4)
        #expect(requests[0].fields["webhook-challenge"]?.isEmpty == false)
        #expect(requests[1].fields["webhook-challenge"] == nil)
        for request in requests { #expect(try isSigned(request, by: [secret])) }
    }

    @Test("The body says what happened")
    func body() throws {
        let hook = try HookServer()
        let fixture = try CallbackFixture()
        try fixture.make(1, url(hook))
        try fixture.run(.add(try fixture.message("héllo"), to: 1))
        let requests = hook.requests(2)
        #expect(
            requests.first?.text
                == #"{"type":"registration.created","timestamp":"2026-11-21T17:25:09Z","#
                + #""data":{"registration":"r1","account":"a1","#
                + #""register_device":{"token_type":10}}}"#)
        #expect(
            requests.last?.text
                == #"{"type":"push.message","timestamp":"2026-11-21T17:25:09Z","#
                + #""data":{"registration":"r1","account":"a1","id":"AAAAAAAAAAEAAAAAAAAAAg","#
                + #""payload":"aMOpbGxv","encoding":"aes128gcm","ttl":60,"urgency":"high","#
                + #""received":"2026-11-21T17:25:09Z"}}"#)
    }

    @Test("An address that is no longer allowed gets no request, not even on an open connection")
    func noLongerAllowed() throws {
        let hook = try HookServer()
        let fixture = try CallbackFixture { settings in
            settings.client.fixedNames = ["hook.test:\(hook.port):127.0.0.1"]
            settings.dialGuard.allowed = [AddressBlock("127.0.0.0/8")].compactMap(\.self)
        }
        try fixture.make(1, "http://hook.test:\(hook.port)/hook", user: nil)
        try fixture.run(.add(try fixture.message("one"), to: 1))
        #expect(hook.requests(2).count == 2)
        try waitUntil { try fixture.record(1)?.head == nil }
        try fixture.use { $0.dialGuard.allowed = [AddressBlock("10.0.0.0/8")].compactMap(\.self) }
        try fixture.run(.add(try fixture.message("two"), to: 1))
        try waitUntil { try fixture.record(1)?.head?.attempts ?? 0 > 0 }
        try fixture.use { $0.dialGuard.allowed = [AddressBlock("127.0.0.0/8")].compactMap(\.self) }
        fixture.later(seconds: 3_600)
        #expect(hook.requests(3).count == 3)
    }

    @Test("A folder for sockets that is named while the service runs counts at once")
    func newFolder() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("hook.sock")
        let hook = try HookServer(at: .unix(path: path))
        let fixture = try CallbackFixture()
        try fixture.make(1, "unix:" + path)
        try waitUntil { try fixture.record(1)?.head?.attempts ?? 0 > 0 }
        try fixture.use { $0.unixFolder = folder.path }
        fixture.later(seconds: 600)
        #expect(hook.requests(1).count == 1)
    }

    @Test("Fetch signals that come while one is being sent make one more event")
    func signals() throws {
        let hook = try HookServer()
        let fixture = try CallbackFixture { $0.client.patience = .seconds(60) }
        try fixture.make(1, url(hook))
        try waitUntil { try fixture.record(1)?.state == .active }
        hook.reply { _ in .never }
        func signal(_ version: Int64) throws {
            try fixture.run(
                .add(try fixture.event(.fetch(count: 1, version: version)), to: 1))
        }
        try signal(1)
        #expect(hook.requests(2).last?.text.contains(#""count":1,"version":1}"#) == true)
        for version in Int64(2)...12 { try signal(version) }
        hook.reply { _ in HookAnswer() }
        fixture.stop()
        try fixture.start()
        let requests = hook.requests(4)
        #expect(requests[1].id == requests[2].id)
        #expect(requests[3].text.contains(#""count":11,"version":12}"#))
    }

    @Test("After a restart, a fetch signal is not added to an event that may have been sent")
    func signalsAfterRestart() throws {
        let hook = try HookServer()
        let fixture = try CallbackFixture { $0.client.patience = .seconds(60) }
        try fixture.make(1, url(hook))
        try waitUntil { try fixture.record(1)?.state == .active }
        hook.reply { _ in .never }
        func signal() throws {
            try fixture.run(.add(try fixture.event(.fetch(count: 1, version: nil)), to: 1))
        }
        try signal()
        #expect(hook.requests(2).count == 2)
        fixture.stop()
        try fixture.start()
        // Sent again, but not answered this time.
        #expect(hook.requests(3).count == 3)
        fixture.stop()
        try fixture.open()
        for _ in 0..<2 { try signal() }
        fixture.stop()
        hook.reply { _ in HookAnswer() }
        try fixture.start()
        let requests = hook.requests(5)
        #expect(Set(requests[1...3].map(\.id)).count == 1)
        #expect(requests[3].text.contains(#""count":1}"#))
        #expect(requests[4].text.contains(#""count":2}"#))
    }

    @Test("A receiver that was down for an hour gets every event in order, each with one id")
    func down() throws {
        let hook = try HookServer()
        let fixture = try CallbackFixture()
        try fixture.make(1, url(hook))
        try waitUntil { try fixture.record(1)?.state == .active }
        hook.reply { _ in HookAnswer(503) }
        for text in 1...5 { try fixture.run(.add(try fixture.message("\(text)"), to: 1)) }
        for count in 1...6 {
            #expect(hook.requests(1 + count).count == 1 + count)
            try waitUntil { try fixture.record(1)?.head?.attempts == count }
            if count == 6 { hook.reply { _ in HookAnswer() } }
            fixture.later(seconds: 600)
        }
        let requests = hook.requests(12)
        #expect(requests.count == 12)
        #expect(Set(requests[1...7].map(\.id)).count == 1)
        #expect(Set(requests[7...].map(\.id)).count == 5)
        for (index, request) in requests[7...].enumerated() {
            let payload = Base64URL.text(Array("\(index + 1)".utf8).span)
            #expect(request.text.contains(#""payload":"\#(payload)""#))
        }
    }

    @Test("An event sent and not recorded is sent again after a restart, with the same id")
    func restart() throws {
        let hook = try HookServer { _ in .never }
        let fixture = try CallbackFixture()
        try fixture.make(1, url(hook))
        #expect(hook.requests(1).count == 1)
        fixture.stop()
        hook.reply { HookAnswer.confirming($0) }
        try fixture.start()
        let requests = hook.requests(2)
        #expect(requests.count == 2)
        #expect(Set(requests.map(\.id)).count == 1)
        try waitUntil { try fixture.record(1)?.state == .active }
    }

    @Test("A receiver that does not confirm gets only the introduction")
    func unconfirmed() throws {
        let hook = try HookServer { _ in HookAnswer(200, [("webhook-challenge", "wrong")]) }
        let fixture = try CallbackFixture()
        try fixture.make(1, url(hook))
        try fixture.run(.add(try fixture.message("secret"), to: 1))
        _ = hook.requests(1)
        try waitUntil { try fixture.record(1)?.head?.attempts == 1 }
        fixture.later(seconds: 60)
        #expect(try types(hook.requests(2)) == Array(repeating: "registration.created", count: 2))
        #expect(Set(hook.requests.compactMap { $0.fields["webhook-challenge"] }).count == 2)
        try waitUntil { try fixture.record(1)?.head?.attempts == 2 }
        fixture.later(seconds: 3_600)
        try waitUntil { try fixture.record(1) == nil }
        #expect(hook.requests.count == 2)
        #expect(try fixture.run(.add(try fixture.message("late"), to: 1)) == .notFound)
    }

    @Test("410 removes the callback at once")
    func gone() throws {
        let hook = try HookServer {
            $0.fields["webhook-challenge"] == nil
                ? HookAnswer(410) : HookAnswer.confirming($0)
        }
        let fixture = try CallbackFixture()
        try fixture.make(1, url(hook))
        try fixture.run(.add(try fixture.message("one"), to: 1))
        try fixture.run(.add(try fixture.message("two"), to: 1))
        try waitUntil { try fixture.record(1) == nil }
        #expect(hook.requests.count == 2)
    }

    @Test("While a secret is being changed, both secrets sign")
    func rotation() throws {
        let hook = try HookServer()
        let fixture = try CallbackFixture()
        let former = try fixture.make(1, url(hook))
        _ = hook.requests(1)
        let secret = try WebhookSecret.make()
        try fixture.run(.rotateSecret(callback: 1, secret))
        try fixture.run(.add(try fixture.message("one"), to: 1))
        let both = try #require(hook.requests(2).last)
        #expect(try isSigned(both, by: [secret, former]))
        try waitUntil { try fixture.record(1)?.head == nil }
        fixture.later(seconds: 8 * 86_400)
        try fixture.run(.add(try fixture.message("two"), to: 1))
        let one = try #require(hook.requests(3).last)
        #expect(try isSigned(one, by: [secret]))
    }

    @Test("A callback of a network caller does not reach this machine")
    func stranger() throws {
        let hook = try HookServer()
        let fixture = try CallbackFixture()
        try fixture.make(1, "https://localhost:\(hook.port)/", user: nil)
        try waitUntil { try fixture.record(1)?.head?.attempts == 1 }
        #expect(hook.requests.isEmpty)
    }

    @Test("Events that waited when the service stopped are sent when it starts again")
    func waiting() throws {
        let hook = try HookServer()
        let fixture = try CallbackFixture()
        fixture.stop()
        try fixture.start()
        for row in UInt32(1)...50 { try fixture.make(row, url(hook)) }
        fixture.stop()
        try fixture.start()
        let ids = Set(hook.requests(50).map(\.id))
        #expect(ids.count == 50)
        for row in UInt32(1)...50 { try waitUntil { try fixture.record(row)?.state == .active } }
    }

    private func isSigned(_ request: HookRequest, by secrets: [Secret]) throws -> Bool {
        let fields = request.fields
        let id = try #require(fields["webhook-id"])
        let time = try #require(fields["webhook-timestamp"].flatMap { Int64($0) })
        #expect(abs(time - Int64(Date().timeIntervalSince1970)) < 60)
        var signer = try WebhookSigner()
        let expected = try signer.fields(
            id: id, seconds: time, body: request.body, secrets: secrets)
        return fields["webhook-signature"] == expected.last?.value
    }
}

/// Waits until it is true, at most a minute.
private func waitUntil(_ body: () throws -> Bool) throws {
    struct TooLate: Error {}
    let deadline = Date(timeIntervalSinceNow: 60)
    while try !body() {
        guard Date() < deadline else { throw TooLate() }
        sched_yield()
    }
}

@Suite("Signatures of callbacks")
struct WebhookSignerTests {
    @Test("A secret has the format that Standard Webhooks libraries read")
    func secret() {
        let text = WebhookSecret.text(of: Secret([UInt8](repeating: 0xFB, count: 32).span))
        #expect(text == "whsec_" + String(repeating: "+/v7", count: 10) + "+/s=")
    }
}
