import TestSupport
import Testing

@testable import WebPush

/// A push with its sender's fields.
struct TestPush {
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = [1, 2, 3]
    var kind = SubscriptionKind.channel
    var method = PushRules.Method.post
    var ttlLimit = PushRules.longestTTL
    var query = ""

    /// A complete request; fields added in front take precedence.
    static func complete(_ added: [(name: String, value: String)]) -> TestPush {
        TestPush(fields: added + [("ttl", "60"), ("content-encoding", "aes128gcm")])
    }

    func request() throws(PushRefusal) -> PushRequest {
        var noted = PushFields()
        for (name, value) in fields {
            let (name, value) = (Array(name.utf8), Array(value.utf8))
            noted.record(name.span, value.span)
        }
        let query = Array(query.utf8)
        noted.record(query: query.span)
        return try PushRequest(
            noted, body: body,
            rules: PushRules(kind: kind, method: method, ttlLimit: ttlLimit))
    }

    var refusal: PushRefusal? {
        do throws(PushRefusal) {
            _ = try request()
            return nil
        } catch {
            return error
        }
    }
}

@Suite("What a push may ask for")
struct PushRequestTests {
    @Test(
        "TTL is a number of seconds, cut to 30 days",
        arguments: [
            ("0", 0), ("60", 60), ("+60", 60), ("-0", 0), ("007", 7), ("2592000", 2_592_000),
            ("2592001", 2_592_000), ("99999999999999999999", 2_592_000),
        ] as [(String, UInt32)])
    func ttl(value: String, granted: UInt32) throws {
        #expect(try TestPush.complete([("TTL", value)]).request().content.ttl == granted)
    }

    @Test(
        "An invalid TTL is refused",
        arguments: [
            ("", PushRefusal.missingTTL), ("x", .missingTTL), ("1.5", .missingTTL),
            ("1 2", .missingTTL), ("-", .missingTTL), ("+", .missingTTL), ("0x10", .missingTTL),
            ("-1", .negativeTTL), ("-99999999999999999999", .negativeTTL),
        ])
    func badTTL(value: String, refusal: PushRefusal) {
        #expect(TestPush.complete([("TTL", value)]).refusal == refusal)
    }

    @Test("A registration's own limit bounds the TTL")
    func ownLimit() throws {
        var push = TestPush.complete([("TTL", "5000")])
        push.ttlLimit = 1000
        #expect(try push.request().content.ttl == 1000)
        push.ttlLimit = .max
        push.fields = [
            ("TTL", "9999999"), ("content-encoding", "aesgcm"), ("encryption", "salt=AA"),
        ]
        #expect(try push.request().content.ttl == PushRules.longestTTL)
    }

    @Test(
        "TTL may be absent everywhere but in a POST to a channel",
        arguments: [
            (SubscriptionKind.channel, PushRules.Method.put, 86_400), (.receiver, .post, 86_400),
            (.receiver, .put, 86_400), (.signal, .post, 2_419_200), (.signal, .put, 2_419_200),
        ] as [(SubscriptionKind, PushRules.Method, UInt32)])
    func absentTTL(kind: SubscriptionKind, method: PushRules.Method, granted: UInt32) throws {
        let push = TestPush(kind: kind, method: method)
        #expect(try push.request().content.ttl == granted)
        #expect(TestPush(kind: .channel, method: .post).refusal == .missingTTL)
    }

    @Test("A fetch signal of a receiver is kept 28 days if its sender says nothing")
    func signalTTL() throws {
        var push = TestPush(body: Array("version=1".utf8), kind: .receiver, method: .put)
        #expect(try push.request().content.ttl == 2_419_200)
        push.ttlLimit = 3600
        #expect(try push.request().content.ttl == 3600)
    }

    @Test(
        "A topic is up to 32 characters of the URL-safe alphabet",
        arguments: [
            ("upd-_9", "upd-_9"), ("a=", "a"), ("abc==", "abc"),
            (String(repeating: "a", count: 32), String(repeating: "a", count: 32)),
        ])
    func topic(value: String, name: String) throws {
        #expect(try TestPush.complete([("topic", value)]).request().content.topic?.text == name)
    }

    @Test(
        "An invalid topic is refused",
        arguments: [
            (String(repeating: "a", count: 33), PushRefusal.topicTooLong),
            (String(repeating: "a", count: 32) + "=", .topicTooLong),
            ("", .badTopic), ("=", .badTopic), ("a b", .badTopic), ("a+b", .badTopic),
            ("a/b", .badTopic), ("a=b", .badTopic), ("ä", .badTopic),
        ])
    func badTopic(value: String, refusal: PushRefusal) {
        #expect(TestPush.complete([("Topic", value)]).refusal == refusal)
    }

    @Test(
        "Urgency is kept, and normal where it is absent or unknown",
        arguments: [
            ("very-low", Urgency.veryLow), ("low", .low), ("normal", .normal), ("high", .high),
            ("", .normal), ("urgent", .normal), ("HIGH", .normal),
        ])
    func urgency(value: String, urgency: Urgency) throws {
        #expect(try TestPush.complete([("Urgency", value)]).request().content.urgency == urgency)
        #expect(try TestPush.complete([]).request().content.urgency == .normal)
    }

