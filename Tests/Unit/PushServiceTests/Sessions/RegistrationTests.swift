import Foundation
import TestSupport
import Testing

@Suite("Registrations")
struct RegistrationTests {
    @Test("An endpoint without a key has version 1, one with a key has version 2")
    func endpoints() throws {
        let agent = try PushFixture().userAgent()
        let token = #"[A-Za-z0-9_-]{38}"#
        let open = try agent.register()
        #expect(open.wholeMatch(of: try Regex("https://push\\.example/wpush/v1/" + token)) != nil)
        let key = try Sender().publicKey
        let bound = try agent.register(key: key)
        #expect(bound.wholeMatch(of: try Regex("https://push\\.example/wpush/v2/" + token)) != nil)
    }

    @Test("The answer to register has these members in this order")
    func form() throws {
        let agent = try PushFixture().userAgent()
        let channel = UserAgent.channel()
        agent.send(#"{"key":null,"channelID":"\#(channel)","messageType":"register","x":[{}]}"#)
        let text = try agent.next()
        let start = #"{"messageType":"register","channelID":"\#(channel)","status":200,"#
        #expect(text.hasPrefix(start + #""pushEndpoint":"https://push.example/wpush/v1/"#))
        #expect(text.hasSuffix("\"}"))
    }

    @Test(
        "A key that is empty or not base64url gets 400, and the connection stays open",
        arguments: [
            "BIFSss+z2FqlZ9SgAuy8K", "a b", "*", "A", "",
        ])
    func badKey(_ key: String) throws {
        let agent = try PushFixture().userAgent()
        agent.send(
            #"{"messageType":"register","channelID":"\#(UserAgent.channel())","key":"\#(key)"}"#)
        let reply = try agent.members()
        #expect(reply["status"] as? Int == 400)
        let sentence = reply["pushEndpoint"] as? String
        #expect(sentence == "The key is empty, or not base64url")
        _ = try agent.register()
    }

    @Test("A key is the same with padding and without")
    func padding() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let sender = try Sender()
        for key in [sender.publicKey, sender.publicKey + "="] {
            let endpoint = try agent.register(key: key)
            #expect(try fixture.push(endpoint, "a", [try sender.field()]).status == 201)
            agent.ack(try agent.notification())
        }
    }

    @Test(
        "A channel that is not a canonical UUID ends the connection",
        arguments: [
            #""register","channelID":"\#(UUID().uuidString)""#, #""register","channelID":"abc""#,
            #""register","channelID":"3b0ae1f29c1f4c1b9d610c5d3f2e1a00""#,
        ])
    func badChannel(_ members: String) throws {
        let agent = try PushFixture().userAgent()
        agent.send(#"{"messageType":\#(members)}"#)
        #expect(agent.closing() == "1011 SM")
    }

    @Test(
        "A missing member or a wrong type ends the connection",
        arguments: [
            #""register""#, #""register","channelID":5"#, #""unregister""#,
            #""unregister","channelID":"abc""#, #""ack""#, #""ack","updates":{}"#,
            #""ack","updates":[{"version":"a"}]"#, #""ack","updates":[{"channelID":"a"}]"#,
            #""nack""#, #""nack","version":1"#, #""broadcast_subscribe""#,
            #""broadcast_subscribe","broadcasts":[]"#, #""urgency","min":"extreme""#,
            #""register","channelID":"3b0ae1f2-9c1f-4c1b-9d61-0c5d3f2e1a00","key":1"#,
        ])
    func badMembers(_ members: String) throws {
        let agent = try PushFixture().userAgent()
        agent.send(#"{"messageType":\#(members)}"#)
        #expect(agent.closing() == "1011 Json")
    }

    @Test("After unregister an endpoint is gone for good, even after a restart")
    func gone() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let channel = UserAgent.channel()
        let endpoint = try agent.register(channel)
        #expect(try fixture.push(endpoint).status == 201)
        _ = try agent.notification()
        try agent.unregister(channel)
        for _ in 0..<2 {
            let answer = try fixture.push(endpoint, "x")
            #expect(answer.code == "410/106")
            #expect(answer["cache-control"] == "max-age=86400")
            #expect(answer.message == "No such subscription")
            try fixture.restart()
        }
    }

    @Test("Unregister accepts any spelling and code, and gives 200 for an unknown channel")
    func unregister() throws {
        let agent = try PushFixture().userAgent()
        let channel = UserAgent.channel()
        _ = try agent.register(channel)
        for spelling in [channel.uppercased(), channel.filter { $0 != "-" }] {
            for code in ["", #","code":201"#, #","code":null"#] {
                agent.send(#"{"messageType":"unregister","channelID":"\#(spelling)"\#(code)}"#)
                let expected =
                    #"{"messageType":"unregister","channelID":"\#(channel)","status":200}"#
                #expect(try agent.next() == expected)
            }
        }
    }

    @Test("A channel that is registered again keeps its endpoint and its messages")
    func again() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let channel = UserAgent.channel()
        let key = try Sender().publicKey
        let other = UserAgent.channel()
        let endpoint = try agent.register(channel)
        let bound = try agent.register(other, key: key)
        #expect(try agent.register(channel) == endpoint)
        agent.close()
        #expect(try fixture.push(endpoint, "kept").status == 201)
        try fixture.restart()
        agent = try fixture.userAgent(agent.uaid)
        #expect(try agent.notification().body == "kept")
        #expect(try agent.register(channel) == endpoint)
        #expect(try agent.register(other, key: key + "=") == bound)
    }

    @Test("Registering a channel with another key ends its old endpoint and messages")
    func anew() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let channel = UserAgent.channel()
        let old = try agent.register(channel)
        #expect(try fixture.push(old, "old").status == 201)
        _ = try agent.notification()
        let sender = try Sender()
        let new = try agent.register(channel, key: sender.publicKey)
        #expect(new != old)
        #expect(try fixture.push(old, "x").code == "410/106")
        #expect(try fixture.push(new, "new", [try sender.field()]).status == 201)
        #expect(try agent.notification().body == "new")
        agent.close()
        let later = try fixture.userAgent(agent.uaid)
        #expect(try later.notification().body == "new")
        #expect(fixture.store.index.endpointCount == 1)
    }

    @Test("Registering a channel twice at once makes one endpoint")
    func atOnce() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let channel = UserAgent.channel()
        let text = #"{"messageType":"register","channelID":"\#(channel)"}"#
        agent.socket.send((0..<20).flatMap { _ in ConformanceFrame.text(text).bytes(masked: true) })
        let endpoints = try (0..<20).map { _ in try agent.members()["pushEndpoint"] as? String }
        #expect(Set(endpoints).count == 1)
        #expect(fixture.store.index.endpointCount == 1)
        try agent.unregister(channel)
        #expect(try fixture.push(try #require(endpoints[0])).code == "410/106")
    }

