import Base
import Crypto
import Foundation
import TestSupport
import Testing
import WebPush

@testable import Mailbox

@Suite("Pushes that the server decrypts")
struct ReceiverPushTests {
    private static let payload =
        #"{"loc_key":"MESSAGE_TEXT","loc_args":["Ada","Hi"],"custom":{"from_id":"5","msg_id":"1"}}"#

    @Test(
        "Both encodings are decrypted by their headers, by POST and by PUT",
        arguments: ContentEncoding.allCases, ["POST", "PUT"])
    func encodings(encoding: ContentEncoding, method: String) throws {
        let app = try RegisteredApp(try PushFixture())
        let answer = try app.push(Self.payload, encoding, method: method)
        #expect(answer.status == 201 && answer["ttl"] == "60")
        #expect(answer["location"]?.hasPrefix("https://push.example/m/") == true)
        #expect(try app.payloads() == [Self.payload])
        #expect(try app.undecryptable() == [:])
    }

    @Test("Beyond a loop's share, payloads are decrypted on another thread; failures are counted")
    func elsewhere() throws {
        let fixture = try PushFixture { $0.settings = { $0.readAtOnce = 0 } }
        let app = try RegisteredApp(fixture)
        for number in 0..<20 { #expect(try app.push("\(number)").status == 201) }
        let again = try app.encrypted("again")
        for _ in 0..<2 { #expect(try app.send(again).status == 201) }
        #expect(try app.raw(Array("clear".utf8)).status == 201)
        #expect(try app.payloads() == (0..<20).map(String.init) + ["again"])
        #expect(try app.undecryptable() == ["not-encrypted": 1])
    }

    @Test(
        "Without a TTL a message is kept for a day, and no longer than asked")
    func lifetimes() throws {
        let fixture = try PushFixture()
        #expect(try RegisteredApp(fixture).push("x", ttl: nil)["ttl"] == "86400")
        let capped = try RegisteredApp(fixture, #","ttl":30"#)
        #expect(try capped.push("x", ttl: "60")["ttl"] == "30")
        let never = try RegisteredApp(fixture)
        #expect(try never.push("x", ttl: "0")["ttl"] == "0")
        #expect(try never.payloads() == [])
    }

    @Test("A body with header fields added by a gateway is decrypted, with all line feeds")
    func gateway() throws {
        let app = try RegisteredApp(try PushFixture())
        for fields in [[("Content-Encoding", "aesgcm")], []] {
            let push = try app.encrypted("folded \(fields.count)", .aesgcm)
            let head = "aesgcm\n" + push.fields.map { "\($0.name): \($0.value)\n" }.joined()
            #expect(try app.raw(Array(head.utf8) + push.body, fields).status == 201)
        }
        #expect(try app.payloads() == ["folded 1", "folded 0"])
    }

    @Test(
        "A push that cannot be decrypted gets the normal answer, and is counted by reason",
        arguments: [
            ("clear", [], "not-encrypted"), ("short", ["aes128gcm"], "short-header"),
            ("x", ["aesgcm"], "missing-encryption"),
            ("aesgcm\nx\n", ["aesgcm"], "bad-gateway-form"), ("aesgcm\n", [], "bad-gateway-form"),
        ] as [(String, [String], String)])
    func undecryptable(body: String, encoding: [String], reason: String) throws {
        let app = try RegisteredApp(try PushFixture())
        let fields = encoding.map { ("Content-Encoding", $0) } + [("TTL", "60")]
        let bad = try app.raw(Array(body.utf8), fields)
        let good = try app.push("x")
        #expect(bad.status == 201 && bad["ttl"] == good["ttl"])
        #expect(bad["location"]?.count == good["location"]?.count)
        #expect(bad.fields.map(\.name) == good.fields.map(\.name))
        #expect(bad.body == good.body)
        #expect(try app.undecryptable() == [reason: 1])
        #expect(try app.payloads() == ["x"])
    }

    @Test("A body that was changed, cut or meant for another receiver is counted")
    func foreignBodies() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture)
        let other = try RegisteredApp(fixture)
        var body = try app.encrypted("x").body
        body[body.count - 1] ^= 1
        let fields = [("TTL", "60"), ("Content-Encoding", "aes128gcm")]
        #expect(try app.raw(body, fields).status == 201)
        #expect(try app.raw(try other.encrypted("x").body, fields).status == 201)
        #expect(try app.raw(Array(body.dropLast()), fields).status == 201)
        #expect(try app.undecryptable() == ["bad-tag": 3])
        #expect(try app.payloads() == [])
        // A key that is no point on the curve.
        body[21 + 64] ^= 1
        #expect(try app.raw(body, fields).status == 201)
        #expect(try app.undecryptable() == ["bad-tag": 3, "bad-point": 1])
    }

    @Test("Both answers come after the commit: a body that cannot be read gets no earlier one")
    func sameMoment() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture)
        #expect(try app.push("warm").status == 201)
        let sent = fixture.gate.count(of: .other)
        fixture.gate.shut(.other)
        let (good, bad) = (
            try ByteSocket(port: fixture.port), try ByteSocket(port: fixture.port)
        )
        let fields = [("TTL", "60"), ("Content-Encoding", "aes128gcm")]
        let body = try app.encrypted("x").body
        good.send(PushFixture.bytes("POST", app.endpoint, fields, body: body))
        bad.send(PushFixture.bytes("POST", app.endpoint, fields, body: [1, 2, 3]))
        #expect(fixture.gate.await(.other, sent + 2))
        #expect(!good.hasBytes && !bad.hasBytes)
        fixture.gate.open()
        #expect(HTTPAnswer(from: good).status == 201 && HTTPAnswer(from: bad).status == 201)
    }

    @Test("Unencrypted bodies are accepted if the registration allows them")
    func clear() throws {
        let fixture = try PushFixture()
        let open = try RegisteredApp(fixture, app: "icq")
        #expect(try open.raw(Array(#"{"a":1}"#.utf8)).status == 201)
        #expect(try open.push("secret").status == 201)
        #expect(try open.payloads() == [#"{"a":1}"#, "secret"])
        let said = try RegisteredApp(fixture, #","clear":true"#)
        #expect(try said.raw(Array("x".utf8)).status == 201)
        #expect(try said.payloads() == ["x"])
    }

    @Test("The same body is recognised as a repetition, even after a restart")
    func replay() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture)
        for encoding in ContentEncoding.allCases {
            let push = try app.encrypted("once", encoding)
            #expect(try app.send(push).status == 201)
            #expect(try app.send(push).status == 201)
            try fixture.restart()
            #expect(try app.send(push, ttl: "5").status == 201)
        }
        #expect(try app.payloads() == ["once", "once"])
    }

    @Test("Messages survive a restart, and the first to fetch gets them")
    func fetched() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture, app: "icq")
        for number in 0..<3 { #expect(try app.push("\(number)").status == 201) }
        try fixture.restart()
        let pending = try app.messages()
        #expect(try app.payloads() == ["0", "1", "2"])
        let fetched = try app.messages(fetching: true)
        #expect(fetched.map { $0["id"] as? String } == pending.map { $0["id"] as? String })
        #expect(fetched.allSatisfy { Set($0.keys) == ["id", "payload", "received"] })
        #expect(try app.messages(fetching: true).isEmpty && app.messages().isEmpty)
        for wrong in ["{}", #"{"registration":5}"#, #"{"registration":"\#(app.id)","x":1}"#] {
            #expect(try app.call("POST", "fetched", wrong).code == "400/1000")
        }
    }

    @Test("A message that its sender withdrew is gone")
    func withdrawn() throws {
        let app = try RegisteredApp(try PushFixture())
        let location = try #require(try app.push("x")["location"])
        #expect(try app.push("y").status == 201)
        #expect(try app.fixture.request("DELETE", location).status == 204)
        #expect(try app.payloads() == ["y"])
    }

    @Test("A later push of the same topic replaces the earlier one")
    func topics() throws {
        let app = try RegisteredApp(try PushFixture())
        for text in ["1", "2"] {
            #expect(try app.push(text, ttl: "60", [("Topic", "t")]).status == 201)
        }
        #expect(try app.payloads() == ["2"])
    }

    @Test("A full registration refuses new pushes, whether they can be read or not")
    func full() throws {
        let fixture = try PushFixture { plan in
            plan.store = { $0.limits.quota.device = QuotaLimits.Room(messages: 4, bytes: 1 << 20) }
        }
        let app = try RegisteredApp(fixture)
        for _ in 0..<2 { #expect(try app.push("x").status == 201) }
        #expect(try app.push("x").code == "429/201")
        let fields = [("TTL", "60"), ("Content-Encoding", "aes128gcm")]
        #expect(try app.raw([1, 2, 3], fields).code == "429/201")
        _ = try app.messages(fetching: true)
        #expect(try app.push("x").status == 201)
    }

    @Test("When the store fails, the sender is told to push again")
    func unavailable() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture)
        // The registration is not in memory yet.
        fixture.gate.refuse(.load)
        #expect(try app.push("x").code == "503/201")
        fixture.gate.refuse(.other)
        #expect(try app.push("x").code == "503/201")
        #expect(try app.raw([1], [("TTL", "60")]).code == "503/201")
        fixture.gate.refuse()
        let push = try app.encrypted("x")
        #expect(try app.send(push).status == 201)
        #expect(try app.payloads() == ["x"])
    }

    @Test("The endpoint is bound to the first key that signs")
    func vapid() throws {
        let app = try RegisteredApp(try PushFixture(), #","vapid":true"#)
        let (first, second) = (try Sender(), try Sender())
        // A push that cannot be decrypted comes from a stranger, and binds nothing.
        let junk = [("TTL", "60"), ("Content-Encoding", "aes128gcm"), try second.field()]
        #expect(try app.raw([1], junk).status == 201)
        #expect(try app.push("1", ttl: "60", [try first.field()]).status == 201)
        #expect(try app.push("2", ttl: "60", [try second.field()]).code == "401/109")
        #expect(try app.push("3").code == "401/109")
        #expect(try app.raw([], method: "PUT", []).code == "401/109")
        #expect(try app.push("4", ttl: "60", [try first.field()]).status == 201)
        try app.fixture.restart()
        #expect(try app.push("5", ttl: "60", [try second.field()]).code == "401/109")
        #expect(try app.payloads() == ["1", "4"])
    }

    @Test("A wrong signature is refused before anything is decrypted")
    func wrongSignature() throws {
        let app = try RegisteredApp(try PushFixture())
        let sender = try Sender()
        let field = sender.field(try sender.token(for: "https://other.example"))
        #expect(try app.push("x", ttl: "60", [field]).code == "401/109")
        #expect(try app.payloads() == [] && app.undecryptable() == [:])
    }
}

