import Base
import Configuration
import Foundation
import HTTP
import Testing

@testable import PushService

@Suite("Endpoints over HTTP")
struct EndpointTests {
    @Test("A push gets 201 without a body, with Location and the granted TTL")
    func created() throws {
        let fixture = try PushFixture()
        let endpoint = try fixture.userAgent().register()
        for (asked, granted) in [
            ("0", "0"), ("1", "1"), ("2592000", "2592000"), ("2592001", "2592000"),
            ("99999999999999", "2592000"),
        ] {
            let answer = try fixture.push(endpoint, "x", ttl: asked)
            #expect(answer.status == 201)
            #expect(answer["ttl"] == granted)
            #expect(answer["content-length"] == "0")
            let location = try #require(answer["location"])
            #expect(location.wholeMatch(of: /https:\/\/push\.example\/m\/[A-Za-z0-9_-]{22}/) != nil)
            #expect(answer["cache-control"] == "no-store")
            #expect(answer["referrer-policy"] == "no-referrer")
        }
    }

    @Test("An endpoint works under each of its paths")
    func paths() throws {
        let fixture = try PushFixture()
        let token = try fixture.userAgent().register().components(separatedBy: "/").last ?? ""
        for path in ["/wpush/v1/", "/wpush/", "/wpush/v2/"] {
            #expect(try fixture.push(path + token).status == 201)
        }
    }

    @Test("A network that tries many unknown endpoints must wait, on every loop")
    func networks() throws {
        let fixture = try PushFixture { plan in
            plan.loops = 4
            plan.listener = HTTPListenerTerms(usesProxyProtocol: true)
            plan.settings = { $0.now = { 1_800_000_000 } }
        }
        func statuses(_ network: String, _ number: Int) throws -> [Int] {
            let socket = try ByteSocket(port: fixture.port)
            socket.send(Array("PROXY TCP6 \(network)::\(number) ::1 8080 443\r\n".utf8))
            let push = PushFixture.bytes("POST", "/wpush/v1/x", [("TTL", "1")], body: [])
            return (0..<4).map { _ in
                socket.send(push)
                return HTTPAnswer(from: socket).status
            }
        }
        let answers = try (1...20).flatMap { try statuses("2001:db8:0:1", $0) }
        #expect(answers == Array(repeating: 404, count: 50) + Array(repeating: 429, count: 30))
        #expect(try statuses("2001:db8:0:2", 1) == [404, 404, 404, 404])
    }

    @Test("A token that the server did not make is unknown, in every spelling")
    func unknown() throws {
        let fixture = try PushFixture()
        let token = try fixture.userAgent().register().components(separatedBy: "/").last ?? ""
        let damaged = (token.first == "A" ? "B" : "A") + token.dropFirst()
        let mark = String(token.dropLast()) + (token.last == "A" ? "E" : "A")
        for other in [
            damaged, mark, String(token.dropLast()), token + "A", token + "=", "x", "%41",
        ] {
            let answer = try fixture.push("/wpush/v1/" + other)
            #expect(answer.code == "404/102", "\(other)")
            #expect(answer.message == "Invalid token")
        }
        for path in ["/wpush/v3/" + token, "/wpush/v1/" + token + "/x", "/wpush/v1/"] {
            let answer = try fixture.push(path)
            #expect(answer.code == "404/102")
            #expect(answer.message == "Invalid API version")
        }
    }

    @Test(
        "Unknown paths get 404, whatever the method",
        arguments: [
            "PUT /notif/dead/beef", "GET /__error__", "GET /v1/err", "DELETE /m",
            "POST /v1/fcm/app/registration", "DELETE /x", "PATCH /", "GET /favicon.ico",
        ])
    func unknownPath(_ request: String) throws {
        let words = request.split(separator: " ").map(String.init)
        let answer = try PushFixture().request(words[0], words[1])
        #expect(answer.refusal == 40401)
    }

