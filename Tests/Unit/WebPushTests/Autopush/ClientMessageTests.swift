import Base
import TestSupport
import Testing

@testable import WebPush

@Suite("Messages of user agents")
struct ClientMessageTests {
    static let channel = "01234567-89ab-cdef-fedc-ba9876543210"
    static let bits = Bits128(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
    static let version = "ASNFZ4mrze_-3LqYdlQyEA"

    /// Describes a message on one line.
    static func summary(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard let message = try? ClientMessage(bytes.span) else { return nil }
        switch message {
        case .hello(let hello):
            let isEmpty = hello.broadcasts.isEmpty(in: bytes.span)
            let userAgent = hello.userAgent.map { $0.bits == bits ? "known" : "other" } ?? "none"
            return "hello \(userAgent) \(hello.extensions.rawValue) \(isEmpty ? "-" : "broadcasts")"
        case .register(let channel, let key):
            return "register \(channel.map { $0.bits == bits } ?? false) \(key)"
        case .unregister(let channel): return "unregister \(channel.bits == bits)"
        case .acknowledgement(let updates):
            var count = 0
            updates.forEach(in: bytes.span) { count += $0.bits == bits ? 1 : 100 }
            return "ack \(count)"
        case .failureReport: return "nack"
        case .ping: return "ping"
        case .broadcastSubscription(let names):
            return "broadcasts \(names.isEmpty(in: bytes.span) ? "-" : "some")"
        case .urgency(let least): return "urgency \(least.rawValue)"
        }
    }

    @Test(
        "hello",
        arguments: [
            (#"{"messageType":"hello"}"#, "hello none 0 -"),
            (#"{"messageType":"hello","uaid":"\#(channel)"}"#, "hello known 0 -"),
            (
                #"{"messageType":"hello","uaid":"0123456789ABCDEFfedcba9876543210"}"#,
                "hello known 0 -"
            ),
            (#"{"messageType":"hello","uaid":""}"#, "hello none 0 -"),
            (#"{"messageType":"hello","uaid":null}"#, "hello none 0 -"),
            (#"{"messageType":"hello","uaid":"bad-data"}"#, "hello none 0 -"),
            (#"{"use_webpush":true,"messageType":"hello"}"#, "hello none 0 -"),
            (#"{"messageType":"hello","use_webpush":null}"#, "hello none 0 -"),
            (#"{"messageType":"hello","channelIDs":["\#(channel)"]}"#, "hello none 0 -"),
            (#"{"messageType":"hello","channelIDs":null}"#, "hello none 0 -"),
            (#"{"messageType":"hello","channelIDs":[]}"#, "hello none 0 -"),
            (#"{"messageType":"hello","broadcasts":{}}"#, "hello none 0 -"),
            (#"{"messageType":"hello","broadcasts":{"a/b":"\"17\""}}"#, "hello none 0 broadcasts"),
            (#"{"messageType":"hello","version":1,"key":[],"updates":{}}"#, "hello none 0 -"),
            (#"{"messageType":"hello","extensions":["ttl","urgency"]}"#, "hello none 5 -"),
            (
                #"{"messageType":"hello","extensions":["topic","x",1,"withdrawn","topic"]}"#,
                "hello none 10 -"
            ),
            (#"{"messageType":"hello","extensions":"ttl"}"#, "hello none 0 -"),
            (#"{"messageType":"hello","x":{"messageType":"ack"}}"#, "hello none 0 -"),
            (#"{"messageT\u0079pe":"h\u0065llo"}"#, "hello none 0 -"),
        ])
    func hello(text: String, summary: String) {
        #expect(Self.summary(text) == summary)
    }

    @Test(
        "register takes one spelling of a channel, and a key in base64url or none",
        arguments: [
            (#""channelID":"\#(channel)""#, "register true absent"),
            (#""channelID":"\#(channel)","key":null"#, "register true absent"),
            (#""key":"AQI","channelID":"\#(channel)""#, "register true bytes([1, 2])"),
            (#""channelID":"\#(channel)","key":"AQI=""#, "register true bytes([1, 2])"),
            (#""channelID":"\#(channel)","key":"+/8""#, "register true malformed"),
            (#""channelID":"\#(channel)","key":"af1883%&!@#*(""#, "register true malformed"),
            (#""channelID":"\#(channel)","key":"""#, "register true malformed"),
            (#""channelID":"\#(channel)","key":"AQI====""#, "register true malformed"),
            (#""channelID":"\#(channel.uppercased())""#, "register false absent"),
            (#""channelID":"0123456789abcdeffedcba9876543210""#, "register false absent"),
            (#""channelID":"""#, "register false absent"),
        ])
    func register(members: String, summary: String) {
        #expect(Self.summary(#"{"messageType":"register",\#(members)}"#) == summary)
    }

    @Test(
        "unregister takes every spelling of a channel",
        arguments: [
            #""channelID":"\#(channel)""#, #""channelID":"\#(channel.uppercased())","code":200"#,
            #""channelID":"0123456789abcdeffedcba9876543210","code":null"#,
            #""code":202,"channelID":"{\#(channel)}""#,
        ])
    func unregister(members: String) {
        #expect(Self.summary(#"{"messageType":"unregister",\#(members)}"#) == "unregister true")
    }

    @Test(
        "The usual ack means what all of JSON would mean",
        arguments: [
            #"{"messageType":"ack","updates":[{"channelID":"x","version":"\#(version)","code":100}]}"#,
            #"{"messageType":"ack","updates":[{"channelID":"","version":"","code":100}]}"#,
            #"{"messageType":"ack","updates":[{"channelID":"\n","version":"\u0041","code":100}]}"#,
            #"{"messageType":"ack","updates":[{"channelID":"x","version":"y","code":100}]} "#,
            #"{"messageType":"ack","updates":[{"channelID":"x","version":"y","code":100}]}x"#,
            #"{"messageType":"ack","updates":[{"channelID":"x","version":"y","code":100}"#,
            #"{"messageType":"ack","updates":[{"channelID":"x","version":"y"#,
            #"{"messageType":"ack","updates":[{"channelID":"x"#,
            #"{"messageType":"ack","updates":[{"channelID":"#,
        ])
    func usual(text: String) {
        func versions(_ message: ClientMessage?, in bytes: [UInt8]) -> [MessageID]? {
            guard case .acknowledgement(let updates)? = message else { return nil }
            var found: [MessageID] = []
            updates.forEach(in: bytes.span) { found.append($0) }
            return found
        }
        let bytes = Array(text.utf8)
        let quick = versions(try? ClientMessage(bytes.span), in: bytes)
        #expect(quick == versions(try? ClientMessageReader.message(bytes.span), in: bytes))
    }

    @Test(
        "ack may have several updates; foreign versions are skipped",
        arguments: [
            (#"[{"channelID":"\#(channel)","version":"\#(version)","code":100}]"#, 1),
            (#"[{"version":"\#(version)","channelID":"\#(channel)"}]"#, 1),
            (#"[{"version":"\#(version)","channelID":"x","code":102,"more":[1]}]"#, 1),
            (#"[{"version":"\#(version)","channelID":"x","code":null}]"#, 1),
            (#"[{"channelID":"x","version":"gAAAAABf=="}]"#, 0), ("[]", 0),
            (
                #"[{"channelID":"","version":"\#(version)"},{"channelID":"","version":""},"#
                    + #"{"channelID":"","version":"ASNFZ4mrze_-3LqYdlQyE\u0041"}]"#, 2
            ),
        ])
    func acknowledgement(updates: String, count: Int) {
        #expect(Self.summary(#"{"messageType":"ack","updates":\#(updates)}"#) == "ack \(count)")
        #expect(Self.summary(#"{"updates":\#(updates),"messageType":"ack"}"#) == "ack \(count)")
    }

    @Test(
        "Everything else",
        arguments: [
            ("{}", "ping"), (" { } ", "ping"), (#"{"messageType":"ping"}"#, "ping"),
            (#"{"messageType":"nack","version":"x"}"#, "nack"),
            (#"{"messageType":"nack","version":"x","code":301}"#, "nack"),
            (#"{"messageType":"broadcast_subscribe","broadcasts":{}}"#, "broadcasts -"),
            (#"{"messageType":"broadcast_subscribe","broadcasts":{"a":"b"}}"#, "broadcasts some"),
            (#"{"messageType":"urgency","min":"very-low"}"#, "urgency very-low"),
            (#"{"min":"high","messageType":"urgency"}"#, "urgency high"),
        ])
    func others(text: String, summary: String) {
        #expect(Self.summary(text) == summary)
    }

    @Test(
        "Messages that end the connection",
        arguments: [
            "", "bad-data", "[]", "\"hello\"", "null", "{", "{}}", #"{"a":1}"#,
            #"{"messageType":1}"#, #"{"messageType":null}"#, #"{"messageType":""}"#,
            #"{"messageType":"Hello"}"#, #"{"messageType":"purge"}"#, #"{"messageType":"hello"},"#,
            #"{"messageType":"hello","uaid":1}"#, #"{"messageType":"hello","use_webpush":"yes"}"#,
            #"{"messageType":"hello","channelIDs":"x"}"#,
            #"{"messageType":"hello","channelIDs":["x"]}"#,
            #"{"messageType":"hello","channelIDs":[1]}"#,
            #"{"messageType":"hello","broadcasts":[]}"#,
            #"{"messageType":"hello","broadcasts":{"a":1}}"#, #"{"messageType":"register"}"#,
            #"{"messageType":"register","channelID":1}"#,
            #"{"messageType":"register","channelID":"\#(channel)","key":1}"#,
            #"{"messageType":"unregister"}"#, #"{"messageType":"unregister","channelID":"x"}"#,
            #"{"messageType":"unregister","channelID":"\#(channel)","code":"x"}"#,
            #"{"messageType":"unregister","channelID":"\#(channel)","code":1.5}"#,
            #"{"messageType":"ack"}"#, #"{"messageType":"ack","updates":{}}"#,
            #"{"messageType":"ack","updates":[1]}"#, #"{"messageType":"ack","updates":[{}]}"#,
            #"{"messageType":"ack","updates":[{"version":"x"}]}"#,
            #"{"messageType":"ack","updates":[{"channelID":"x"}]}"#,
            #"{"messageType":"ack","updates":[{"channelID":"x","version":1}]}"#,
            #"{"messageType":"ack","updates":[{"channelID":"x","version":"y","code":"z"}]}"#,
            #"{"messageType":"nack"}"#, #"{"messageType":"nack","version":1}"#,
            #"{"messageType":"nack","version":"x","code":true}"#,
            #"{"messageType":"broadcast_subscribe"}"#,
            #"{"messageType":"broadcast_subscribe","broadcasts":null}"#,
            #"{"messageType":"urgency"}"#, #"{"messageType":"urgency","min":"urgent"}"#,
        ])
    func closing(text: String) {
        let bytes = Array(text.utf8)
        #expect(throws: AutopushClosing.badMessage) { try ClientMessage(bytes.span) }
    }

    @Test("The close frame has the reason that clients of this protocol know")
    func closeCodes() {
        #expect(
            AutopushClosing.badMessage.code == 1011
                && "\(AutopushClosing.badMessage.reason)" == "Json")
        #expect(
            AutopushClosing.badState.code == 1011 && "\(AutopushClosing.badState.reason)" == "SM")
        #expect(AutopushClosing.helloTimeout.code == 1011)
        #expect("\(AutopushClosing.helloTimeout.reason)" == "HandshakeTimeout")
        #expect(AutopushClosing.binary.code == 1003)
    }

    @Test(
        "A message cut anywhere is invalid",
        arguments: [
            #"{"messageType":"hello","uaid":"\#(channel)","broadcasts":{"a":"b"},"extensions":["ttl"]}"#,
            #"{"messageType":"register","channelID":"\#(channel)","key":"AQI="}"#,
            #"{"messageType":"ack","updates":[{"channelID":"x","version":"\#(version)","code":100}]}"#,
        ])
    func cutAnywhere(text: String) {
        #expect(Self.summary(text) != nil)
        for prefix in prefixes(of: Array(text.utf8)) {
            #expect(Self.summary(String(decoding: prefix, as: UTF8.self)) == nil)
        }
    }

    @Test("A printed hello does not show the user agent")
    func printing() throws {
        let userAgent = UserAgentID(Self.bits)
        #expect("\(userAgent) \(String(reflecting: userAgent))" == "<UserAgentID> <UserAgentID>")
    }
}
