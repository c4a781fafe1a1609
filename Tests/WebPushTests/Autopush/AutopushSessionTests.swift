import Base
import Testing

@testable import WebPush

/// A session with its clock, and what it answered last.
struct TestSession {
    var session = AutopushSession(at: .seconds(100))
    var now: Duration = .seconds(100)
    var reply = ""
    var acknowledged: [MessageID] = []

    static let channel = ChannelID(ClientMessageTests.bits)
    static let userAgent = UserAgentID(Bits128(high: 7, low: 8))

    /// One that was greeted.
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
        #expect(action == .sendAndDeliver && session.session.isReady && session.session.isOpen)
        #expect(
            session.reply == #"{"messageType":"hello","uaid":"00000000000000070000000000000008","#
                + #""status":200,"use_webpush":true,"broadcasts":{}}"#)
        var known = TestSession()
        #expect(
            known.say(#"{"messageType":"hello","uaid":"\#(ClientMessageTests.channel)"}"#)
                == .identify(UserAgentID(ClientMessageTests.bits)))
    }

    @Test(
        "Before hello only a ping is taken",
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

    @Test("Nothing more is read while sixteen requests are under way")
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

    @Test("Broadcasts are unknown here, and a list of none needs no answer")
    func broadcasts() {
        var session = TestSession.open()
        let start = #"{"messageType":"broadcast_subscribe","broadcasts":"#
        #expect(session.say(start + "{}}") == .none && session.reply.isEmpty)
        #expect(session.say(start + #"{"a":"b"}}"#) == .send)
        #expect(session.reply.hasSuffix(#"{"errors":{"a":"Broadcast not found"}}}"#))
    }

    @Test("The connection replaced by a newer one ends, and what it left is sent again")
    func replaced() {
        var session = TestSession.open()
        #expect(session.session.deliver(TestSession.id(1), length: 1, urgency: .low) == .send)
        #expect(session.session.replaced() == .close(.badState))
        #expect(session.session.replaced() == .none)
        #expect(session.session.end() == [TestSession.id(1)])
        #expect(session.session.deliver(TestSession.id(2), length: 1, urgency: .low) == .wait)
        #expect(session.say("{}") == .none)
        let late = session.answer { $0.registered(TestSession.channel, .failed, reply: &$1) }
        #expect(late == .none && session.reply.isEmpty)
    }

    @Test("An idle connection costs little, and allocates nothing")
    func size() {
        #expect(MemoryLayout<AutopushSession>.size <= 96)
    }
}

@Suite("Deliveries to a user agent")
struct AutopushDeliveryTests {
    @Test("Several are under way at once, and each acknowledgement counts by itself")
    func acknowledgement() {
        var session = TestSession.open()
        for number in 1...3 {
            #expect(
                session.session.deliver(TestSession.id(number), length: 200, urgency: .normal)
                    == .send)
        }
        #expect(session.acknowledge([TestSession.id(2)]) == .none)
        #expect(session.acknowledge([TestSession.id(3), TestSession.id(2)]) == .none)
        #expect(session.session.outstanding == 1)
        #expect(session.session.end() == [TestSession.id(1)])
        #expect(session.acknowledged == [2, 3, 2].map(TestSession.id))
    }

    @Test("A message that an earlier connection delivered may be acknowledged on this one")
    func lateAcknowledgement() {
        var session = TestSession.open()
        #expect(session.acknowledge([TestSession.id(9)]) == .none)
        #expect(session.acknowledged == [TestSession.id(9)])
    }

    @Test("Before hello was answered nothing is sent")
    func beforeHello() {
        var session = TestSession()
        #expect(session.session.deliver(TestSession.id(1), length: 1, urgency: .high) == .wait)
        _ = session.say(#"{"messageType":"hello"}"#)
        #expect(session.session.deliver(TestSession.id(1), length: 1, urgency: .high) == .wait)
    }

    @Test("At most 128 are under way; once half of them are done the rest is asked for")
    func countLimit() {
        var session = TestSession.open()
        for number in 0..<128 {
            #expect(
                session.session.deliver(TestSession.id(number), length: 1, urgency: .low) == .send)
        }
        #expect(session.session.deliver(TestSession.id(128), length: 1, urgency: .low) == .wait)
        for number in 0..<63 { #expect(session.acknowledge([TestSession.id(number)]) == .none) }
        #expect(session.acknowledge([TestSession.id(63)]) == .deliver)
        #expect(session.acknowledge([TestSession.id(64)]) == .none)
        #expect(session.session.outstanding == 63)
    }

    @Test("At most a mebibyte is under way, but one message always is")
    func byteLimit() {
        var session = TestSession.open()
        let limit = DeliveryWindow.byteLimit
        #expect(
            session.session.deliver(TestSession.id(1), length: 2 * limit, urgency: .low) == .send)
        #expect(session.session.deliver(TestSession.id(2), length: 1, urgency: .low) == .wait)
        #expect(session.acknowledge([TestSession.id(1)]) == .deliver)
        #expect(session.session.deliver(TestSession.id(2), length: limit, urgency: .low) == .send)
        #expect(session.session.deliver(TestSession.id(3), length: 1, urgency: .low) == .wait)
    }

    @Test("What is less urgent than the client wants waits until it wants it")
    func urgency() {
        var session = TestSession.open()
        #expect(session.say(#"{"messageType":"urgency","min":"normal"}"#) == .send)
        #expect(session.reply == #"{"messageType":"urgency","min":"normal"}"#)
        #expect(session.session.deliver(TestSession.id(1), length: 1, urgency: .low) == .withhold)
        #expect(session.session.deliver(TestSession.id(2), length: 1, urgency: .normal) == .send)
        #expect(session.say(#"{"messageType":"urgency","min":"high"}"#) == .send)
        #expect(session.say(#"{"messageType":"urgency","min":"low"}"#) == .sendAndDeliver)
        #expect(session.session.deliver(TestSession.id(1), length: 1, urgency: .low) == .send)
    }

    @Test("A withdrawn message is taken back from clients that understand it")
    func withdrawn() {
        var session = TestSession.open(#","extensions":["withdrawn"]"#)
        _ = session.session.deliver(TestSession.id(1), length: 1, urgency: .low)
        func withdraw() -> AutopushSession.Action {
            session.answer { $0.withdrawn(TestSession.id(1), TestSession.channel, reply: &$1) }
        }
        #expect(withdraw() == .send && session.reply.hasSuffix(#""withdrawn":true}"#))
        #expect(withdraw() == .none && session.reply.isEmpty)

        var plain = TestSession.open()
        _ = plain.session.deliver(TestSession.id(1), length: 1, urgency: .low)
        let action = plain.answer {
            $0.withdrawn(TestSession.id(1), TestSession.channel, reply: &$1)
        }
        #expect(action == .none && plain.reply.isEmpty && plain.session.outstanding == 0)
    }

    @Test("Only what a client asked for is added to its messages")
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

    @Test("Acknowledgements in any order leave the window as it was")
    func window() {
        var window = DeliveryWindow()
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            let count = Int.random(in: 1...128, using: &generator)
            for number in 0..<count {
                #expect(window.add(TestSession.id(number), length: number * 50) == true)
            }
            for number in (0..<count).shuffled(using: &generator) {
                #expect(window.remove(TestSession.id(number)) == true)
            }
            #expect(window.count == 0 && window.isHalfEmpty)
            #expect(window.hasRoom(for: DeliveryWindow.byteLimit))
            #expect(window.remove(TestSession.id(0)) == false)
        }
        _ = window.add(TestSession.id(1), length: 5)
        #expect(window.removeAll() == [TestSession.id(1)])
    }
}
