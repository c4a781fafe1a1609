import Foundation
import TestSupport
import Testing

@Suite("Delivery")
struct DeliveryTests {
    private func version(_ location: String?) -> String? {
        location?.components(separatedBy: "/").last
    }

    @Test("A push with a body becomes this frame, in both encodings")
    func frames() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let channel = UserAgent.channel()
        let endpoint = try agent.register(channel)
        #expect(try fixture.push(endpoint, "hello?").status == 201)
        let text = try agent.next()
        let start = #"{"messageType":"notification","channelID":"\#(channel)","version":""#
        #expect(text.hasPrefix(start))
        #expect(
            text.hasSuffix(#"","data":"aGVsbG8_","headers":{"encoding":"aes128gcm"}}"#))
        let answer = try fixture.push(
            endpoint, "x",
            [
                ("Content-Encoding", "aesgcm"),
                ("Encryption", #"keyid="http://x/1";salt="XZwpKwA=="#),
                ("Crypto-Key", #"keyid="http://x/1";dh="BAAA==",p256ecdsa=CAAA="#),
            ])
        #expect(answer.status == 201, "\(answer.text)")
        let old = try agent.next()
        #expect(
            old.hasSuffix(
                #"","data":"eA","headers":{"encoding":"aesgcm","encryption":"#
                    + #""keyid=http://x/1;salt=XZwpKwA","crypto_key":"#
                    + #""keyid=http://x/1;dh=BAAA,p256ecdsa=CAAA"}}"#), "\(old)")
    }

    @Test("An empty push has neither data nor headers, whatever its header fields")
    func empty() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let channel = UserAgent.channel()
        let endpoint = try agent.register(channel)
        for fields: PushFixture.Fields in [
            [], [("Content-Encoding", "aesgcm"), ("Encryption", "salt=AAAA")],
            [("Content-Encoding", "nonsense"), ("Crypto-Key", "\"")],
        ] {
            #expect(try fixture.push(endpoint, "", fields).status == 201)
            #expect(
                try agent.notification().members == ["messageType", "channelID", "version"])
        }
    }

    @Test("A body of any bytes up to the limit arrives unchanged", arguments: [1, 4_096, 5_630])
    func sizes(_ size: Int) throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let answer = try fixture.request(
            "POST", endpoint, [("TTL", "60"), ("Content-Encoding", "aes128gcm")], body: body)
        #expect(answer.status == 201)
        let data = try agent.members()["data"] as? String
        #expect(
            data
                == Data(body).base64EncodedString().replacing("+", with: "-")
                .replacing("/", with: "_").replacing("=", with: ""))
    }

    @Test("A PUT is delivered unchanged, with data and without headers")
    func put() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        let answer = try fixture.push(
            endpoint, "version=17", ttl: nil, [("Content-Type", "x")], method: "PUT")
        #expect(answer.status == 201)
        #expect(answer["ttl"] == "86400")
        #expect(answer["location"]?.hasPrefix("https://push.example/m/") == true)
        let text = try agent.next()
        #expect(text.hasSuffix(#"","data":"dmVyc2lvbj0xNw"}"#))
    }

    @Test("Missed messages come right after hello, in order of acceptance")
    func stored() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let endpoints = [try agent.register(), try agent.register()]
        agent.close()
        for number in 0..<30 {
            #expect(try fixture.push(endpoints[number % 2], "\(number)").status == 201)
        }
        for _ in 0..<2 {
            agent = try fixture.userAgent(agent.uaid)
            #expect(try agent.bodies(30) == (0..<30).map(String.init))
            agent.close()
            try fixture.restart()
        }
    }

    @Test("Each acknowledgement counts for one message; the rest come again with the same version")
    func singleAcknowledgements() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        for number in 0..<5 { #expect(try fixture.push(endpoint, "\(number)").status == 201) }
        let first = try (0..<5).map { _ in try agent.notification() }
        agent.ack(first[3], first[0])
        try agent.settle()
        agent.close()
        agent = try fixture.userAgent(agent.uaid)
        let second = try (0..<3).map { _ in try agent.notification() }
        #expect(second == [first[1], first[2], first[4]])
        agent.ack(second[1], code: nil)
        try agent.settle()
        try fixture.restart()
        agent = try fixture.userAgent(agent.uaid)
        #expect(try agent.notification() == first[1])
        #expect(try agent.notification() == first[4])
    }

    @Test("An ack with any code ends a message; a nack does nothing", arguments: [100, 101, 102])
    func codes(_ code: Int) throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        for body in ["done", "kept"] { _ = try fixture.push(endpoint, body) }
        agent.ack(try agent.notification(), code: code)
        let kept = try agent.notification()
        agent.send(#"{"messageType":"nack","version":"\#(kept.version)","code":301}"#)
        agent.send(#"{"messageType":"nack","version":"\#(kept.version)"}"#)
        try agent.settle()
        agent.close()
        agent = try fixture.userAgent(agent.uaid)
        #expect(try agent.notification() == kept)
    }

    @Test("Acknowledging unknown messages, or those of others, changes nothing")
    func foreignAcknowledgements() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        let other = try fixture.userAgent()
        _ = try other.register()
        _ = try fixture.push(endpoint, "mine")
        let notification = try agent.notification()
        for text in [notification.version, "nonsense", "", "AAAAAAAAAAAAAAAAAAAAAA"] {
            other.send(
                #"{"messageType":"ack","updates":[{"channelID":"x","version":"\#(text)"}]}"#)
        }
        try other.settle()
        agent.close()
        let later = try fixture.userAgent(agent.uaid)
        #expect(try later.notification() == notification)
    }

    @Test("An acknowledged message never comes again, even after a restart")
    func final() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        for round in 0..<3 {
            _ = try fixture.push(endpoint, "\(round)")
            let notification = try agent.notification()
            #expect(notification.body == "\(round)")
            agent.ack(notification)
            try agent.settle()
            if round == 1 { try fixture.restart() } else { agent.close() }
            agent = try fixture.userAgent(agent.uaid)
        }
        #expect(fixture.store.index.usage(ofDevice: 1) == (0, 0))
    }

    @Test("A later connection may acknowledge a message before it comes there")
    func lateAcknowledgement() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        _ = try fixture.push(endpoint, "a")
        let notification = try agent.notification()
        agent.close()
        fixture.gate.shut(.load)
        let later = try UserAgent(fixture)
        later.send(#"{"messageType":"hello","uaid":"\#(agent.uaid)"}"#)
        later.ack(notification)
        fixture.gate.open()
        #expect(try later.members()["status"] as? Int == 200)
        try later.settle()
        _ = try fixture.push(endpoint, "b")
        var bodies = [try later.notification().body]
        if bodies == ["a"] { bodies = [try later.notification().body] }
        #expect(bodies == ["b"])
    }

    @Test("A message acknowledged while it was being written does not come again")
    func acknowledgedBeforeCommit() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        fixture.gate.shut(.store, .acknowledge)
        let sender = try ByteSocket(port: fixture.port)
        let fields = [("TTL", "60"), ("Content-Encoding", "aes128gcm")]
        sender.send(PushFixture.bytes("POST", endpoint, fields, body: Array("once".utf8)))
        let notification = try agent.notification()
        #expect(fixture.gate.await(.store, 1))
        agent.ack(notification)
        #expect(fixture.gate.await(.acknowledge, 1))
        fixture.gate.open()
        #expect(HTTPAnswer(from: sender).status == 201)
        try agent.settle()
    }

    @Test("An acknowledged message frees its room, whether it was written or not")
    func room() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        let sender = try ByteSocket(port: fixture.port)
        let fields = [("TTL", "60"), ("Content-Encoding", "aes128gcm")]
        for _ in 0..<50 {
            sender.send(PushFixture.bytes("POST", endpoint, fields, body: [1]))
            agent.ack(try agent.notification())
            #expect(HTTPAnswer(from: sender).status == 201)
        }
        try agent.settle()
        #expect(fixture.store.index.usage(ofDevice: 1) == (0, 0))
    }

    @Test("A message with TTL 0 and a topic comes only once")
    func fleetingTopic() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        fixture.gate.shut(.store)
        let sender = try ByteSocket(port: fixture.port)
        let fields = [("TTL", "0"), ("Topic", "news"), ("Content-Encoding", "aes128gcm")]
        sender.send(PushFixture.bytes("POST", endpoint, fields, body: Array("once".utf8)))
        agent.ack(try agent.notification())
        try agent.settle()
        fixture.gate.open()
        #expect(HTTPAnswer(from: sender).status == 201)
        try agent.settle()
    }

    @Test("A client that acknowledges one at a time gets 500 stored messages once, in order")
    func slowClient() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        agent.close()
        let socket = try ByteSocket(port: fixture.port)
        for number in 0..<500 {
            socket.send(
                PushFixture.bytes(
                    "POST", endpoint, [("TTL", "60"), ("Content-Encoding", "aes128gcm")],
                    body: Array("\(number)".utf8)))
        }
        for _ in 0..<500 { #expect(HTTPAnswer(from: socket).status == 201) }
        agent = try fixture.userAgent(agent.uaid)
        var versions = Set<String>()
        for number in 0..<500 {
            let notification = try agent.notification()
            #expect(notification.body == "\(number)")
            #expect(versions.insert(notification.version).inserted)
            agent.ack(notification)
            // New messages come last, even while pages are being read.
            if number % 50 == 0 { _ = try fixture.push(endpoint, "\(500 + number / 50)") }
        }
        #expect(try agent.bodies(10) == (500..<510).map(String.init))
    }

    @Test("At most 128 messages are under way; a full window reads nothing from the store")
    func window() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        for number in 0..<160 { #expect(try fixture.push(endpoint, "\(number)").status == 201) }
        let first = try (0..<128).map { _ in try agent.notification() }
        #expect(fixture.gate.count(of: .load) == 0)
        for notification in first.prefix(64) { agent.ack(notification) }
        #expect(try agent.bodies(32) == (128..<160).map(String.init))
    }

    @Test("A slow client gets bodies of the largest size in order")
    func largeBacklog() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        agent.close()
        let filler = String(repeating: "x", count: 5_600)
        for number in 0..<300 {
            #expect(try fixture.push(endpoint, "\(1_000 + number)" + filler).status == 201)
        }
        agent = try fixture.userAgent(agent.uaid)
        for number in 0..<300 {
            let notification = try agent.notification()
            #expect(notification.body.prefix(4) == "\(1_000 + number)")
            agent.ack(notification)
        }
    }

    @Test("A message with TTL 0 reaches a connected client, and no later connection")
    func now() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        let answer = try fixture.push(endpoint, "now", ttl: "0")
        #expect(answer.status == 201)
        #expect(answer["ttl"] == "0")
        #expect(try agent.notification().body == "now")
        agent.close()
        let absent = try fixture.push(endpoint, "never", ttl: "0")
        #expect(absent.status == 201)
        #expect(absent["ttl"] == "0")
        _ = try fixture.push(endpoint, "later")
        agent = try fixture.userAgent(agent.uaid)
        #expect(try agent.notification().body == "later")
        #expect(fixture.store.index.usage(ofDevice: 1).messages == 1)
    }

    @Test("Expired messages are skipped, and the next batch comes at once")
    func expired() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        agent.close()
        for number in 0..<100 { _ = try fixture.push(endpoint, "\(number)", ttl: "1") }
        _ = try fixture.push(endpoint, "lives")
        Thread.sleep(forTimeInterval: 1.1)
        agent = try fixture.userAgent(agent.uaid)
        #expect(try agent.notification().body == "lives")
    }

    @Test("User agents get pushes on several loops", arguments: [2, 3])
    func loops(_ loops: Int) throws {
        let fixture = try PushFixture { $0.loops = loops }
        let agents = try (0..<6).map { _ in try fixture.userAgent() }
        let endpoints = try agents.map { try $0.register() }
        for round in 0..<20 {
            for (agent, endpoint) in zip(agents, endpoints) {
                #expect(try fixture.push(endpoint, "\(round)").status == 201)
                let notification = try agent.notification()
                #expect(notification.body == "\(round)")
                if round % 2 == 0 { agent.ack(notification) }
            }
        }
    }
}