    @Test(
        "The first of several problems decides the answer",
        arguments: [
            // Version, token, signature, subscription, size, TTL, encryption, range, topic.
            (["/wpush/v9/", "auth", "size", "ttl", "encoding", "topic"], "404/102"),
            (["token", "auth", "size", "ttl", "encoding", "topic"], "404/102"),
            (["auth", "size", "ttl", "encoding", "topic"], "401/109"),
            (["gone", "size", "ttl", "encoding", "topic"], "410/106"),
            (["size", "ttl", "encoding", "topic"], "413/104"),
            (["ttl", "encoding", "topic"], "400/111"),
            (["negative", "encoding", "topic"], "400/110"),
            (["encoding", "topic"], "400/110"), (["negative", "topic"], "400/114"),
            (["topic"], "400/113"), ([], "201/-"),
        ])
    func order(_ faults: [String], _ code: String) throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let channel = UserAgent.channel()
        var endpoint = try agent.register(channel)
        if faults.contains("gone") { try agent.unregister(channel) }
        if faults.contains("token") { endpoint += "A" }
        if faults.contains("/wpush/v9/") { endpoint = endpoint.replacing("/v1/", with: "/v9/") }
        var fields: PushFixture.Fields = []
        if faults.contains("auth") { fields.append(("Authorization", "vapid t=a.b.c,k=d")) }
        if !faults.contains("ttl") {
            fields.append(("TTL", faults.contains("negative") ? "-1" : "60"))
        }
        let encoding = faults.contains("encoding") ? "gzip" : "aes128gcm"
        fields.append(("Content-Encoding", encoding))
        if faults.contains("topic") { fields.append(("Topic", "not a topic")) }
        let size = faults.contains("size") ? 5_631 : 10
        let answer = try fixture.request(
            "POST", endpoint, fields, body: [UInt8](repeating: 120, count: size))
        #expect(answer.code == code, "\(answer.text)")
        if answer.status >= 400 {
            #expect(answer["content-type"] == "application/json")
            let object = try JSONSerialization.jsonObject(with: Data(answer.body))
            let members = try #require(object as? [String: Any])
            #expect(Set(members.keys) == ["code", "errno", "error", "message", "more_info"])
            #expect(members["code"] as? Int == answer.status)
        }
    }

    @Test("An error names a page that the server serves, and the place on it")
    func explained() throws {
        let fixture = try PushFixture()
        let refused = try fixture.push("/wpush/v1/x")
        let members = try #require(
            try JSONSerialization.jsonObject(with: Data(refused.body)) as? [String: Any])
        let place = try #require(URL(string: members["more_info"] as? String ?? ""))
        #expect(place.absoluteString == "https://push.example/errors#errno-102")
        let page = try fixture.request("GET", place.path)
        #expect(page.status == 200 && page["content-type"] == "text/html; charset=utf-8")
        #expect(page["content-security-policy"] == "default-src 'none'")
        #expect(page.text.contains("id=\"\(place.fragment ?? "-")\""))
        #expect(try fixture.request("HEAD", place.path).status == 200)
        // A request that no route accepts leads there, too.
        let malformed = try fixture.request("POST", "/errors")
        #expect(malformed.status == 405)
        #expect(malformed.text.contains("https://push.example/errors#http"))
    }

    @Test(
        "An invalid header field is named in the answer",
        arguments: [
            (("TTL", ""), "400/111", "Missing TTL value"),
            (("TTL", "x"), "400/111", "Missing TTL value"),
            (("TTL", "-1"), "400/114", "ttl: TTL must be greater than 0"),
            (("Content-Encoding", "AES256GCM"), "400/110", "Unknown Content-Encoding header"),
            (
                ("Encryption", "salt=AAAA"), "400/110",
                "Do not include 'salt' header in aes128gcm Encryption header"
            ),
            (
                ("Crypto-Key", "dh=AAAA"), "400/110",
                "Do not include 'dh' header in aes128gcm Crypto-Key header"
            ),
            (("Encryption", "salt"), "400/110", "Invalid Encryption header"),
            (
                ("Topic", String(repeating: "a", count: 33)), "400/113",
                "topic: Topic must be no greater than 32 characters"
            ),
            (
                ("Topic", "a.b"), "400/113",
                "topic: Topic must be URL and Filename safe Base64 alphabet"
            ),
        ])
    func fields(_ field: (String, String), _ code: String, _ message: String) throws {
        let fixture = try PushFixture()
        let endpoint = try fixture.userAgent().register()
        let answer = try fixture.push(
            endpoint, "x", ttl: field.0 == "TTL" ? field.1 : "60", field.0 == "TTL" ? [] : [field])
        #expect(answer.code == code)
        #expect(answer.message == message)
    }

    @Test(
        "aesgcm needs a salt, and a key if there is a Crypto-Key field",
        arguments: [
            ([], "Missing Encryption header"),
            ([("Encryption", "rs=1")], "Missing salt value in Encryption header"),
            (
                [("Encryption", "salt=AAAA"), ("Crypto-Key", "p256ecdsa=BBBB")],
                "Missing dh value in Crypto-Key header"
            ),
        ])
    func oldEncryption(_ fields: [(String, String)], _ message: String) throws {
        let fixture = try PushFixture()
        let endpoint = try fixture.userAgent().register()
        let all = [("Content-Encoding", "aesgcm")] + fields
        let answer = try fixture.push(endpoint, "x", all)
        #expect(answer.code == "400/110")
        #expect(answer.message == message)
    }

    @Test("DELETE withdraws a waiting message; any 16 bytes get 204, all else gets 400")
    func withdrawal() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        agent.close()
        let location = try #require(try fixture.push(endpoint, "a")["location"])
        _ = try fixture.push(endpoint, "b")
        for _ in 0..<2 {
            let answer = try fixture.request("DELETE", location)
            #expect(answer.status == 204)
            #expect(answer.body.isEmpty)
        }
        #expect(try fixture.request("DELETE", "/m/AAAAAAAAAAAAAAAAAAAAAA").status == 204)
        for id in [
            "x", "AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAA+",
        ] {
            let answer = try fixture.request("DELETE", "/m/" + id)
            #expect(answer.code == "400/-")
            #expect(answer.message == "Invalid message ID")
        }
        let later = try fixture.userAgent(agent.uaid)
        #expect(try later.notification().body == "b")
    }

    @Test("UnifiedPush discovery reveals nothing about the token")
    func discovery() throws {
        let fixture = try PushFixture()
        let endpoint = try fixture.userAgent().register()
        for path in [endpoint, "/wpush/v1/nonsense", "/wpush/", "/wpush/a/b/c"] {
            let answer = try fixture.request("GET", path)
            #expect(answer.status == 200)
            #expect(answer.text == #"{"unifiedpush":{"version":1}}"#)
            let head = try fixture.request("HEAD", path)
            #expect(head.status == 200)
            #expect(head["content-length"] == "29")
        }
    }

    @Test("Pages of any origin may push and withdraw, and read nothing else")
    func pages() throws {
        let fixture = try PushFixture()
        let endpoint = try fixture.userAgent().register()
        let page: PushFixture.Fields = [("Origin", "https://app.example")]
        for path in [endpoint, "/m/AAAAAAAAAAAAAAAAAAAAAA"] {
            let answer = try fixture.request(
                "OPTIONS", path,
                page + [
                    ("Access-Control-Request-Method", "POST"),
                    ("Access-Control-Request-Headers", "ttl, x-any"),
                ])
            #expect(answer.status == 204)
            #expect(answer["access-control-allow-origin"] == "https://app.example")
            #expect(answer["access-control-allow-methods"] == "DELETE, GET, POST, PUT")
            #expect(answer["access-control-allow-headers"] == "ttl, x-any")
            #expect(answer["access-control-max-age"] == "3600")
            #expect(answer["access-control-allow-credentials"] == nil)
        }
        let pushed = try fixture.push(endpoint, "x", page)
        #expect(pushed.status == 201)
        #expect(pushed["access-control-allow-origin"] == "https://app.example")
        #expect(pushed["access-control-expose-headers"] == nil)
        #expect(pushed["vary"] == "Origin")
        let refused = try fixture.push(endpoint, "x", ttl: nil, page)
        #expect(refused["access-control-allow-origin"] == "https://app.example")
        for path in ["/health", "/status", "/__version__", "/"] {
            let answer = try fixture.request("GET", path, page)
            #expect(answer["access-control-allow-origin"] == nil)
        }
    }

    @Test("Health reports whether the store can be used; liveness does not check it")
    func health() throws {
        let fixture = try PushFixture()
        func status(_ path: String) throws -> Int { try fixture.request("GET", path).status }
        let good = try fixture.request("GET", "/health")
        #expect(
            good.text
                == #"{"status":"OK","version":"test","health":"green","database":"green"}"#)
        for isUsable in [true, false] {
            if !isUsable { fixture.gate.refuse(.store) }
            for path in ["/health", "/__heartbeat__"] {
                #expect(try status(path) == (isUsable ? 200 : 503))
                #expect(try fixture.request("HEAD", path).status == (isUsable ? 200 : 503))
            }
            for path in ["/__lbheartbeat__", "/status", "/__version__"] {
                #expect(try status(path) == 200)
            }
        }
        #expect(try fixture.request("GET", "/__lbheartbeat__").body.isEmpty)
        #expect(try fixture.request("GET", "/status").text.contains(#""status":"ERROR""#))
    }

    @Test("The path of base-url works, whether a proxy strips it or not")
    func subPath() throws {
        let fixture = try PushFixture { $0.baseURL = "https://push.example/a/b/" }
        for path in ["/", "/a/b/", "/a/b"] {
            let agent = try UserAgent(fixture, path: path)
            try agent.hello()
            let endpoint = try agent.register()
            #expect(endpoint.hasPrefix("https://push.example/a/b/wpush/v1/"))
            let answer = try fixture.push(endpoint, "x")
            #expect(answer["location"]?.hasPrefix("https://push.example/a/b/m/") == true)
            #expect(
                try fixture.push(String(PushFixture.path(of: endpoint).dropFirst(4))).status == 201)
        }
        #expect(try fixture.push("/a/bwpush/v1/x").status == 404)
        #expect(try fixture.request("GET", "/a/b/health").status == 200)
        #expect(try fixture.request("POST", "/a/b").refusal == 40024)
    }

    @Test("A full backlog gives 429 and loses no messages; acknowledging them makes room again")
    func backlog() throws {
        let fixture = try PushFixture { plan in
            plan.store = { $0.limits.quota.device = .init(messages: 10, bytes: 1 << 20) }
        }
        var agent = try fixture.userAgent()
        let (first, second) = (try agent.register(), try agent.register())
        agent.close()
        for number in 0..<5 { #expect(try fixture.push(first, "\(number)").status == 201) }
        let full = try fixture.push(first, "x")
        #expect(full.code == "429/201")
        #expect(Int(full["retry-after"] ?? "") != nil)
        // One subscription may use half of the room of its device.
        for number in 5..<10 { #expect(try fixture.push(second, "\(number)").status == 201) }
        #expect(try fixture.push(second, "x").status == 429)
        #expect(try fixture.push(first, "now", ttl: "0").status == 201)
        agent = try fixture.userAgent(agent.uaid)
        let all = try (0..<10).map { _ in try agent.notification() }
        #expect(all.map(\.body) == (0..<10).map(String.init))
        for notification in all { agent.ack(notification) }
        // Their room is free once the store has recorded the acknowledgements.
        let deadline = Date(timeIntervalSinceNow: 60)
        var status = 429
        while status == 429, Date() < deadline {
            status = try fixture.push(first, "again").status
        }
        #expect(status == 201)
        #expect(try agent.notification().body == "again")
    }

    private static let droppingOldest = SettingValues([
        "backlog-full": [Setting("drop-oldest", from: .fallback)]
    ])

    @Test("If configured, a full backlog drops its oldest messages for new ones")
    func dropsOldest() throws {
        let fixture = try PushFixture { plan in
            plan.store = { $0.limits.quota.device = .init(messages: 40, bytes: 1 << 20) }
            plan.settings = { $0.values = Self.droppingOldest }
        }
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        agent.close()
        // One subscription has room for twenty; sixteen are dropped at once.
        for number in 0..<22 { #expect(try fixture.push(endpoint, "\(number)").status == 201) }
        agent = try fixture.userAgent(agent.uaid)
        let left = try (16..<22).map { _ in try agent.notification().body }
        #expect(left == (16..<22).map(String.init))
    }

    @Test("A change of the settings decides at once what a full backlog does")
    func dropsOldestFromNowOn() throws {
        let fixture = try PushFixture { plan in
            plan.store = { $0.limits.quota.device = .init(messages: 40, bytes: 1 << 20) }
        }
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        agent.close()
        for _ in 0..<20 { #expect(try fixture.push(endpoint).status == 201) }
        #expect(try fixture.push(endpoint).status == 429)
        var settings = fixture.service.settings
        settings.values = Self.droppingOldest
        fixture.service.use(settings)
        #expect(try fixture.push(endpoint, "new").status == 201)
        settings.values = SettingValues()
        fixture.service.use(settings)
        agent = try fixture.userAgent(agent.uaid)
        let left = try (0..<5).map { _ in try agent.notification().body }
        #expect(left.last == "new")
    }

    @Test("A client that tries many unknown endpoints must wait, but not for one it knows")
    func strangers() throws {
        let fixture = try PushFixture()
        let endpoint = try fixture.userAgent().register()
        let socket = try ByteSocket(port: fixture.port)
        var statuses = Set<Int>()
        for number in 0..<200 {
            socket.send(PushFixture.bytes("POST", "/wpush/v1/\(number)", [("TTL", "1")], body: []))
        }
        for _ in 0..<200 { statuses.insert(HTTPAnswer(from: socket).status) }
        #expect(statuses == [404, 429])
        #expect(try fixture.push(endpoint).status == 201)
    }
}