    @Test("Only the first line of TTL, Topic and Content-Encoding counts; names have any case")
    func repeated() throws {
        let push = TestPush(fields: [
            ("tTl", "5"), ("TTL", "x"), ("TOPIC", "a"), ("topic", "b"),
            ("Content-encoding", "aes128gcm"), ("content-encoding", "gzip"),
        ])
        let request = try push.request()
        #expect(request.content.ttl == 5 && request.content.topic?.text == "a")
        #expect(request.content.headers?.encoding == .aes128gcm)
    }

    @Test("Other fields are ignored")
    func otherFields() throws {
        let push = TestPush.complete([
            ("prefer", "respond-async"), ("content-type", "text/plain"), ("tt", "x"),
            ("tux", "x"), ("topics", "!"), ("encryptiom", "salt=x"), ("content-language", "x"),
        ])
        #expect(push.refusal == nil)
    }

    @Test("5,630 bytes are taken, one more is not, for every kind and method")
    func size() {
        for kind in SubscriptionKind.allCases {
            for method in [PushRules.Method.post, .put] {
                var push = TestPush.complete([])
                (push.kind, push.method) = (kind, method)
                push.body = Array(repeating: 0, count: 5630)
                #expect(push.refusal == nil)
                push.body.append(0)
                #expect(push.refusal == .tooLarge)
            }
        }
    }

    @Test("The first error in the order of checks is reported")
    func order() {
        var push = TestPush(
            fields: [("ttl", "x"), ("content-encoding", "x"), ("topic", "!")],
            body: Array(repeating: 0, count: 5631))
        #expect(push.refusal == .tooLarge)
        push.body = [1]
        #expect(push.refusal == .missingTTL)
        push.fields[0].value = "-1"
        #expect(push.refusal == .encryption(.unknownEncoding))
        push.fields[1].value = "aes128gcm"
        #expect(push.refusal == .negativeTTL)
        push.fields[0].value = "1"
        #expect(push.refusal == .badTopic)
        push.fields[2].value = "a"
        #expect(push.refusal == nil)
    }

    @Test("A push never prints its contents, whether accepted or refused")
    func printing() throws {
        let push = TestPush.complete([("authorization", "vapid t=secret")])
        #expect("\(try push.request())" == "<PushRequest>")
        #expect("\(PushFields())" == "<PushFields>")
    }
}

@Suite("Simple push")
struct SimplePushTests {
    @Test(
        "PUT to a receiver is a fetch signal if the body is a version or nothing",
        arguments: [
            ("", PushRequest.Effect.signal(version: nil)), ("version=17", .signal(version: 17)),
            ("version=1784213344123456789", .signal(version: 1_784_213_344_123_456_789)),
            ("version=", .signal(version: nil)), ("version=x", .signal(version: nil)),
            ("version=99999999999999999999", .signal(version: nil)),
            ("version=5&data=x", .signal(version: 5)), ("version=5\r\n", .signal(version: 5)),
            ("version=5x", .signal(version: nil)), ("Version=5", .message), ("version", .message),
            ("x", .message),
        ])
    func receiver(body: String, effect: PushRequest.Effect) throws {
        let push = TestPush(body: Array(body.utf8), kind: .receiver, method: .put)
        #expect(try push.request().effect == effect)
    }

    @Test("On a signal endpoint every body is a fetch signal, and encryption fields are ignored")
    func signal() throws {
        for method in [PushRules.Method.put, .post] {
            var push = TestPush(kind: .signal, method: method)
            push.fields = [("content-encoding", "x"), ("encryption", "=")]
            #expect(try push.request().effect == .signal(version: nil))
            push.body = Array("version=4".utf8)
            #expect(try push.request().effect == .signal(version: 4))
            #expect(try push.request().content.headers == nil)
        }
    }

    @Test(
        "The number may be in the query; the one in the body takes precedence",
        arguments: [
            ("version=8", "", PushRequest.Effect.signal(version: 8)),
            ("a=1&version=8&version=9", "", .signal(version: 8)),
            ("version=8", "version=7", .signal(version: 7)),
            ("version=8", "version=x", .signal(version: 8)), ("version=8", "x", .message),
            ("version=", "", .signal(version: nil)), ("&&", "", .signal(version: nil)),
            ("aversion=8", "", .signal(version: nil)),
        ])
    func query(query: String, body: String, effect: PushRequest.Effect) throws {
        var push = TestPush(body: Array(body.utf8), kind: .receiver, method: .put)
        push.query = query
        #expect(try push.request().effect == effect)
    }

    @Test("On a channel, PUT is delivered as received, with data and without headers")
    func channel() throws {
        var push = TestPush(body: Array("version=4".utf8), method: .put)
        push.fields = [("content-encoding", "gzip")]
        let request = try push.request()
        #expect(request.effect == .message && request.content.headers == nil)
    }

    @Test("A POST to a receiver is a message, whatever it holds")
    func receiverPost() throws {
        for body in ["", "version=4"] {
            let push = TestPush(body: Array(body.utf8), kind: .receiver)
            #expect(try push.request().effect == .message)
        }
    }
}