    @Test("Messages of an unregistered channel are deleted, and hold up no others")
    func messagesEnd() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let channel = UserAgent.channel()
        let ended = try agent.register(channel)
        let other = try agent.register()
        // As many as may be under way; none is ever acknowledged.
        for number in 0..<128 { #expect(try fixture.push(ended, "\(number)").status == 201) }
        _ = try agent.bodies(128)
        #expect(try fixture.push(other, "waits").status == 201)
        try agent.unregister(channel)
        #expect(try agent.notification().body == "waits")
        agent.close()
        let later = try fixture.userAgent(agent.uaid)
        #expect(try later.notification().body == "waits")
    }

    @Test("While the store fails a user agent gets 500, and registers once it works")
    func unavailable() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let channel = UserAgent.channel()
        func status(_ type: String) throws -> Int? {
            agent.send(#"{"messageType":"\#(type)","channelID":"\#(channel)"}"#)
            let reply = try agent.members()
            if reply["status"] as? Int == 500, type == "register" {
                #expect(reply["pushEndpoint"] as? String == "")
            }
            return reply["status"] as? Int
        }
        fixture.gate.refuse(.other)
        #expect(try status("register") == 500)
        fixture.gate.refuse()
        #expect(try status("register") == 200)
        fixture.gate.refuse(.other)
        #expect(try status("unregister") == 500)
        fixture.gate.refuse()
        #expect(try status("unregister") == 200)
    }

    @Test("If the store cannot read at hello, the client is disconnected and may come again")
    func helloUnavailable() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        _ = try agent.register()
        agent.close()
        fixture.gate.refuse(.load)
        let early = try UserAgent(fixture)
        early.send(#"{"messageType":"hello","uaid":"\#(agent.uaid)"}"#)
        #expect(early.closing() == "1011 SM")
        fixture.gate.refuse()
        #expect(try fixture.userAgent(agent.uaid).uaid == agent.uaid)
    }
}
