import Base
import Crypto
import Foundation
import TestSupport
import Testing
import WebPush

@testable import Mailbox

@Suite("Registrations over HTTP")
struct RegistrationAPITests {
    private static let body = #"{"token_type":10,"app":"telegram","account":"me"}"#

    @Test("The token is the text that account.registerDevice wants, byte for byte")
    func token() throws {
        let app = try RegisteredApp(try PushFixture(), #","user_id":"777""#)
        let keys = app.object("keys")
        let (p256dh, auth) = (keys["p256dh"] as? String ?? "", keys["auth"] as? String ?? "")
        #expect(Base64URL.decode(p256dh)?.count == 65 && Base64URL.decode(auth)?.count == 16)
        #expect(app.endpoint.hasPrefix("https://push.example/wpush/v1/"))
        let token =
            #"{"endpoint":"\#(app.endpoint)","keys":{"p256dh":"\#(p256dh)","auth":"\#(auth)"}}"#
        #expect(app.members["token"] as? String == token)
        let device = app.object("device_token")
        #expect(device["@type"] as? String == "deviceTokenWebPush" && device.count == 4)
        #expect(device["endpoint"] as? String == app.endpoint)
        #expect(device["p256dh_base64url"] as? String == p256dh)
        #expect(device["auth_base64url"] as? String == auth)
        let parameters = app.object("register_device")
        #expect(parameters["token"] as? String == token && parameters["secret"] as? String == "")
        #expect(parameters["no_muted"] as? Bool == true)
        #expect(parameters["app_sandbox"] as? Bool == false)
        #expect(parameters["token_type"] as? Int == 10)
        #expect(parameters["other_uids"] as? [Int] == [])
        #expect(app.members["push_receiver_id"] as? String == "777")
        #expect(app.members["refresh_after"] as? Int == 86_400)
        #expect(app.members["callback_secret"] == nil)
        #expect(Base64URL.decode(app.id)?.count == 16)
    }

    @Test("A token for signed pushes says so at its end")
    func signedToken() throws {
        let app = try RegisteredApp(try PushFixture(), #","vapid":true"#)
        let token = app.members["token"] as? String ?? ""
        #expect(token.hasSuffix(#""},"vapid":true}"#) && app.endpoint.contains("/wpush/v2/"))
    }

    @Test("Type 4 has the endpoint as its token, and no keys")
    func simplePush() throws {
        let app = try RegisteredApp(try PushFixture(), type: 4, #","other_user_ids":["5",6]"#)
        #expect(app.members["token"] as? String == app.endpoint)
        let device = app.object("device_token") as? [String: String]
        #expect(device == ["@type": "deviceTokenSimplePush", "endpoint": app.endpoint])
        #expect(app.members["keys"] == nil)
        let parameters = app.object("register_device")
        #expect(parameters["token_type"] as? Int == 4)
        #expect(parameters["token"] as? String == app.endpoint)
        #expect(parameters["other_uids"] as? [Int] == [5, 6])
    }

    @Test("A secret names the receiver; a new one is shown once")
    func secrets() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture, #","secret":"new","user_id":7"#)
        let secret = try #require(Base64URL.decode(app.secret))
        let key = try #require(MTProtoSecret(Secret(secret.span)))
        #expect(app.members["push_receiver_id"] as? String == "\(key.keyID)")
        let given = try Random.bytes(count: 256)
        let changed = try app.call(
            "POST", "registrations/\(app.id)/secret",
            #"{"secret":"\#(Base64URL.text(given.span))"}"#)
        let other = try #require(MTProtoSecret(Secret(given.span)))
        #expect(changed.status == 200)
        #expect(changed.text == #"{"push_receiver_id":"\#(other.keyID)"}"#)
        let made = try app.call("POST", "registrations/\(app.id)/secret", #"{"secret":"new"}"#)
        let text = try made.object()["secret"] as? String ?? ""
        #expect(Base64URL.decode(text)?.count == 256)
        for wrong in ["{}", #"{"secret":"AAAA"}"#, #"{"secret":5}"#, #"{"secret":"new","x":1}"#] {
            let answer = try app.call("POST", "registrations/\(app.id)/secret", wrong)
            #expect(answer.code == "400/1000")
        }
    }

    @Test("A callback gets a secret to sign with, and another one with each rotation")
    func callbackSecret() throws {
        let app = try RegisteredApp(try PushFixture(), #","callback":"https://app.example/x""#)
        let first = app.members["callback_secret"] as? String ?? ""
        #expect(first.hasPrefix("whsec_"))
        #expect(Data(base64Encoded: String(first.dropFirst(6)))?.count == 32)
        try app.rotate()
        let second = app.members["callback_secret"] as? String ?? ""
        #expect(second.hasPrefix("whsec_") && second != first)
    }

    @Test(
        "A callback to a forbidden target is refused, and nothing is made",
        arguments: [
            "http://127.0.0.1:3000/", "https://10.0.0.1/", "https://[::ffff:10.0.0.1]/",
            "https://app.example:25/", "unix:/run/user/0/x",
            "https://push.example/wpush/v1/x",
        ])
    func callbackTarget(url: String) throws {
        let fixture = try PushFixture {
            $0.settings = { $0.callbacks.ownURLs = ["https://push.example"] }
        }
        let bearer = try fixture.addCredential()
        let body = #"{"token_type":10,"app":"a","account":"b","callback":"\#(url)"}"#
        let answer = try fixture.api("POST", "registrations", bearer: bearer, body)
        #expect(answer.code == "400/1009", "\(answer.text)")
        #expect(
            try fixture.api("GET", "registrations", bearer: bearer).text
                == #"{"registrations":[]}"#)
    }

    @Test("A registration is shown without its keys and secrets, to its owner alone")
    func show() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(
            fixture,
            #","callback":"https://app.example/x","secret":"new","service":"org.example.App""#)
        let one = try app.call("GET", "registrations/\(app.id)")
        let shown = try one.object()
        #expect(one.status == 200)
        #expect(
            Set(shown.keys) == [
                "id", "push_receiver_id", "endpoint", "refresh_after", "token_type", "app",
                "account", "service", "created", "expires", "listening",
            ])
        #expect(shown["service"] as? String == "org.example.App")
        let (created, expires) = (shown["created"] as? Int ?? 0, shown["expires"] as? Int ?? 0)
        #expect(abs(expires - created - 2_592_000) <= 2)
        let list = try app.call("GET", "registrations")
        let all = try list.object()["registrations"] as? [[String: Any]] ?? []
        #expect(all.map { $0["id"] as? String } == [app.id])
        for secret in [app.secret, app.object("keys")["auth"] as? String ?? "", "whsec_"] {
            #expect(!secret.isEmpty && !one.text.contains(secret) && !list.text.contains(secret))
        }
        let stranger = try fixture.addCredential(owner: "uid:9")
        #expect(
            try fixture.api("GET", "registrations", bearer: stranger).text
                == #"{"registrations":[]}"#)
        for (method, path) in [
            ("GET", ""), ("DELETE", ""), ("POST", "/rotate"), ("POST", "/secret"),
        ] {
            let body = path == "/secret" ? #"{"secret":"new"}"# : nil
            let answer = try fixture.api(
                method, "registrations/\(app.id)\(path)", bearer: stranger, body)
            #expect(answer.code == "404/1002", "\(method) \(path)")
        }
        // Another device of the same owner may do the same.
        let brother = try fixture.addCredential()
        #expect(
            try fixture.api("GET", "registrations/\(app.id)", bearer: brother).status == 200)
    }

    @Test("Extreme numbers are accepted or refused without a crash")
    func numbers() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        let numbers = [
            "-9223372036854775809", "-9223372036854775808", "-2147483649", "-1", "0", "1",
            "2147483647", "2147483648", "4294967295", "4294967296", "1099511627776",
            "9223372036854775807", "18446744073709551615", "1e400", "1.5", "-0",
        ]
        for number in numbers {
            for member in [
                #""token_type":N"#, #""token_type":10,"user_id":N"#,
                #""token_type":10,"user_id":"N""#, #""token_type":10,"other_user_ids":[N]"#,
                #""token_type":10,"session_timeout":N"#, #""token_type":10,"ttl":N"#,
                #""token_type":10,"expires":N"#,
                #""token_type":10,"dialect":"icq","presentation":{"badge":N}"#,
            ] {
                let body =
                    #"{"app":"a","account":"b","#
                    + member.replacing("N", with: number) + "}"
                let answer = try fixture.api("POST", "registrations", bearer: bearer, body)
                #expect([201, 400].contains(answer.status), "\(body): \(answer.text)")
            }
            for path in ["devices/\(number)", "owners/\(number)", "registrations/\(number)"] {
                let status = try fixture.api("DELETE", path, bearer: bearer).status
                #expect([400, 403, 404].contains(status), "\(path)")
            }
            let app = try RegisteredApp(fixture, bearer: bearer)
            let fields = [("TTL", number), ("Content-Encoding", "aes128gcm")]
            let sealed = try app.encrypted("x")
            let status = try fixture.request("POST", app.endpoint, fields, body: sealed.body).status
            #expect([201, 400].contains(status), "TTL \(number)")
        }
        #expect(try RegisteredApp(fixture, bearer: bearer).push("x").status == 201)
    }

    @Test("A presentation of more than 4,096 bytes, or with links to programs, is refused")
    func presentations() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        func post(_ presentation: String) throws -> HTTPAnswer {
            try fixture.api(
                "POST", "registrations", bearer: bearer,
                #"{"token_type":10,"app":"a","account":"b","presentation":\#(presentation)}"#)
        }
        #expect(try post(#"{"link_schemes":["matrix"]}"#).status == 201)
        for scheme in ["javascript", "data", "file", "vbscript"] {
            #expect(try post(#"{"link_schemes":["\#(scheme)"]}"#).status == 400)
        }
        let long = String(repeating: "x", count: 4_096)
        #expect(try post(#"{"sound":"\#(long)"}"#).status == 400)
    }

    @Test("A revoked registration answers 204, then 404, and 410 to pushes")
    func revoke() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture)
        #expect(try app.push("x").status == 201)
        #expect(try app.call("DELETE", "registrations/\(app.id)").status == 204)
        #expect(try app.call("DELETE", "registrations/\(app.id)").code == "404/1002")
        #expect(try app.call("GET", "registrations/\(app.id)").code == "404/1002")
        #expect(try app.push("x").code == "410/106")
        try fixture.restart()
        #expect(try app.push("x").code == "410/106")
        #expect(try app.raw([], method: "PUT").code == "410/106")
    }

