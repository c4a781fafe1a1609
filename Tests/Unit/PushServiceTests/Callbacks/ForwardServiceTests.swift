import Base
import Configuration
import Crypto
import Delivery
import Foundation
import HookSupport
import Mailbox
import System
import TestSupport
import Testing
import Topics
import WebPush

@testable import PushService

@Suite("Forwards to push services")
final class ForwardServiceTests {
    private let hook: HookServer
    private let fixture: CallbackFixture
    private let keys: ReceiverKeys
    private var url: String { "http://hook.test:\(hook.port)/push" }

    init() throws {
        let hook = try HookServer { _ in HookAnswer(201) }
        self.hook = hook
        fixture = try CallbackFixture { settings in
            settings.client.fixedNames = ["hook.test", "web.push.apple.com"].map {
                "\($0):\(hook.port):127.0.0.1"
            }
            settings.dialGuard.allowed = [AddressBlock("127.0.0.0/8")].compactMap(\.self)
        }
        keys = try ReceiverKeys.generate()
    }

    /// A forward that needs no confirmation, because nothing says that it is one.
    private func make(
        _ row: UInt32 = 1, _ form: ForwardForm = .ntfy, at url: String? = nil
    ) throws {
        let target = PushTarget(
            key: keys.privateKey.publicKey, auth: keys.auth, form: form, signer: 1, code: "")
        try fixture.run(
            .make(
                Callback(row: row, url: url ?? self.url, target),
                introduction: try event("hello")))
        _ = hook.requests(1)
        try waitUntil { try fixture.record(row)?.state == .active }
    }

    private func event(
        _ text: String, priority: UInt8 = 0, sequence: String? = nil, lifetime: UInt32 = 600
    ) throws -> OutboxEvent {
        var random = RandomSupply()
        var content = TopicContent()
        (content.text, content.priority) = (text, priority)
        let message = TopicMessage(
            id: TopicMessageID(number: try random.word()), sequence: sequence,
            time: Int64(WallClock.now), keptFor: lifetime, content)
        return OutboxEvent(
            ForwardedMessage(message, named: "builds"), as: try MessageID(from: &random),
            keptFor: lifetime)
    }

    private func add(_ event: OutboxEvent, to row: UInt32 = 1) throws {
        #expect(try fixture.run(.add(event, to: row)) == .done)
    }

    private func text(of request: HookRequest) throws -> JSONNode {
        var decryptor = try Decryptor()
        let parameters = try EncryptionParameters(aes128gcm: request.body.span)
        let text = try decryptor.decrypt(request.body.span, parameters, keys: keys)
        return try #require(JSONNode(json: text))
    }

    private func token(of request: HookRequest) throws -> String {
        let field = try #require(request.fields["authorization"])
        return String(field.dropFirst("vapid t=".count).prefix { $0 != "," })
    }

