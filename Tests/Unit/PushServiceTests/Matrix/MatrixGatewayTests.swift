import Base
import Foundation
import Mailbox
import TestSupport
import Testing

@testable import PushService

@Suite("The Matrix gateway")
struct MatrixGatewayTests {
    private static let nobody = #"{"rejected":[]}"#

    @Test("The gateway is found under the base path and at the root, and answers discovery")
    func discovery() throws {
        let fixture = try PushFixture { $0.baseURL = "https://push.example/push" }
        for path in [PushFixture.gateway, "/push" + PushFixture.gateway] {
            let answer = try fixture.request("GET", path)
            #expect(answer.status == 200)
            #expect(answer.text == #"{"unifiedpush":{"gateway":"matrix"}}"#)
            #expect(answer["content-type"] == "application/json")
            let endpoint = try fixture.userAgent().register()
            let told = try fixture.notify(
                PushFixture.notification([endpoint]), at: path)
            #expect(told.status == 200 && told.text == Self.nobody)
        }
    }

    @Test("A wrong method, path or body gets a Matrix error")
    func refusals() throws {
        let fixture = try PushFixture()
        for (method, path, status, code) in [
            ("PUT", PushFixture.gateway, 405, "M_UNRECOGNIZED"),
            ("OPTIONS", PushFixture.gateway, 405, "M_UNRECOGNIZED"),
            ("POST", "/_matrix/push/v2/notify", 404, "M_UNRECOGNIZED"),
            ("GET", "/_matrix/client/versions", 404, "M_UNRECOGNIZED"),
            ("POST", PushFixture.gateway, 400, "M_BAD_JSON"),
        ] {
            let answer = try fixture.request(method, path, body: Array("{}".utf8))
            #expect(answer.status == status, "\(method) \(path)")
            #expect(answer.text.hasPrefix(#"{"errcode":"\#(code)","error":""#))
        }
        #expect(try fixture.request("PUT", PushFixture.gateway)["allow"] == "GET, HEAD, POST")
    }

