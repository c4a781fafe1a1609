import Base
import Testing

@testable import WebPush

/// A session with its clock and its last answer.
struct TestSession {
    var session = AutopushSession(at: .seconds(100))
    var now: Duration = .seconds(100)
    var reply = ""
    var acknowledged: [MessageID] = []

    static let channel = ChannelID(ClientMessageTests.bits)
    static let userAgent = UserAgentID(Bits128(high: 7, low: 8))

    /// After hello.
    static func open(_ members: String = "") -> TestSession {
        var session = TestSession()
        _ = session.say(#"{"messageType":"hello"\#(members)}"#)
        _ = session.answer { $0.identified(as: userAgent, reply: &$1) }
        return session
    }

    mutating func say(_ text: String) -> AutopushSession.Action {
        let payload = Array(text.utf8)
        var reply: [UInt8] = []
        var acknowledged: [MessageID] = []
        let action = session.received(payload.span, at: now, reply: &reply) {
            acknowledged.append($0)
        }
        self.reply = String(decoding: reply, as: UTF8.self)
        self.acknowledged += acknowledged
        return action
    }

    mutating func answer(
        _ body: (inout AutopushSession, inout [UInt8]) -> AutopushSession.Action
    ) -> AutopushSession.Action {
        var reply: [UInt8] = []
        let action = body(&session, &reply)
        self.reply = String(decoding: reply, as: UTF8.self)
        return action
    }

    mutating func acknowledge(_ ids: [MessageID]) -> AutopushSession.Action {
        let updates = ids.map { id in
            var version: [UInt8] = []
            id.append(to: &version)
            return #"{"channelID":"x","version":"\#(String(decoding: version, as: UTF8.self))"}"#
        }
        return say(#"{"messageType":"ack","updates":[\#(updates.joined(separator: ","))]}"#)
    }

    static func id(_ number: Int) -> MessageID { MessageID(Bits128(high: 1, low: UInt64(number))) }
}

@Suite("A user agent's connection")
struct AutopushSessionTests {
    static let register =
        #"{"messageType":"register","channelID":"\#(ClientMessageTests.channel)"}"#
    static let unregister =
        #"{"messageType":"unregister","channelID":"\#(ClientMessageTests.channel)"}"#

    @Test("hello must come within five seconds")
    func helloTimeout() {
        var session = TestSession()
        #expect(session.session.deadline == .seconds(105))
        #expect(session.session.elapsed(at: .seconds(104.9)) == .none)
        #expect(session.session.elapsed(at: .seconds(105)) == .close(.helloTimeout))
        #expect(session.session.elapsed(at: .seconds(106)) == .none)
        #expect(session.say("{}") == .none)
    }

    @Test("hello asks who it is, is answered once that is known, and then what waits is delivered")
    func hello() {
        var session = TestSession()
        #expect(session.say(#"{"messageType":"hello","uaid":"x"}"#) == .identify(nil))
        #expect(!session.session.isReady && !session.session.isOpen)
        #expect(session.session.deadline == nil)
        let action = session.answer { $0.identified(as: TestSession.userAgent, reply: &$1) }
        #expect(action == .open && session.session.isReady && session.session.isOpen)
        #expect(
            session.reply == #"{"messageType":"hello","uaid":"00000000000000070000000000000008","#
                + #""status":200,"use_webpush":true,"broadcasts":{}}"#)
        var known = TestSession()
        #expect(
            known.say(#"{"messageType":"hello","uaid":"\#(ClientMessageTests.channel)"}"#)
                == .identify(UserAgentID(ClientMessageTests.bits)))
    }

    @Test(
        "Before hello only a ping is accepted",
        arguments: [
            register, unregister, #"{"messageType":"ack","updates":[]}"#,
            #"{"messageType":"nack","version":"x"}"#, #"{"messageType":"urgency","min":"low"}"#,
            #"{"messageType":"broadcast_subscribe","broadcasts":{}}"#,
        ])
    func beforeHello(text: String) {
        var session = TestSession()
        #expect(session.say("{}") == .send && session.reply == "{}")
        #expect(session.say(text) == .close(.badState) && session.reply.isEmpty)
        #expect(session.say(#"{"messageType":"hello"}"#) == .none)
    }

    @Test("A second hello, bad text and a bad channel end the connection")
    func closing() {
        for (text, closing) in [
            (#"{"messageType":"hello"}"#, AutopushClosing.badState), ("bad-data", .badMessage),
            (#"{"messageType":"register","channelID":"x"}"#, .badState),
        ] {
            var session = TestSession.open()
            #expect(session.say(text) == .close(closing))
            #expect(!session.session.isOpen)
        }
    }

    @Test("Pings may come every 45 seconds")
    func pings() {
        var session = TestSession.open()
        #expect(session.say(#"{"messageType":"ping"}"#) == .send && session.reply == "{}")
        session.now += .seconds(45)
        #expect(session.say("{}") == .send && session.reply == "{}")
        session.now += .milliseconds(44_999)
        #expect(session.say("{}") == .close(.badState) && session.reply.isEmpty)
    }

    @Test("register and unregister are answered when they are done")
    func registration() {
        var session = TestSession.open()
        #expect(session.say(Self.register) == .register(TestSession.channel, key: nil))
        #expect(session.say(Self.unregister) == .unregister(TestSession.channel))
        let outcome = RegistrationOutcome.registered(endpoint: Array("https://a/b".utf8))
        let registered = session.answer {
            $0.registered(TestSession.channel, outcome, reply: &$1)
        }
        #expect(registered == .send)
        #expect(session.reply.hasSuffix(#""status":200,"pushEndpoint":"https://a/b"}"#))
        let unregistered = session.answer {
            $0.unregistered(TestSession.channel, isDone: true, reply: &$1)
        }
        #expect(unregistered == .send)
        #expect(session.reply.hasSuffix(#""status":200}"#))
    }

    @Test("A bad key is refused, and the connection goes on")
    func badKey() {
        var session = TestSession.open()
        let text = Self.register.replacing("}", with: #","key":"a+b"}"#)
        #expect(session.say(text) == .send && session.reply.contains(#""status":400"#))
        let good = Self.register.replacing("}", with: #","key":"AQI="}"#)
        #expect(session.say(good) == .register(TestSession.channel, key: [1, 2]))
    }

    @Test("Nothing is read while sixteen requests are in progress")
    func backPressure() {
        var session = TestSession.open()
        for _ in 0..<16 {
            #expect(session.session.isReady)
            _ = session.say(Self.register)
        }
        #expect(!session.session.isReady)
        _ = session.answer { $0.registered(TestSession.channel, .failed, reply: &$1) }
        #expect(session.session.isReady)
        _ = session.say(Self.register)
        #expect(session.say(Self.register) == .close(.badState))
    }

    @Test("Broadcasts are answered as unknown, and an empty list needs no answer")
    func broadcasts() {
        var session = TestSession.open()
        let start = #"{"messageType":"broadcast_subscribe","broadcasts":"#
        #expect(session.say(start + "{}}") == .none && session.reply.isEmpty)
        #expect(session.say(start + #"{"a":"b"}}"#) == .send)
        #expect(session.reply.hasSuffix(#"{"errors":{"a":"Broadcast not found"}}}"#))
    }

    @Test("The connection replaced by a newer one ends")
    func replaced() {
        var session = TestSession.open()
        #expect(session.session.replaced() == .close(.badState))
        #expect(session.session.replaced() == .none)
        session.session.end()
        #expect(session.say("{}") == .none)
        let late = session.answer { $0.registered(TestSession.channel, .failed, reply: &$1) }
        #expect(late == .none && session.reply.isEmpty)
    }

    @Test("An idle connection costs little, and allocates nothing")
    func size() {
        #expect(MemoryLayout<AutopushSession>.size <= 96)
    }
}

@Suite("What a user agent says of deliveries")
struct AutopushDeliveryTests {
    @Test("Acknowledgements count one by one, also for deliveries of earlier connections")
    func acknowledgement() {
        var session = TestSession.open()
        #expect(session.acknowledge([TestSession.id(2)]) == .acknowledged)
        #expect(session.acknowledge([TestSession.id(3), TestSession.id(2)]) == .acknowledged)
        #expect(session.acknowledged == [2, 3, 2].map(TestSession.id))
    }

    @Test("It may say how urgent a message has to be")
    func urgency() {
        var session = TestSession.open()
        #expect(session.say(#"{"messageType":"urgency","min":"normal"}"#) == .want(.normal))
        #expect(session.reply == #"{"messageType":"urgency","min":"normal"}"#)
    }

    @Test("Only the extensions a client asked for are added to its messages")
    func extensions() {
        for (words, hasTTL, hasTopic, hasUrgency) in [
            ("", false, false, false), (#"["ttl","urgency"]"#, true, false, true),
            (#"["topic"]"#, false, true, false),
        ] {
            let session = TestSession.open(words.isEmpty ? "" : #","extensions":\#(words)"#)
            var message = NotificationMessage(
                channel: TestSession.channel, version: TestSession.id(1), headers: nil)
            session.session.extend(&message, ttl: 5, topic: Topic("a"), urgency: .low)
            #expect((message.ttl == 5) == hasTTL && (message.topic != nil) == hasTopic)
            #expect((message.urgency == .low) == hasUrgency)
        }
    }
}