    @Test("A push has all that a push service demands, and only its receiver can read it")
    func request() throws {
        try make()
        try add(try event("All is well", priority: 5, sequence: "job"))
        try add(try event("Better", priority: 2, sequence: "job", lifetime: 0))
        let requests = hook.requests(3)
        try #require(requests.count == 3)
        let first = requests[1]
        #expect(first.path == "/push")
        #expect(first.fields["content-encoding"] == "aes128gcm")
        #expect(first.fields["content-type"] == "application/octet-stream")
        #expect(first.fields["content-length"] == "\(first.body.count)")
        #expect(first.fields["transfer-encoding"] == nil && first.fields["expect"] == nil)
        #expect(first.fields["urgency"] == "high" && requests[2].fields["urgency"] == "low")
        let ttl = try #require(first.fields["ttl"].flatMap { Int($0) })
        #expect((590...600).contains(ttl) && requests[2].fields["ttl"] == "0")
        let topic = try #require(first.fields["topic"])
        #expect(topic.utf8.count == 32 && Topic(topic) != nil)
        #expect(requests[2].fields["topic"] == topic && requests[0].fields["topic"] != topic)
        let root = try text(of: first)
        #expect(root["message"]?.text == "All is well" && root["topic"]?.text == "builds")

        let field = Array(try #require(first.fields["authorization"]).utf8)
        let parts = try VAPIDAuthorization(authorization: field, cryptoKey: nil)
        let jwt = try JSONWebToken(field.span.extracting(parts.token))
        let claims = try jwt.claims(under: .vapid)
        #expect(claims.audiences == [Array("http://hook.test:\(hook.port)".utf8)])
        #expect(abs(claims.expiry - WallClock.now - 12 * 3_600) < 60)
        // Who is to be asked about it, which Apple demands.
        let said = try token(of: first).split(separator: ".")[1]
        let subject = try #require(JSONNode(json: Base64URL.decode(String(said)) ?? []))["sub"]
        #expect(subject?.text == "https://push.example")
        #expect(try requests.map(token) == Array(repeating: try token(of: first), count: 3))
    }

    @Test("Apple is told that a message may wait for a second, because it takes none that may not")
    func apple() throws {
        try make(at: "http://web.push.apple.com:\(hook.port)/push")
        try add(try event("x", lifetime: 0))
        let requests = hook.requests(2)
        #expect(requests.last?.fields["ttl"] == "1")
    }

    @Test("A text that is too long for the service comes once more, in short, and then never")
    func tooLong() throws {
        try make(1, .web)
        hook.reply { HookAnswer($0.body.count > 1_500 ? 413 : 201) }
        try add(try event(String(repeating: "long ", count: 1_000)))
        let requests = hook.requests(3)
        try #require(requests.count == 3)
        #expect((2_900...4_096).contains(requests[1].body.count))
        let shown = try text(of: requests[2])["notification"]
        #expect(shown?["body"]?.text?.hasSuffix("…") == true)
        #expect(requests[2].body.count < 1_000)
        hook.reply { _ in HookAnswer(413) }
        try add(try event("x"))
        try waitUntil { try fixture.record(1)?.head == nil }
        #expect(hook.requests.count == 5)
    }

    @Test("It waits as long as the service asks, and does not follow it elsewhere")
    func pauses() throws {
        try make()
        hook.reply { _ in HookAnswer(429, [("retry-after", "120")]) }
        try add(try event("x", lifetime: 86_400))
        try waitUntil { try fixture.record(1)?.head?.attempts == 1 }
        fixture.later(seconds: 100)
        #expect(hook.requests.count == 2)
        hook.reply { _ in HookAnswer(307, [("location", "http://127.0.0.1:1/")]) }
        fixture.later(seconds: 30)
        #expect(hook.requests(3).count == 3)
        try waitUntil { try fixture.record(1)?.head?.attempts == 2 }
        hook.reply { _ in HookAnswer(503) }
        for attempt in 3...6 {
            fixture.later(seconds: 3_700)
            try waitUntil { try fixture.record(1)?.head?.attempts == attempt }
        }
        hook.reply { _ in HookAnswer(202) }
        fixture.later(seconds: 3_700)
        try waitUntil { try fixture.record(1)?.head == nil }
        #expect(try fixture.record(1)?.state == .active)
    }

    @Test("A message that was not taken in time is dropped, and the next one is sent")
    func death() throws {
        try make()
        hook.reply { _ in HookAnswer(503) }
        try add(try event("old", lifetime: 100))
        try waitUntil { try fixture.record(1)?.head?.attempts == 1 }
        hook.reply { _ in HookAnswer(201) }
        fixture.later(seconds: 101)
        try add(try event("new"))
        try waitUntil { try fixture.record(1)?.head == nil }
        let requests = hook.requests(3)
        #expect(try text(of: try #require(requests.last))["message"]?.text == "new")
        #expect(requests.count == 3)
    }

    @Test("A refused message is dropped at once, and only an ended subscription ends the forward")
    func refusals() throws {
        try make()
        hook.reply { _ in HookAnswer(400, body: Array("BadWebPushTopic".utf8)) }
        try add(try event("x"))
        try waitUntil { try fixture.record(1)?.head == nil }
        #expect(hook.requests.count == 2)
        #expect(try fixture.record(1)?.state == .active)
        hook.reply { _ in HookAnswer(403, body: Array("VapidPkHashMismatch".utf8)) }
        try add(try event("y"))
        try waitUntil { try fixture.record(1) == nil }
    }

    @Test("A refused signature is made anew once; then nothing is sent to that service for an hour")
    func signatures() throws {
        try make()
        hook.reply { _ in HookAnswer(403) }
        try add(try event("x", lifetime: 86_400))
        let requests = hook.requests(3)
        try #require(requests.count == 3)
        #expect(try token(of: requests[1]) == token(of: requests[0]))
        #expect(try token(of: requests[2]) != token(of: requests[1]))
        try waitUntil { try fixture.record(1)?.head?.attempts == 2 }
        // Another subscription of that service waits, too.
        let target = PushTarget(
            key: keys.privateKey.publicKey, auth: keys.auth, form: .ntfy, signer: 1, code: "")
        try fixture.run(
            .make(Callback(row: 2, url: url, target), introduction: try event("hello")))
        usleep(300_000)
        #expect(hook.requests.count == 3)
        #expect(try fixture.record(2)?.head?.attempts == 0)
    }

    @Test("A new server refuses what is not allowed, and counts nothing as an end")
    func guarded() throws {
        let closed = try CallbackFixture()
        let target = PushTarget(
            key: keys.privateKey.publicKey, auth: keys.auth, form: .ntfy, signer: 1, code: "")
        try closed.run(
            .make(
                Callback(row: 1, url: "https://127.0.0.1:\(hook.port)/push", target),
                introduction: try event("hello")))
        try waitUntil { try closed.record(1)?.head?.attempts == 1 }
        #expect(hook.requests.isEmpty)
    }

    private func waitUntil(_ body: () throws -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: 30)
        while try !body() {
            guard Date() < deadline else { throw CallbackFixture.Stopped() }
            usleep(2_000)
        }
    }
}