    @Test("After a rotation both endpoints deliver to the same application")
    func rotate() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture, #","user_id":7"#)
        let former = try app.encrypted("before")
        let path = app.endpoint
        let (id, token) = (app.id, app.members["token"] as? String)
        try app.rotate()
        #expect(app.id == id && app.endpoint != path && app.members["token"] as? String != token)
        #expect(Set(app.members.keys).contains("device_token"))
        let fields = [("TTL", "60"), ("Content-Encoding", "aes128gcm")]
        #expect(try fixture.request("POST", path, fields, body: former.body).status == 201)
        #expect(try app.push("after").status == 201)
        #expect(try app.payloads() == ["before", "after"])
        // The new keys do not open pushes to the former endpoint.
        let mixed = try app.encrypted("mixed")
        #expect(try fixture.request("POST", path, fields, body: mixed.body).status == 201)
        #expect(try app.undecryptable() == ["bad-tag": 1])
    }

    @Test("The same Idempotency-Key gets the same answer; with another body it is refused")
    func idempotency() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        func post(_ body: String, _ key: String, _ bearer: String) throws -> HTTPAnswer {
            try fixture.api(
                "POST", "registrations", bearer: bearer, body, [("Idempotency-Key", key)])
        }
        let first = try post(Self.body, "k1", bearer)
        #expect(first.status == 201)
        try fixture.restart()
        let again = try post(Self.body, "k1", bearer)
        #expect(again.status == 201 && again.body == first.body)
        #expect(try post(Self.body + " ", "k1", bearer).code == "409/1006")
        #expect(try post(Self.body, "k2", bearer).body != first.body)
        // Each owner has its own Idempotency-Keys.
        let other = try fixture.addCredential(owner: "uid:9")
        #expect(try post(Self.body, "k1", other).body != first.body)
        let list = try fixture.api("GET", "registrations", bearer: bearer).object()
        #expect((list["registrations"] as? [Any])?.count == 2)
    }

    @Test(
        "A malformed body is refused",
        arguments: [
            "", "[]", "{", #"{"token_type":10,"app":"a"}"#,
            #"{"token_type":5,"app":"a","account":"b"}"#,
            #"{"token_type":10,"app":"a","account":"b","nonsense":1}"#,
            #"{"token_type":10,"app":"a","account":"b","secret":5}"#,
            #"{"token_type":10,"app":"a","account":"b","secret":"AAAA"}"#,
            #"{"token_type":4,"app":"a","account":"b","secret":"new"}"#,
            #"{"token_type":10,"app":"a","account":"b","secret":"new","secret":"new"}"#,
            #"{"token_type":10,"app":"a","account":"b"} x"#,
        ])
    func badBodies(body: String) throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        let answer = try fixture.api("POST", "registrations", bearer: bearer, body)
        #expect(answer.code == "400/1000", "\(answer.text)")
        #expect(try !fixture.api("GET", "registrations", bearer: bearer).text.contains("\"id\""))
    }
}