    @Test("A connected client gets what Synapse sends, unchanged", arguments: [0, 1, 2])
    func recorded(number: Int) throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent(extensions: #""urgency""#)
        let endpoint = try agent.register()
        let recorded = try #require(
            try Vectors.lines(of: "matrix-synapse.jsonl")[number]["body"]?.text)
        let body = recorded.replacing(
            /https:\/\/push.example\/wpush\/v1\/TOKEN2?/, with: endpoint)
        let loads = fixture.gate.count(of: .load)
        let answer = try fixture.notify(Array(body.utf8))
        #expect(answer.status == 200 && answer.text == Self.nobody)
        let members = try agent.members()
        #expect(fixture.gate.count(of: .load) == loads, "it is not read from the disk again")
        #expect(members["headers"] == nil && members["urgency"] as? String == "high")
        let data = try #require(members["data"] as? String)
        #expect(Base64URL.decode(data).map { String(decoding: $0, as: UTF8.self) } == body)
    }

    @Test("A body that another gateway posts to the endpoint is delivered unchanged")
    func otherGateway() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let body = #"{"notification":{"event_id":"$e","room_id":"!r:x","prio":"high"}}"#
        #expect(try fixture.push(try agent.register(), body, ttl: "86400").status == 201)
        #expect(try agent.notification().body == body)
        #expect(try fixture.notify(Array(body.utf8)).status == 400)
    }

    @Test("A client gets missed pushes when it comes back, with their urgency")
    func absent() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        agent.close()
        #expect(try fixture.notify(endpoint, event: "$1", ["prio": "low"]).status == 200)
        #expect(try fixture.notify(endpoint, event: nil).status == 200)
        try fixture.restart()
        let back = try fixture.userAgent(agent.uaid, extensions: #""urgency""#)
        let urgencies = try [back.members(), back.members()].map { $0["urgency"] as? String }
        #expect(urgencies == ["low", "high"])
    }

    @Test("Only permanently dead pushkeys are rejected, in their original spelling")
    func rejected() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let sender = try Sender()
        let (live, bound) = (try agent.register(), try agent.register(key: sender.publicKey))
        let channel = UserAgent.channel()
        let gone = try agent.register(channel)
        try agent.unregister(channel)
        let receiver = PushFixture.path(of: try RegisteredApp(fixture).endpoint)
        let dead = [
            gone, bound, "https://push.example" + receiver, receiver, "",
            "https://ntfy.example/upABC", "https://push.example/wpush/v1/" + gone.suffix(10),
            "http://127.0.0.1:1/wpush/v1/x",
        ]
        let token = String(live.split(separator: "/").last ?? "")
        let answer = try fixture.notify(
            PushFixture.notification(dead + [live] + dead + [token, "/wpush/v1/\(token)"]))
        #expect(answer.status == 200)
        let object = try JSONDecoder().decode([String: [String]].self, from: Data(answer.body))
        #expect(object == ["rejected": dead])
        // It is named three times and gets one push.
        _ = try agent.notification()
        try agent.settle()
    }

    @Test("A registration that accepts Matrix pushes gets them unencrypted, each once")
    func registration() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture, app: "matrix", #","app_id":"org.example.client""#)
        let any = try RegisteredApp(fixture, #","dialect":"auto","clear":true"#)
        for _ in 0..<2 {
            let answer = try fixture.notify(app.endpoint, any.endpoint)
            #expect(answer.status == 200 && answer.text == Self.nobody)
        }
        try fixture.restart()
        #expect(try fixture.notify(app.endpoint).text == Self.nobody)
        for one in [app, any] {
            let payloads = try one.payloads()
            #expect(payloads.count == 1 && payloads.first?.contains("!room:x") == true)
        }
        #expect(try fixture.notify(app.endpoint, event: "$2").text == Self.nobody)
        #expect(try app.payloads().count == 2)
    }

    @Test(
        "A registration that cannot take the push is rejected",
        arguments: [
            #","dialect":"matrix","clear":false"#, #","dialect":"plain""#,
            #","dialect":"telegram","clear":true"#, #","dialect":"matrix","app_id":"other""#,
            #","dialect":"matrix","vapid":true"#,
        ])
    func otherRegistration(terms: String) throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture, app: "a", terms)
        for _ in 0..<2 {
            let answer = try fixture.notify(app.endpoint)
            #expect(answer.status == 200)
            #expect(try answer.object()["rejected"] as? [String] == [app.endpoint])
        }
        #expect(try app.payloads() == [] && app.undecryptable() == [:])
    }

    @Test("A push to a registration with a secret is counted, and so is its repetition")
    func secret() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture, app: "matrix", #","secret":"new""#)
        for _ in 0..<2 { #expect(try fixture.notify(app.endpoint).text == Self.nobody) }
        #expect(try app.payloads() == [] && app.undecryptable() == ["no-p": 2])
    }

    @Test("A repetition is accepted if the first push was not stored")
    func noRoom() throws {
        let fixture = try PushFixture {
            $0.store = { $0.limits.quota.device = QuotaLimits.Room(messages: 2, bytes: 9_999) }
        }
        let never = try RegisteredApp(fixture, app: "matrix", #","ttl":0"#)
        for _ in 0..<2 { #expect(try fixture.notify(never.endpoint).text == Self.nobody) }
        #expect(try never.payloads() == [])
        let app = try RegisteredApp(fixture, app: "matrix")
        #expect(try fixture.notify(app.endpoint, event: "$1").status == 200)
        #expect(try fixture.notify(app.endpoint, event: "$2").status == 503)
        #expect(try app.payloads(fetching: true).count == 1)
        #expect(try fixture.notify(app.endpoint, event: "$2").status == 200)
        #expect(try app.payloads().count == 1)
    }

    @Test("Pushes to applications and watched accounts work in any order")
    func watched() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        let app = try RegisteredApp(fixture, app: "matrix")
        let viewer = try EngineViewer(fixture, bearer: app.bearer, app: "matrix")
        let pushkeys = [endpoint, app.endpoint, app.endpoint, endpoint, app.endpoint]
        for (number, pushkey) in pushkeys.enumerated() {
            let answer = try fixture.notify(pushkey, event: "$\(number)")
            #expect(answer.status == 200 && answer.text == Self.nobody)
            if pushkey == endpoint {
                #expect(try agent.notification().body.contains("$\(number)"))
            } else {
                try viewer.next("updateNotificationGroup")
            }
        }
        try viewer.settle()
        // A repetition by the homeserver is recognised, whoever got the first.
        for (number, pushkey) in pushkeys.enumerated() {
            #expect(try fixture.notify(pushkey, event: "$\(number)").text == Self.nobody)
        }
        try agent.settle()
        #expect(try viewer.ask(#"{"@type":"getOption","name":"version"}"#).before.isEmpty)
    }

    @Test("A registration whose callback answered 410 is rejected")
    func gone() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture, app: "matrix", #","callback":"https://app.example/""#)
        #expect(try fixture.notify(app.endpoint, event: "$1").text == Self.nobody)
        try fixture.endCallback()
        let answer = try fixture.notify(app.endpoint, event: "$2")
        #expect(try answer.object()["rejected"] as? [String] == [app.endpoint])
    }

    @Test("A repetition is dropped, even after a restart; another event is delivered")
    func repetition() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let (one, two) = (try agent.register(), try agent.register())
        for _ in 0..<3 { #expect(try fixture.notify(one).text == Self.nobody) }
        agent.ack(try agent.notification())
        try agent.settle()
        try fixture.restart()
        agent = try fixture.userAgent(agent.uaid)
        #expect(try fixture.notify(one).text == Self.nobody)
        #expect(try fixture.notify(one, event: nil, ["id": "$event"]).text == Self.nobody)
        #expect(try agent.notification().body.contains("!room:x"))
        #expect(try fixture.notify(two).text == Self.nobody)
        #expect(try agent.notification().body.contains(two.dropFirst(30)))
        // Notifications with counts only may be repeated as often as they like.
        for _ in 0..<2 { #expect(try fixture.notify(one, event: nil).status == 200) }
        _ = try agent.bodies(2)
        try agent.settle()
    }

    @Test("Without knowing an endpoint, nobody can make its events look like repetitions")
    func poisoned() throws {
        let fixture = try PushFixture()
        let (agent, hostile) = (try fixture.userAgent(), try fixture.userAgent())
        let (victim, own) = (try agent.register(), try hostile.register())
        let guess = String(victim.dropLast(8)) + "AAAAAAAA"
        for pushkey in [own, guess, own + "x"] {
            #expect(try fixture.notify(pushkey).status == 200)
        }
        #expect(try fixture.notify(victim).text == Self.nobody)
        #expect(try agent.notification().body.contains(victim.dropFirst(30)))
    }

    @Test("A failing store rejects no pusher, and repeated events arrive exactly once")
    func unavailable() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let (one, two) = (try agent.register(), try agent.register())
        fixture.gate.refuse(.store)
        let answer = try fixture.notify(one, two)
        #expect(answer.status == 503 && answer["retry-after"] == "60")
        #expect(answer.text.hasPrefix(#"{"errcode":"M_UNKNOWN","#))
        #expect(!answer.text.contains("rejected"))
        fixture.gate.isSettling = true
        #expect((5...10).contains(Int(try fixture.notify(one)["retry-after"] ?? "") ?? 0))
        fixture.gate.isSettling = false
        fixture.gate.refuse()
        for _ in 0..<2 { #expect(try fixture.notify(one, two).text == Self.nobody) }
        #expect(try Set(agent.bodies(2)).count == 2)
        try agent.settle()
    }

    @Test("While the first push is undecided, a repetition gets 503")
    func undecided() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        fixture.gate.shut(.store)
        let first = try ByteSocket(port: fixture.port)
        let body = try PushFixture.notification([endpoint])
        first.send(PushFixture.bytes("POST", PushFixture.gateway, [], body: body))
        #expect(fixture.gate.await(.store, 1))
        #expect(try fixture.notify(endpoint).status == 503)
        fixture.gate.open()
        #expect(HTTPAnswer(from: first).text == Self.nobody)
        #expect(try fixture.notify(endpoint).text == Self.nobody)
        _ = try agent.notification()
        try agent.settle()
    }

    @Test("A device with a full quota does not hold up other devices")
    func full() throws {
        let fixture = try PushFixture { plan in
            plan.store = { $0.limits.quota.device.messages = 2 }
        }
        let (agent, away) = (try fixture.userAgent(), try fixture.userAgent())
        let (endpoint, full) = (try agent.register(), try away.register())
        away.close()
        #expect(try fixture.notify(full, event: "$0").status == 200)
        for _ in 0..<2 { #expect(try fixture.notify(full, endpoint).status == 503) }
        #expect(try agent.notification().body.contains(endpoint.dropFirst(30)))
        try agent.settle()
        let back = try fixture.userAgent(away.uaid)
        back.ack(try back.notification())
        // The store handles this after the acknowledgement.
        _ = try back.register()
        #expect(try fixture.notify(full, endpoint).text == Self.nobody)
        #expect(try back.notification().body.contains(#""event_id":"$event""#))
        try agent.settle()
    }
}
