import Base
import Configuration
import Foundation
import System
import Testing

@testable import PushService

@Suite("Signatures over HTTP")
struct SignatureTests {
    @Test("An endpoint with a key accepts only pushes signed by it")
    func bound() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let (sender, stranger) = (try Sender(), try Sender())
        let endpoint = try agent.register(key: sender.publicKey)
        let missing = try fixture.push(endpoint, "x")
        #expect(missing.code == "401/109")
        #expect(missing.message == "Missing VAPID token")
        #expect(missing["www-authenticate"] == "vapid")
        #expect(try fixture.push(endpoint, "version=1", method: "PUT").code == "401/109")
        let token = endpoint.components(separatedBy: "/").last ?? ""
        for path in ["/wpush/v1/", "/wpush/"] {
            #expect(try fixture.push(path + token).code == "401/109")
        }
        let other = try fixture.push(endpoint, "x", [try stranger.field()])
        #expect(other.code == "401/109")
        #expect(other.message == "VAPID public key mismatch")
        for (method, body) in [("POST", "a"), ("PUT", "b"), ("POST", "")] {
            let answer = try fixture.push(endpoint, body, [try sender.field()], method: method)
            #expect(answer.status == 201)
            #expect(try agent.notification().body == body)
        }
    }

    @Test("The key may be in base64 or base64url, padded or not")
    func alphabets() throws {
        let fixture = try PushFixture()
        // Most keys contain a character that differs in the two alphabets.
        for _ in 0..<8 {
            let sender = try Sender()
            let endpoint = try fixture.userAgent().register(key: sender.publicKey)
            let standard = sender.publicKey.replacing("-", with: "+").replacing("_", with: "/")
            for key in [standard, standard + "=", "\"\(standard)=\""] {
                let field = ("Authorization", "vapid t=\(try sender.token()), k=\(key)")
                #expect(try fixture.push(endpoint, "", [field]).status == 201, "\(key)")
            }
        }
    }

    @Test("A push signed and encrypted with the same key gets 400")
    func sameKey() throws {
        let fixture = try PushFixture()
        let sender = try Sender()
        let endpoint = try fixture.userAgent().register()
        func push(keyOf other: Sender, signed: Bool = true) throws -> HTTPAnswer {
            let key = try #require(Base64URL.decode(other.publicKey))
            let body = [UInt8](repeating: 7, count: 16) + [0, 0, 16, 0, 65] + key
            let fields = [("TTL", "60"), ("Content-Encoding", "aes128gcm")]
            return try fixture.request(
                "POST", endpoint, fields + (signed ? [try sender.field()] : []),
                body: body + [UInt8](repeating: 9, count: 40))
        }
        let answer = try push(keyOf: sender)
        #expect(answer.code == "400/110")
        #expect(answer.message == "The same key signs and encrypts")
        #expect(try push(keyOf: try Sender()).status == 201)
        #expect(try push(keyOf: sender, signed: false).status == 201)
    }

    @Test("A signature must be valid even where none is needed")
    func unasked() throws {
        let fixture = try PushFixture()
        let endpoint = try fixture.userAgent().register()
        #expect(try fixture.push(endpoint, "x", [try Sender().field()]).status == 201)
        let cases = [
            ("Basic abc", "Unknown auth scheme"), ("vapid", "Invalid VAPID token"),
            ("vapid t=abc", "Missing VAPID public key"), ("vapid k=abc", "Missing VAPID token"),
        ]
        for (value, message) in cases {
            let answer = try fixture.push(endpoint, "x", [("Authorization", value)])
            #expect(answer.code == "401/109", "\(value)")
            #expect(answer.message?.hasPrefix(message) == true, "\(value): \(answer.text)")
        }
    }

    @Test(
        "The older scheme needs its key in Crypto-Key, or gets 400",
        arguments: [
            "WebPush", "Bearer", "webpush",
        ])
    func older(_ scheme: String) throws {
        let fixture = try PushFixture()
        let sender = try Sender()
        let endpoint = try fixture.userAgent().register(key: sender.publicKey)
        let token = ("Authorization", "\(scheme) \(try sender.token())")
        #expect(try fixture.push(endpoint, "", [token]).code == "400/110")
        #expect(
            try fixture.push(endpoint, "", [token, ("Crypto-Key", "dh=BAAA")]).code == "400/110")
        let key = ("Crypto-Key", "p256ecdsa=\(sender.publicKey)=")
        #expect(try fixture.push(endpoint, "", [token, key]).status == 201)
        let wrong = ("Crypto-Key", "p256ecdsa=\(try Sender().publicKey)")
        #expect(try fixture.push(endpoint, "", [token, wrong]).code == "401/109")
    }

    @Test(
        "A time that is wrong by up to an hour gets 503, one that is further off 401",
        arguments: [
            (-50, "201/-"), (-120, "503/109"), (-3_500, "503/109"), (-3_700, "401/109"),
            (86_400, "201/-"), (86_450, "201/-"), (86_600, "503/109"), (86_400 + 3_500, "503/109"),
            (86_400 + 3_700, "401/109"),
        ])
    func clocks(_ seconds: Int, _ code: String) throws {
        let fixture = try PushFixture()
        let endpoint = try fixture.userAgent().register()
        let answer = try fixture.push(endpoint, "", [try Sender().field(after: seconds)])
        #expect(answer.code == code, "\(answer.text)")
        #expect((answer["retry-after"] != nil) == (answer.status == 503))
    }

    @Test("While the server's clock is not set, a wrong time gets 503")
    func unsetClock() throws {
        let fixture = try PushFixture { $0.settings = { $0.now = { 1_000 } } }
        let endpoint = try fixture.userAgent().register()
        #expect(try fixture.push(endpoint, "", [try Sender().field()]).code == "503/109")
    }

    @Test(
        "The audience is the server's address or an alias, in any spelling",
        arguments: [
            ("https://push.example", 201), ("https://push.example/", 201),
            ("https://push.example:443", 201), ("https://alias.example:8443", 201),
            ("https://alias.example", 201), ("http://push.example", 401),
            ("https://other.example", 401), ("https://push.example.evil", 401), ("", 401),
        ])
    func audiences(_ audience: String, _ status: Int) throws {
        let fixture = try PushFixture { $0.aliases = ["https://alias.example:8443"] }
        let endpoint = try fixture.userAgent().register()
        let answer = try fixture.push(endpoint, "", [try Sender().field(for: audience)])
        #expect(answer.code == (status == 201 ? "201/-" : "401/109"), "\(answer.text)")
    }

    @Test(
        "A push to a host name that is not configured gets 503",
        arguments: [
            ("new.example", "https://new.example"),
            ("new.example:8443", "https://new.example:8443"),
            ("[2001:DB8::1]:99", "https://[2001:db8::1]:99"),
        ])
    func unconfigured(_ host: String, _ audience: String) throws {
        let fixture = try PushFixture()
        let endpoint = try fixture.userAgent().register()
        let field = try Sender().field(for: audience)
        let answer = try fixture.push(endpoint, "", [field, ("Host", host)])
        #expect(answer.code == "503/109", "\(answer.text)")
        #expect(answer["retry-after"] != nil)
        #expect(try fixture.push(endpoint, "", [field]).code == "401/109")
    }

    @Test("An alias that is added while the server runs counts at once")
    func newAlias() throws {
        let fixture = try PushFixture()
        let endpoint = try fixture.userAgent().register()
        func push() throws -> String {
            try fixture.push(endpoint, "", [try Sender().field(for: "https://new.example")]).code
        }
        #expect(try push() == "401/109")
        var settings = fixture.service.settings
        settings.aliases = [try BaseURL(alias: "https://new.example").origin]
        fixture.service.use(settings)
        #expect(try push() == "201/-")
        settings.aliases = []
        fixture.service.use(settings)
        #expect(try push() == "401/109")
    }

    @Test("The same holds without TLS, if base-url has no TLS")
    func unconfiguredInClear() throws {
        let fixture = try PushFixture { plan in
            plan.baseURL = "http://localhost:8080"
            plan.aliases = ["https://push.example"]
        }
        let endpoint = try fixture.userAgent().register()
        let field = try Sender().field(for: "http://127.0.0.1:8080")
        let answer = try fixture.push(endpoint, "", [field, ("Host", "127.0.0.1:8080")])
        #expect(answer.code == "503/109")
    }

    @Test("A list of audiences and an expiry with a fraction are accepted")
    func claims() throws {
        let fixture = try PushFixture()
        let endpoint = try fixture.userAgent().register()
        let expiry = Int(Date().timeIntervalSince1970) + 600
        let sender = try Sender()
        let good = [
            #"{"aud":["https://x.example","https://push.example"],"exp":\#(expiry)}"#,
            #"{"aud":"https://push.example","exp":\#(expiry).5}"#,
            #"{"aud":"https://push.example","exp":\#(expiry),"sub":null}"#,
            #"{"aud":"https://push.example","exp":\#(expiry),"sub":"","nbf":9999999999}"#,
        ]
        for claims in good {
            let field = sender.field(try sender.token(claims: claims))
            #expect(try fixture.push(endpoint, "", [field]).status == 201, "\(claims)")
        }
        let bad = [
            #"{"aud":"https://push.example"}"#, #"{"exp":\#(expiry)}"#,
            #"{"aud":"https://push.example","exp":"@"}"#,
            #"{"aud":"https://push.example","exp":"\#(expiry)"}"#,
        ]
        for claims in bad {
            let field = sender.field(try sender.token(claims: claims))
            #expect(try fixture.push(endpoint, "", [field]).code == "401/109", "\(claims)")
        }
        let old = try sender.token(claims: #"{"aud":"https://push.example","exp":"\#(expiry)"}"#)
        let fields = [
            ("Authorization", "WebPush \(old)"), ("Crypto-Key", "p256ecdsa=\(sender.publicKey)"),
        ]
        #expect(try fixture.push(endpoint, "", fields).status == 201)
    }

    @Test("After 20 failures in a second an endpoint checks no more signatures; others do")
    func failures() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let (endpoint, other) = (try agent.register(), try agent.register())
        let socket = try ByteSocket(port: fixture.port)
        let bad: PushFixture.Fields = [("TTL", "1"), ("Authorization", "vapid t=a.b.c,k=d")]
        for _ in 0..<100 { socket.send(PushFixture.bytes("POST", endpoint, bad, body: [])) }
        let answers = (0..<100).map { _ in HTTPAnswer(from: socket) }
        let refused = answers.filter { $0.status == 401 }.count
        #expect((20...60).contains(refused))
        let waiting = answers.filter { $0.status == 429 }
        #expect(waiting.count + refused == 100)
        #expect(waiting.allSatisfy { $0["retry-after"] == "1" })
        #expect(try fixture.push(other, "", [try Sender().field()]).status == 201)
        #expect(try fixture.push(endpoint, "").status == 201)
    }

    @Test("Many new signatures are answered in order, some in each turn of the loop")
    func crowd() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        let socket = try ByteSocket(port: fixture.port)
        let senders = try (0..<40).map { _ in try Sender() }
        var bytes: [UInt8] = []
        for (number, sender) in senders.enumerated() {
            // Every fourth signature is wrong.
            let token = number % 4 == 3 ? "vapid t=a.b.c,k=d" : try sender.field().1
            let fields: PushFixture.Fields = [("TTL", "0"), ("Authorization", token)]
            bytes += PushFixture.bytes("POST", endpoint, fields, body: [])
        }
        socket.send(bytes)
        for number in senders.indices {
            #expect(HTTPAnswer(from: socket).status == (number % 4 == 3 ? 401 : 201))
        }
    }

    @Test("Costly work has a share of each turn, and each turn has its own")
    func share() {
        var share = TurnBudget(2)
        for turn in [Instant(nanoseconds: 1), Instant(nanoseconds: 2)] {
            for isSpent in [false, false, true, true] {
                #expect(share.isSpent(in: turn) == isSpent)
                share.spend(in: turn)
            }
        }
        // This turn was not asked about before.
        for _ in 0..<2 { share.spend(in: Instant(nanoseconds: 3)) }
        let isSpent = share.isSpent(in: Instant(nanoseconds: 3))
        #expect(isSpent)
    }

    @Test("Waiting and new pushes share a turn, and both are marked as being worked on")
    func turns() throws {
        let seen = SeenMarks()
        let fixture = try PushFixture { $0.settings = { $0.now = { seen.time() } } }
        let endpoint = try fixture.userAgent().register()
        func push(_ socket: ByteSocket) throws {
            let fields: PushFixture.Fields = [("TTL", "0"), try Sender().field()]
            socket.send(PushFixture.bytes("POST", endpoint, fields, body: []))
        }
        let sockets = try (0..<32).map { _ in try ByteSocket(port: fixture.port) }
        seen.begin(on: fixture.loops[0])
        for socket in sockets { for _ in 0..<4 { try push(socket) } }
        for socket in sockets {
            for _ in 0..<4 { #expect(HTTPAnswer(from: socket).status == 201) }
        }
        #expect(seen.count % 128 == 0 && seen.count > 0)
        #expect(seen.mostInATurn <= 8 * seen.count / 128)
        #expect(seen.countWithoutMark == 0)
    }

    private static let bad: PushFixture.Fields = [
        ("TTL", "1"), ("Authorization", "vapid t=a.b.c,k=d"),
    ]

    @Test("Failures are counted separately for each endpoint")
    func numbers() throws {
        let fixture = try PushFixture { $0.settings = { $0.now = { 1_800_000_000 } } }
        let agent = try fixture.userAgent()
        let first = try agent.register()
        for _ in 0..<1_023 { _ = fixture.store.index.nextSubscription() }
        let second = try agent.register()
        let socket = try ByteSocket(port: fixture.port)
        for _ in 0..<100 {
            for endpoint in [first, second] {
                socket.send(PushFixture.bytes("POST", endpoint, Self.bad, body: []))
            }
        }
        let refused = (0..<200).count { _ in HTTPAnswer(from: socket).status == 401 }
        #expect(refused == 40)
    }

    @Test("Failures count for all loops together")
    func loops() throws {
        let fixture = try PushFixture { plan in
            plan.loops = 4
            plan.settings = { $0.now = { 1_800_000_000 } }
        }
        let endpoint = try fixture.userAgent().register()
        var refused = 0
        for _ in 0..<30 {
            let socket = try ByteSocket(port: fixture.port)
            for _ in 0..<10 {
                socket.send(PushFixture.bytes("POST", endpoint, Self.bad, body: []))
            }
            refused += (0..<10).count { _ in HTTPAnswer(from: socket).status == 401 }
        }
        #expect(refused == 20)
    }
}