@Suite("Pushes encrypted under a secret")
struct SecretPushTests {
    struct Vector: Decodable { let auth_key: String, p: String, expect: String, plaintext: String? }
    struct File: Decodable { let vectors: [Vector] }

    /// Payloads that Telegram's own code encrypted, at least one for each secret.
    private func vectors() throws -> [(secret: String, p: String, text: String)] {
        try Vectors.load(File.self, from: "mtproto-push.json").vectors.compactMap { vector in
            guard vector.expect == "ok", let text = vector.plaintext, text.count < 2_000 else {
                return nil
            }
            let digits = Array(vector.auth_key)
            let bytes = stride(from: 0, to: digits.count, by: 2).map { index in
                UInt8(String(digits[index...index + 1]), radix: 16) ?? 0
            }
            return (Base64URL.text(bytes.span), vector.p, text)
        }
    }

    @Test("A payload under a secret is decrypted a second time; no other payload is shown")
    func twice() throws {
        let (secret, p, text) = try #require(try vectors().first)
        let app = try RegisteredApp(try PushFixture(), #","secret":"\#(secret)""#)
        for encoding in ContentEncoding.allCases {
            #expect(try app.push(#"{"p":"\#(p)"}"#, encoding).status == 201)
        }
        #expect(try app.push(#"{"loc_key":"MESSAGE_TEXT"}"#).status == 201)
        #expect(
            try app.push(#"{"p":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#).status
                == 201)
        #expect(try app.push(#"{"p":"\#(p.dropLast(4))AAAA"}"#).status == 201)
        #expect(try app.push(#"{"data":{"p":"\#(p)"}}"#).status == 201)
        #expect(try app.payloads() == [text, text])
        let counts = try app.undecryptable()
        #expect(counts["no-p"] == 2 && counts.values.reduce(0, +) == 4)
    }

    @Test("The former secret works until the first payload under the new one")
    func change() throws {
        let all = try vectors()
        let new = try #require(all.first { $0.secret != all[0].secret })
        let former = all.filter { $0.secret == all[0].secret }
        try #require(former.count >= 2)
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture, #","secret":"\#(former[0].secret)""#)
        let change = #"{"secret":"\#(new.secret)"}"#
        #expect(try app.call("POST", "registrations/\(app.id)/secret", change).status == 200)
        #expect(try app.push(#"{"p":"\#(former[0].p)"}"#).status == 201)
        #expect(try app.push(#"{"p":"\#(new.p)"}"#).status == 201)
        // The next push is answered after the store has dropped the former secret.
        #expect(try app.push(#"{"p":"\#(new.p)"}"#).status == 201)
        #expect(try app.push(#"{"p":"\#(former[1].p)"}"#).status == 201)
        #expect(try app.payloads() == [former[0].text, new.text, new.text])
        #expect(try app.undecryptable() == ["unknown-key": 1])
    }
}
