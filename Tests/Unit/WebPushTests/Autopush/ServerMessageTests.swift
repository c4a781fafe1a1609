import Base
import Foundation
import Testing

@testable import WebPush

@Suite("Messages of the push service")
struct ServerMessageTests {
    static let channel = ChannelID(ClientMessageTests.bits)
    static let version = MessageID(ClientMessageTests.bits)
    static let prefix =
        #"{"messageType":"notification","channelID":"\#(ClientMessageTests.channel)","#
        + #""version":"\#(ClientMessageTests.version)""#

    private func text(_ append: (inout [UInt8]) -> Void) -> String {
        var output: [UInt8] = []
        append(&output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test(
        "hello names the user agent, and every broadcast as unknown",
        arguments: [
            (#"{"messageType":"hello"}"#, "{}"),
            (#"{"messageType":"hello","broadcasts":{}}"#, "{}"),
            (
                #"{"messageType":"hello","broadcasts":{"a/b":"1","c\"d":"\"2\""}}"#,
                #"{"errors":{"a/b":"Broadcast not found","c\"d":"Broadcast not found"}}"#
            ),
        ])
    func hello(request: String, broadcasts: String) throws {
        let payload = Array(request.utf8)
        var session = AutopushSession(at: .zero)
        var reply: [UInt8] = []
        _ = session.received(payload.span, at: .zero, reply: &reply) { _ in }
        let action = session.identified(as: UserAgentID(ClientMessageTests.bits), reply: &reply)
        #expect(action == .open)
        let answer = String(decoding: reply, as: UTF8.self)
        #expect(
            answer == #"{"messageType":"hello","uaid":"0123456789abcdeffedcba9876543210","#
                + #""status":200,"use_webpush":true,"broadcasts":\#(broadcasts)}"#)
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(answer.utf8)) }
    }

    @Test("register and unregister are answered with the channel and a status")
    func registration() {
        let start =
            #"{"messageType":"register","channelID":"\#(ClientMessageTests.channel)","status":"#
        let endpoint = "https://push.example.net/wpush/v1/abc"
        let outcomes: [(RegistrationOutcome, String)] = [
            (.registered(endpoint: Array(endpoint.utf8)), #"200,"pushEndpoint":"\#(endpoint)"}"#),
            (.badKey, #"400,"pushEndpoint":"The key is empty, or not base64url"}"#),
            (.failed, #"500,"pushEndpoint":""}"#),
        ]
        for (outcome, rest) in outcomes {
            #expect(
                text { ServerMessage.appendRegistered(Self.channel, outcome, to: &$0) }
                    == start + rest)
        }
        for (isDone, status) in [(true, 200), (false, 500)] {
            #expect(
                text { ServerMessage.appendUnregistered(Self.channel, isDone: isDone, to: &$0) }
                    == #"{"messageType":"unregister","channelID":"\#(ClientMessageTests.channel)","#
                    + #""status":\#(status)}"#)
        }
    }

    @Test("Broadcasts, urgency, withdrawal, ping")
    func others() throws {
        let payload = Array(#"{"messageType":"broadcast_subscribe","broadcasts":{"a":"b"}}"#.utf8)
        guard case .broadcastSubscription(let names) = try ClientMessage(payload.span) else {
            Issue.record("no subscription")
            return
        }
        #expect(
            text { ServerMessage.appendBroadcasts(names, in: payload.span, to: &$0) }
                == #"{"messageType":"broadcast","broadcasts":{"errors":{"a":"Broadcast not found"}}}"#
        )
        #expect(
            text { ServerMessage.appendUrgency(.veryLow, to: &$0) }
                == #"{"messageType":"urgency","min":"very-low"}"#)
        #expect(
            text { ServerMessage.appendWithdrawn(Self.version, Self.channel, to: &$0) }
                == Self.prefix + #","withdrawn":true}"#)
        #expect("\(ServerMessage.pong)" == "{}")
    }

    @Test("An empty push has neither data nor headers")
    func empty() {
        let message = NotificationMessage(
            channel: Self.channel, version: Self.version,
            headers: PayloadHeaders(encoding: .aes128gcm, encryption: nil, cryptoKey: nil))
        #expect(text { message.append(body: Span(), to: &$0) } == Self.prefix + "}")
    }

    @Test("A body is sent in base64url, with its sender's headers")
    func body() {
        let body: [UInt8] = [0xFB, 0xFF, 0xFE, 0x01]
        func text(_ headers: PayloadHeaders?) -> String {
            let message = NotificationMessage(
                channel: Self.channel, version: Self.version, headers: headers)
            return self.text { message.append(body: body.span, to: &$0) }
        }
        let data = Self.prefix + #","data":"-__-AQ""#
        #expect(text(nil) == data + "}")
        #expect(
            text(PayloadHeaders(encoding: .aes128gcm, encryption: nil, cryptoKey: nil))
                == data + #","headers":{"encoding":"aes128gcm"}}"#)
        #expect(
            text(
                PayloadHeaders(
                    encoding: .aesgcm, encryption: Array("salt=AA;x=\\".utf8),
                    cryptoKey: Array("dh=BB".utf8)))
                == data + #","headers":{"encoding":"aesgcm","encryption":"salt=AA;x=\\","#
                + #""crypto_key":"dh=BB"}}"#)
    }

    @Test("Clients with extensions get more members")
    func extensions() {
        var message = NotificationMessage(
            channel: Self.channel, version: Self.version, headers: nil)
        message.ttl = 0
        message.topic = Topic("upd")
        message.urgency = .high
        #expect(
            text { message.append(body: Span(), to: &$0) }
                == Self.prefix + #","ttl":0,"topic":"upd","urgency":"high"}"#)
        message.ttl = .max
        message.topic = nil
        message.urgency = nil
        #expect(
            text { message.append(body: Span(), to: &$0) } == Self.prefix + #","ttl":4294967295}"#)
    }

    @Test(
        "Bodies of every length are encoded correctly, within the reserved capacity",
        arguments: 1...70)
    func lengths(count: Int) throws {
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + count) }
        var message = NotificationMessage(
            channel: Self.channel, version: Self.version,
            headers: PayloadHeaders(
                encoding: .aesgcm, encryption: Array(repeating: UInt8(ascii: "\\"), count: count),
                cryptoKey: []))
        message.ttl = .max
        message.topic = Topic(String(repeating: "t", count: 32))
        message.urgency = .veryLow
        var output: [UInt8] = []
        message.append(body: body.span, to: &output)
        #expect(output.count <= message.capacity(bodyLength: count))
        let object = try JSONSerialization.jsonObject(with: Data(output)) as? [String: Any]
        let data = try #require(object?["data"] as? String)
        #expect(Base64URL.decode(data) == body)
    }
}
