import Foundation
import TestSupport
import Testing

@Suite("Hello")
struct HelloTests {
    @Test("The first answer contains a new id")
    func answer() throws {
        let fixture = try PushFixture()
        let agent = try UserAgent(fixture)
        agent.send(#"{"messageType":"hello","use_webpush":true}"#)
        let text = try agent.next()
        let uaid = text.dropFirst(#"{"messageType":"hello","uaid":""#.count).prefix(32)
        #expect(uaid.allSatisfy { $0.isHexDigit && !$0.isUppercase })
        #expect(
            text == #"{"messageType":"hello","uaid":"\#(uaid)","status":200,"use_webpush":true,"#
                + #""broadcasts":{}}"#)
    }

    @Test(
        "Every form of hello that clients send is accepted",
        arguments: [
            #"{"messageType":"hello"}"#,
            #"{"messageType":"hello","uaid":""}"#,
            #"{"messageType":"hello","uaid":"not-a-uuid","use_webpush":true}"#,
            #"{"messageType":"hello","uaid":null,"broadcasts":null,"channelIDs":null}"#,
            #"{"messageType":"hello","uaid":"deadbeef00000000deadbeef00000000"}"#,
            #"{"messageType":"hello","uaid":"deadbeef-0000-0000-dead-beef00000000"}"#,
            #"{"messageType":"hello","use_webpush":false,"unknown":{"a":[1]}}"#,
            #"{"channelIDs":["3b0ae1f2-9c1f-4c1b-9d61-0c5d3f2e1a00"],"messageType":"hello"}"#,
            #" { "messageType" : "hello" , "broadcasts" : { } } "#,
        ])
    func tolerated(_ hello: String) throws {
        let agent = try UserAgent(try PushFixture())
        agent.send(hello)
        let reply = try agent.members()
        #expect(reply["status"] as? Int == 200)
        #expect(reply["use_webpush"] as? Bool == true)
        #expect((reply["uaid"] as? String)?.count == 32)
        #expect(reply["uaid"] as? String != "deadbeef00000000deadbeef00000000")
    }

    @Test(
        "A message that breaks the rules ends the connection with its code",
        arguments: [
            ("bad-data", "1011 Json"), ("[]", "1011 Json"), ("\"hello\"", "1011 Json"),
            (#"{"messageType":"unknown"}"#, "1011 Json"), (#"{"uaid":""}"#, "1011 Json"),
            (#"{"messageType":"Hello"}"#, "1011 Json"), (#"{"messageType":1}"#, "1011 Json"),
            (#"{"messageType":"hello","uaid":7}"#, "1011 Json"),
            (#"{"messageType":"hello","channelIDs":["x"]}"#, "1011 Json"),
            (#"{"messageType":"hello","channelIDs":{}}"#, "1011 Json"),
            (#"{"messageType":"hello","use_webpush":1}"#, "1011 Json"),
            (#"{"messageType":"register","channelID":"x"}"#, "1011 SM"),
            (#"{"messageType":"ack","updates":[]}"#, "1011 SM"),
            (#"{"messageType":"broadcast_subscribe","broadcasts":{}}"#, "1011 SM"),
        ])
    func refused(_ text: String, _ closing: String) throws {
        let agent = try UserAgent(try PushFixture())
        agent.send(text)
        #expect(agent.closing() == closing)
    }

    @Test("A binary message ends the connection with 1003")
    func binary() throws {
        let fixture = try PushFixture()
        let agent = try UserAgent(fixture)
        agent.send(.binary([1]))
        #expect(agent.closing() == "1003 UnsupportedMessage")
        let later = try fixture.userAgent()
        later.send(.binary(Array("{}".utf8)))
        #expect(later.closing() == "1003 UnsupportedMessage")
    }

    @Test("A message of more than 64 KiB, or a broken frame, ends the connection")
    func protocolViolations() throws {
        let fixture = try PushFixture()
        let long = try fixture.userAgent()
        long.send(String(repeating: " ", count: 64 * 1024 + 1))
        #expect(long.closing().hasPrefix("1009 "))
        let broken = try fixture.userAgent()
        broken.send(ConformanceFrame.text("{}").with { $0.reserved = 4 })
        #expect(broken.closing().hasPrefix("1002 "))
    }

    @Test("A second hello ends the connection")
    func secondHello() throws {
        let agent = try PushFixture().userAgent()
        agent.send(#"{"messageType":"hello"}"#)
        #expect(agent.closing() == "1011 SM")
    }

    @Test("A client that sends nothing for five seconds is disconnected")
    func timeout() throws {
        let agent = try UserAgent(try PushFixture())
        let start = Date()
        #expect(agent.closing() == "1011 HandshakeTimeout")
        #expect((4.5..<8).contains(Date().timeIntervalSince(start)))
    }

    @Test("The client's close code is sent back")
    func closeIsEchoed() throws {
        let agent = try PushFixture().userAgent()
        agent.send(.close(4242, Array("bye".utf8)))
        #expect(agent.closing().hasPrefix("4242"))
    }

    @Test("Ping frames are answered with their payload, before hello and after")
    func pingFrames() throws {
        let fixture = try PushFixture()
        let agent = try UserAgent(fixture)
        agent.send(.ping("early"))
        #expect(agent.socket.frame() == .pong("early"))
        try agent.hello()
        for number in 0..<50 {
            agent.send(.ping("\(number)"))
            #expect(agent.socket.frame() == .pong("\(number)"))
        }
    }

    @Test("A ping in either form is answered with {}; a second one too early ends the connection")
    func ping() throws {
        let fixture = try PushFixture()
        for text in ["{}", #"{"messageType":"ping"}"#, " { } "] {
            let agent = try fixture.userAgent()
            agent.send(text)
            #expect(try agent.next() == "{}")
            agent.send(text)
            let closing = agent.closing()
            #expect(closing == "1011 SM")
        }
    }

    @Test("A ping before hello is answered, and hello may still follow")
    func pingBeforeHello() throws {
        let agent = try UserAgent(try PushFixture())
        agent.send("{}")
        #expect(try agent.next() == "{}")
        try agent.hello()
    }

    @Test("A message may come in fragments, even with a ping between them")
    func fragments() throws {
        let agent = try UserAgent(try PushFixture())
        agent.send(.text(#"{"messageType":"#, isFinal: false))
        agent.send(.ping(""))
        agent.send(.more(#""hello"}"#, isFinal: true))
        #expect(agent.socket.frame() == .pong(""))
        #expect(try agent.members()["status"] as? Int == 200)
    }

    @Test("A client that asks for broadcasts is told that there are none")
    func broadcasts() throws {
        let agent = try UserAgent(try PushFixture())
        agent.send(#"{"messageType":"hello","broadcasts":{"a/b":"\"17\"","c":"v"}}"#)
        let hello = try agent.next()
        let errors = #"{"errors":{"a/b":"Broadcast not found","c":"Broadcast not found"}}"#
        #expect(hello.hasSuffix(#""broadcasts":\#(errors)}"#))
        agent.send(#"{"messageType":"broadcast_subscribe","broadcasts":{}}"#)
        agent.send(#"{"messageType":"broadcast_subscribe","broadcasts":{"a":"1"}}"#)
        #expect(
            try agent.next()
                == #"{"messageType":"broadcast","broadcasts":{"errors":{"a":"Broadcast not found"}}}"#
        )
    }

    @Test("Messages that arrive together with hello are handled after it, in order")
    func pipelined() throws {
        let agent = try UserAgent(try PushFixture())
        let channels = (0..<40).map { _ in UserAgent.channel() }
        var bytes = ConformanceFrame.text(#"{"messageType":"hello"}"#).bytes(masked: true)
        for channel in channels {
            let text = #"{"messageType":"register","channelID":"\#(channel)"}"#
            bytes += ConformanceFrame.text(text).bytes(masked: true)
        }
        bytes += ConformanceFrame.text("{}").bytes(masked: true)
        agent.socket.send(bytes)
        #expect(try agent.members()["messageType"] as? String == "hello")
        var answered: [String] = []
        var pings = 0
        while answered.count + pings < 41 {
            let reply = try agent.members()
            if reply.isEmpty {
                pings += 1
            } else {
                answered.append(reply["channelID"] as? String ?? "")
            }
        }
        #expect(answered == channels)
        #expect(pings == 1)
    }
}
