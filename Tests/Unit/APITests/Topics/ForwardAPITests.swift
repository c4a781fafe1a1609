import API
import Base
import Crypto
import Delivery
import Testing
import Topics
import WebPush

@testable import Mailbox
@testable import PushService

@Suite("Forwards over the API")
final class ForwardAPITests {
    private let fixture: PushFixture
    private let bearer: String
    private let device: UInt32
    private let registration: String
    private let keys: ReceiverKeys

    init() throws {
        fixture = try PushFixture()
        bearer = try fixture.addCredential()
        device = try fixture.addTopic("builds")
        keys = try ReceiverKeys.generate()
        let answer = try fixture.api("GET", "registrations", bearer: bearer)
        let listed = try #require([ListedRegistration](json: answer.body))
        registration = try #require(listed.first).id
    }

    private func subscription(_ endpoint: String = "https://web.push.apple.com/needle") -> String {
        let key = keys.privateKey.publicKey.base64URL
        return #"""
            "subscription":{"endpoint":"\#(endpoint)","expirationTime":null,
            "keys":{"p256dh":"\#(key)","auth":"\#(keys.auth.withSpan(Base64URL.text))"}}
            """#
    }

    private func add(_ members: String, bearer: String? = nil) throws -> HTTPAnswer {
        try fixture.api("POST", "forwards", bearer: bearer ?? self.bearer, "{\(members)}")
    }

    private func made(_ members: String) throws -> ListedForward {
        let answer = try add(members + "," + subscription())
        #expect(answer.status == 201, "\(answer.text)")
        return try #require(ListedForward(json: answer.body))
    }

    private func list(_ bearer: String? = nil) throws -> [ListedForward] {
        let answer = try fixture.api("GET", "forwards", bearer: bearer ?? self.bearer)
        return try #require([ListedForward](json: answer.body))
    }

    /// What the receiver of a new forward is pushed.
    private func introduction(_ id: Int) throws -> ForwardedMessage {
        let head = try #require(try fixture.callback(UInt32(id))?.head)
        return try #require(ForwardedMessage.decoded(head.body))
    }

    @Test("A forward waits for the code that was pushed, as it stands there or as people type it")
    func life() throws {
        let made = try made(#""registration":"\#(registration)""#)
        #expect(made.state == ListedForward.unconfirmed && made.topic == "builds")
        #expect(made.host == "https://web.push.apple.com" && made.form == "ntfy")
        #expect(try list() == [made])
        let answer = try fixture.api("GET", "forwards", bearer: bearer)
        #expect(!answer.text.contains("needle"))
        let code = try introduction(made.id).code
        #expect(code.utf8.count == 14)
        #expect(try introduction(made.id).message.content.text.hasSuffix(code))
        let path = "forwards/\(made.id)/confirm"
        for wrong in ["{}", #"{"code":""}"#, #"{"code":"aaaa-aaaa-aaaa"}"#] {
            #expect(try fixture.api("POST", path, bearer: bearer, wrong).code == "403/1040")
        }
        #expect(
            try fixture.api("POST", path, bearer: bearer, #"{"kode":"x"}"#).code == "400/1000")
        let typed = code.uppercased().replacing("-", with: " ")
        let confirmed = try fixture.api("POST", path, bearer: bearer, #"{"code":"\#(typed)"}"#)
        #expect(confirmed.status == 204, "\(confirmed.text)")
        #expect(try list().map(\.state) == [ListedForward.active])
        #expect(try fixture.api("DELETE", "forwards/\(made.id)", bearer: bearer).status == 204)
        #expect(try list().isEmpty)
        #expect(
            try fixture.api("DELETE", "forwards/\(made.id)", bearer: bearer).code == "404/1002")
    }

    @Test("Others neither see it nor reach it, and a token of topics opens nothing here")
    func others() throws {
        let made = try made(#""all_topics":true,"form":"web""#)
        #expect(made.topic == nil && made.registration == nil && made.form == "web")
        let other = try fixture.addCredential(owner: "other")
        #expect(try list(other).isEmpty)
        #expect(try fixture.api("DELETE", "forwards/\(made.id)", bearer: other).code == "404/1002")
        let body = #"{"code":"\#(try introduction(made.id).code)"}"#
        #expect(
            try fixture.api("POST", "forwards/\(made.id)/confirm", bearer: other, body).code
                == "404/1002")
        #expect(
            try add(#""registration":"\#(registration)","# + subscription(), bearer: other).code
                == "404/1002")
        let token = try fixture.api("POST", "tokens", bearer: bearer, #"{"name":"t"}"#)
        let text = try #require(ListedToken(json: token.body)?.token)
        #expect(try fixture.api("GET", "forwards", bearer: text).code == "401/1005")
    }

    @Test("What cannot be a forward is refused in a sentence")
    func refusals() throws {
        let topic = #""registration":"\#(registration)","#
        let cases: [(String, String)] = [
            (subscription(), "400/1000"),
            (topic + #""all_topics":true,"# + subscription(), "400/1000"),
            (#""registration":"x","# + subscription(), "400/1000"),
            (topic + #""form":"xml","# + subscription(), "400/1000"),
            (topic + #""subscription":{"endpoint":"https://push.example.org/x"}"#, "400/1000"),
            (topic + #""subscription":[]"#, "400/1000"),
            (topic + subscription("http://push.example.org/x"), "400/1038"),
            (topic + subscription("unix:/run/x"), "400/1038"),
            (topic + subscription("https://user@push.example.org/x"), "400/1038"),
            (topic + subscription("https://127.0.0.1/x"), "400/1038"),
            (topic + subscription("https://10.0.0.1/x"), "400/1038"),
            (topic + subscription("https://push.example.org:22/x"), "400/1038"),
            (
                topic
                    + subscription(
                        "https://push.example.org/" + String(repeating: "x", count: 2_000)),
                "400/1038"
            ),
        ]
        for (members, code) in cases {
            let answer = try add(members)
            #expect(answer.code == code, "\(members): \(answer.text)")
            #expect(!answer.text.contains("needle"))
        }
        var bytes = keys.privateKey.publicKey.withSpan { $0.array($0.indices) }
        bytes[64] ^= 1
        let offCurve = Base64URL.text(bytes.span)
        let answer = try add(
            topic
                + subscription().replacing(
                    keys.privateKey.publicKey.base64URL, with: offCurve))
        #expect(answer.code == "400/1000" && answer.text.contains("P-256"))
        #expect(try list().isEmpty)
    }

    @Test("An owner has only so many")
    func limit() throws {
        for _ in 0..<OwnerLimits.forwards {
            _ = try made(#""registration":"\#(registration)""#)
        }
        let answer = try add(#""registration":"\#(registration)","# + subscription())
        #expect(answer.code == "409/1039")
    }

    @Test("The public key is one, also after a restart")
    func key() throws {
        let first = try fixture.api("GET", "forwards/key", bearer: bearer)
        let key = try #require(JSONNode(json: first.body)?["key"]?.text)
        #expect(UncompressedPoint(base64URL: key) != nil)
        try fixture.restart()
        let second = try fixture.api("GET", "forwards/key", bearer: bearer)
        #expect(second.body == first.body)
    }

    @Test("A message comes once from another server, and is not taken back")
    func circles() throws {
        let row = UInt32(try made(#""registration":"\#(registration)""#).id)
        let code = try introduction(Int(row)).code
        _ = try fixture.api(
            "POST", "forwards/\(row)/confirm", bearer: bearer, #"{"code":"\#(code)"}"#)
        let own = try #require(try fixture.serverMark())
        func forwarded(_ server: String, _ id: String, _ hops: Int, _ text: String) -> String {
            #"{"message":"\#(text)","forwarded":{"server":"\#(server)","id":"\#(id)","hops":\#(hops)}}"#
        }
        for payload in [
            forwarded("there", "1", 1, "once"), forwarded("there", "1", 1, "again"),
            forwarded(own, "2", 1, "own"), forwarded("there", "3", 2, "far"), "plain",
        ] {
            #expect(try fixture.push(payload, toTopic: device) == 201)
        }
        #expect(try fixture.history("builds").map(\.content.text) == ["once", "far", "plain"])
        let head = try #require(try fixture.callback(row)?.head)
        let first = try #require(ForwardedMessage.decoded(head.body))
        #expect(first.message.content.text == "once" && first.origin?.server == "there")
        #expect(try fixture.waitingForwards(bearer) == 2)
    }
}

extension PushFixture {
    fileprivate func callback(_ row: UInt32) throws -> CallbackRecord? {
        guard case .callback(let record) = load(.callback(row)) else { return nil }
        return record
    }

    fileprivate func serverMark() throws -> String? {
        var marker = try service.makeForwardMarker()
        return try marker.server
    }

    fileprivate func waitingForwards(_ bearer: String) throws -> Int? {
        let answer = try api("GET", "forwards", bearer: bearer)
        return [ListedForward](json: answer.body)?.first?.waiting
    }

    /// Pushes this, encrypted, to the endpoint of a topic.
    fileprivate func push(_ payload: String, toTopic device: UInt32) throws -> Int {
        guard
            case .registration(.one(let registration, _)) = load(.registration(.ofDevice(device))),
            let keys = registration.target.keys
        else { return 0 }
        var encryptor = try Encryptor()
        let push = try encryptor.encrypt(
            Array(payload.utf8).span, for: keys.publicKey, auth: keys.auth, encoding: .aes128gcm)
        let path = "/wpush/v1/" + Base64URL.text(registration.target.token.bytes.span)
        return try request(
            "POST", path, [("TTL", "600"), ("Content-Encoding", "aes128gcm")], body: push.body
        ).status
    }
}