@Suite("Who may use the API")
struct APIAccessTests {
    @Test("The API needs the secret of a device, even with open registration")
    func credentials() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        for wrong in [nil, "x", bearer + "A", String(bearer.dropLast()) + "_"] {
            for (method, path) in [
                ("GET", "registrations"), ("POST", "registrations"), ("GET", "pending"),
                ("GET", "nonsense"),
            ] {
                let answer = try fixture.api(method, path, bearer: wrong, "{}")
                #expect(answer.code == "401/1005", "\(method) \(path)")
                #expect(answer["www-authenticate"] == "Bearer")
            }
        }
        #expect(try fixture.api("GET", "registrations", bearer: bearer).status == 200)
    }

    @Test("Requests of other sites, for other names or of another type are refused")
    func pages() throws {
        let fixture = try PushFixture { $0.aliases = ["https://alias.example"] }
        let bearer = try fixture.addCredential()
        func status(_ fields: PushFixture.Fields) throws -> Int {
            try fixture.api("GET", "registrations", bearer: bearer, nil, fields).status
        }
        #expect(try status([("Host", "evil.example")]) == 421)
        #expect(try status([("Host", "alias.example")]) == 200)
        #expect(try status([("Host", "localhost:1")]) == 200)
        #expect(try status([("Origin", "https://evil.example")]) == 403)
        #expect(try status([("Origin", "null")]) == 403)
        #expect(try status([("Sec-Fetch-Site", "cross-site")]) == 403)
        #expect(try status([("Origin", "https://push.example")]) == 200)
        let answer = try fixture.api("GET", "registrations", bearer: bearer)
        #expect(answer["access-control-allow-origin"] == nil)
        #expect(answer["cache-control"] == "no-store")
        for type in ["text/plain", "application/x-www-form-urlencoded", ""] {
            let refused = try fixture.api(
                "POST", "registrations", bearer: bearer, #"{"token_type":10}"#,
                [("Content-Type", type)])
            #expect(refused.code == "400/1000")
        }
    }

    @Test("Paths and methods that do not exist say so")
    func unknown() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        func code(_ method: String, _ path: String) throws -> String {
            try fixture.api(method, path, bearer: bearer).code
        }
        #expect(try code("GET", "nonsense") == "404/1002")
        #expect(try code("GET", "registrations/x") == "404/1002")
        #expect(try code("GET", "registrations/AAAAAAAAAAAAAAAAAAAAAA") == "404/1002")
        #expect(try code("PUT", "registrations") == "405/-")
        #expect(try code("GET", "pending") == "404/1002")
        #expect(try code("GET", "pending?registration=x") == "404/1002")
        // Devices are managed only through the control socket.
        #expect(try code("GET", "devices") == "404/1002")
        #expect(try code("POST", "master-key") == "404/1002")
    }

    @Test("The API works under the path of base-url")
    func prefix() throws {
        let fixture = try PushFixture { $0.baseURL = "https://push.example/push" }
        let bearer = try fixture.addCredential()
        let fields = [("Authorization", "Bearer \(bearer)")]
        for path in ["/push/api/v1/registrations", "/api/v1/registrations"] {
            #expect(try fixture.request("GET", path, fields).status == 200)
        }
    }

    @Test("Without the store every answer allows a retry")
    func unavailable() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture)
        fixture.gate.refuse(.load, .other)
        for (method, path, body) in [
            ("GET", "registrations", nil), ("GET", "registrations/\(app.id)", nil),
            ("DELETE", "registrations/\(app.id)", nil),
            ("POST", "registrations", #"{"token_type":10,"app":"a","account":"b"}"#),
        ] as [(String, String, String?)] {
            let answer = try app.call(method, path, body)
            #expect(answer.code == "503/1004" && answer["retry-after"] != nil)
        }
    }
}
