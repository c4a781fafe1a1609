import Testing

@Suite("Topics and urgency")
struct TopicTests {
    private func topic(_ name: String = "t") -> (String, String) { ("Topic", name) }

    @Test("Only the last waiting message of a topic arrives; padding is not part of the topic")
    func replaced() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let (endpoint, other) = (try agent.register(), try agent.register())
        agent.close()
        _ = try fixture.push(endpoint, "a", [topic("AAAA")])
        _ = try fixture.push(other, "other", [topic("AAAA")])
        _ = try fixture.push(endpoint, "b", ttl: "90", [topic("AAAA==")])
        _ = try fixture.push(endpoint, "c", [topic("BBBB")])
        try fixture.restart()
        agent = try fixture.userAgent(agent.uaid)
        #expect(try agent.bodies(3) == ["other", "b", "c"])
        _ = try fixture.push(endpoint, "end")
        #expect(try agent.notification().body == "end")
    }

    @Test("A sent message is not recalled, and its acknowledgement does not end the later one")
    func sent() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        _ = try fixture.push(endpoint, "a", [topic()])
        let first = try agent.notification()
        _ = try fixture.push(endpoint, "b", [topic()])
        let second = try agent.notification()
        #expect([first.body, second.body] == ["a", "b"])
        #expect(first.version != second.version)
        agent.ack(first)
        try agent.settle()
        agent.close()
        agent = try fixture.userAgent(agent.uaid)
        #expect(try agent.notification() == second)
        _ = try fixture.push(endpoint, "end")
        #expect(try agent.notification().body == "end")
    }

    @Test("Withdrawing the first message of a topic does not end the second")
    func withdrawn() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        agent.close()
        let location = try #require(try fixture.push(endpoint, "a", [topic()])["location"])
        _ = try fixture.push(endpoint, "b", [topic()])
        #expect(try fixture.request("DELETE", location).status == 204)
        agent = try fixture.userAgent(agent.uaid)
        #expect(try agent.notification().body == "b")
    }

    @Test("A push with a topic is accepted only after the earlier one is off the disk")
    func acceptedAfterwards() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        fixture.gate.shut(.store)
        let socket = try ByteSocket(port: fixture.port)
        let fields: PushFixture.Fields = [
            ("TTL", "60"), ("Content-Encoding", "aes128gcm"), topic(),
        ]
        socket.send(PushFixture.bytes("POST", endpoint, fields, body: [120]))
        // The client acknowledges it, which is not enough.
        agent.ack(try agent.notification())
        try agent.settle()
        socket.send(PushFixture.bytes("GET", "/__lbheartbeat__", [], body: nil))
        fixture.gate.open()
        #expect(HTTPAnswer(from: socket).status == 201)
        #expect(HTTPAnswer(from: socket).status == 200)
    }

    @Test("A push with TTL 0 ends the earlier message of its topic")
    func endedByNow() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        agent.close()
        _ = try fixture.push(endpoint, "a", [topic()])
        let answer = try fixture.push(endpoint, "b", ttl: "0", [topic()])
        #expect(answer.status == 201)
        #expect(answer["ttl"] == "0")
        _ = try fixture.push(endpoint, "end")
        agent = try fixture.userAgent(agent.uaid)
        #expect(try agent.notification().body == "end")
    }

    @Test("Clients that ask get TTL, topic and urgency, and hear of withdrawn messages")
    func extensions() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent(
            extensions: #""ttl","topic","urgency","withdrawn","future",7"#)
        let channel = UserAgent.channel()
        let endpoint = try agent.register(channel)
        _ = try fixture.push(endpoint, "", [topic("abc"), ("Urgency", "low")])
        let text = try agent.next()
        #expect(text.hasSuffix(#"","ttl":60,"topic":"abc","urgency":"low"}"#))
        let version = text.components(separatedBy: "\"")[11]
        let answer = try fixture.push(endpoint, "x", [topic("abc")])
        #expect(try agent.notification().body == "x")
        let gone = #"{"messageType":"notification","channelID":"\#(channel)","version":"#
        #expect(try agent.next() == gone + #""\#(version)","withdrawn":true}"#)
        let location = try #require(answer["location"])
        #expect(try fixture.request("DELETE", location).status == 204)
        #expect(try agent.next().hasSuffix(#","withdrawn":true}"#))
        let plain = try fixture.userAgent()
        _ = try fixture.push(try plain.register(), "", [topic("abc"), ("Urgency", "low")])
        #expect(try plain.notification().members == ["messageType", "channelID", "version"])
    }

    @Test("A client may set an urgency, and less urgent messages wait until it accepts them")
    func urgency() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        let words = ["very-low", "low", "normal", "high"]
        agent.send(#"{"messageType":"urgency","min":"high"}"#)
        #expect(try agent.next() == #"{"messageType":"urgency","min":"high"}"#)
        for word in words {
            #expect(try fixture.push(endpoint, word, [("Urgency", word)]).status == 201)
        }
        _ = try fixture.push(endpoint, "none")
        _ = try fixture.push(endpoint, "now", ttl: "0", [("Urgency", "low")])
        let high = try agent.notification()
        #expect(high.body == "high")
        let loads = fixture.gate.count(of: .load)
        agent.send(#"{"messageType":"urgency","min":"normal"}"#)
        #expect(try agent.next() == #"{"messageType":"urgency","min":"normal"}"#)
        #expect(try agent.bodies(2) == ["normal", "none"])
        #expect(loads == 0)
        agent.ack(high)
        try agent.settle()
        agent.close()
        agent = try fixture.userAgent(agent.uaid)
        #expect(try agent.bodies(4) == ["very-low", "low", "normal", "none"])
    }
}
