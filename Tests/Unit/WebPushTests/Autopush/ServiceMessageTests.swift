import Base
import Testing

@testable import WebPush

@Suite("The protocol from the user agent's side")
struct ServiceMessageTests {
    private static let channel = ChannelID(ClientMessageTests.bits)

    private func read(_ append: (inout [UInt8]) -> Void) throws -> ServiceMessage {
        var text: [UInt8] = []
        append(&text)
        return try ServiceMessage(text.span)
    }

    @Test("The service grants the extensions that it knows, and names them")
    func hello() throws {
        var (request, reply): ([UInt8], [UInt8]) = ([], [])
        ClientRequest.appendHello(nil, to: &request)
        var session = AutopushSession(at: .zero)
        #expect(
            session.received(request.span, at: .zero, reply: &reply) { _ in } == .identify(nil))
        _ = session.identified(as: UserAgentID(ClientMessageTests.bits), reply: &reply)
        guard case .hello(let name, let extensions) = try ServiceMessage(reply.span) else {
            Issue.record("no hello")
            return
        }
        #expect(name == "0123456789abcdeffedcba9876543210")
        #expect(extensions == [.ttl, .topic, .urgency, .withdrawn])
    }

    @Test("A user agent greets as other services want it, which do not know the extensions")
    func greeting() {
        func text(_ userAgent: String?) -> String {
            var text: [UInt8] = []
            ClientRequest.appendHello(userAgent, to: &text)
            return String(decoding: text, as: UTF8.self)
        }
        let start = #"{"messageType":"hello","use_webpush":true"#
        let end = #","broadcasts":{},"extensions":["ttl","topic","urgency","withdrawn"]}"#
        #expect(text(nil) == start + end)
        #expect(text("ab") == start + #","uaid":"ab""# + end)
    }

    @Test("A client that asks for one extension is granted one")
    func one() throws {
        let request = Array(#"{"messageType":"hello","extensions":["urgency"]}"#.utf8)
        var session = AutopushSession(at: .zero)
        var reply: [UInt8] = []
        _ = session.received(request.span, at: .zero, reply: &reply) { _ in }
        _ = session.identified(as: UserAgentID(ClientMessageTests.bits), reply: &reply)
        #expect(
            String(decoding: reply, as: UTF8.self)
                .hasSuffix(#","broadcasts":{},"extensions":["urgency"]}"#))
    }

    @Test("The service reads what the user agent asks for")
    func requests() throws {
        func message(_ append: (inout [UInt8]) -> Void) throws -> (ClientMessage, [UInt8]) {
            var text: [UInt8] = []
            append(&text)
            return (try ClientMessage(text.span), text)
        }
        guard
            case (.register(Self.channel, key: .bytes([1, 2, 3])), _) = try message({
                ClientRequest.appendRegister(Self.channel, key: "AQID", to: &$0)
            }),
            case (.unregister(Self.channel), _) = try message({
                ClientRequest.appendUnregister(Self.channel, to: &$0)
            }),
            case (.urgency(.high), _) = try message({
                ClientRequest.appendUrgency(.high, to: &$0)
            }),
            case (.ping, _) = try message({ ClientRequest.appendPing(to: &$0) }),
            case (.acknowledgement(let updates), let text) = try message({
                ClientRequest.appendAcknowledgement(
                    Self.channel, version: ClientMessageTests.version, isDelivered: true, to: &$0)
            })
        else {
            Issue.record("another message")
            return
        }
        var versions: [MessageID] = []
        updates.forEach(in: text.span) { versions.append($0) }
        #expect(versions == [MessageID(ClientMessageTests.bits)])
    }

    @Test("The user agent reads what the service sends")
    func notification() throws {
        var sent = NotificationMessage(
            channel: Self.channel, version: MessageID(ClientMessageTests.bits),
            headers: PayloadHeaders(
                encoding: .aesgcm, encryption: Array("salt=a\\b".utf8),
                cryptoKey: Array("dh=c".utf8)))
        sent.ttl = 60
        sent.urgency = .low
        let body: [UInt8] = [0, 10, 255]
        guard case .notification(let message) = try read({ sent.append(body: body.span, to: &$0) })
        else {
            Issue.record("no notification")
            return
        }
        #expect(message.channel == Self.channel)
        #expect(message.version == ClientMessageTests.version)
        #expect(message.data == body)
        #expect(message.ttl == 60 && message.urgency == .low)
        let lines = "aesgcm\nEncryption: salt=a\\b\nCrypto-Key: dh=c\n"
        #expect(message.body == Array(lines.utf8) + body)
    }

    @Test("Answers carry their channel and status")
    func answers() throws {
        let endpoint = Array("https://p.example/x".utf8)
        guard
            case .registered(Self.channel, status: 200, "https://p.example/x") = try read({
                ServerMessage.appendRegistered(
                    Self.channel, .registered(endpoint: endpoint), to: &$0)
            }),
            case .registered(Self.channel, status: 400, nil) = try read({
                ServerMessage.appendRegistered(Self.channel, .badKey, to: &$0)
            }),
            case .unregistered(Self.channel, status: 500) = try read({
                ServerMessage.appendUnregistered(Self.channel, isDone: false, to: &$0)
            }),
            case .withdrawn(Self.channel, ClientMessageTests.version) = try read({
                ServerMessage.appendWithdrawn(
                    MessageID(ClientMessageTests.bits), Self.channel, to: &$0)
            }),
            case .pong = try read({ $0 = Array("{}".utf8) }),
            case .other = try read({ $0 = Array(#"{"messageType":"broadcast"}"#.utf8) })
        else {
            Issue.record("another message")
            return
        }
    }

    @Test(
        "Messages that break the protocol are refused",
        arguments: [
            "", "[]", "1", #"{"messageType":"hello","uaid":"","status":200}"#,
            #"{"messageType":"hello","uaid":"a","status":500}"#,
            #"{"messageType":"register","channelID":"a","status":200}"#,
            #"{"messageType":"notification","channelID":"\#(ClientMessageTests.channel)"}"#,
            #"{"messageType":"notification","channelID":"\#(ClientMessageTests.channel)","#
                + #""version":"1","data":"+"}"#,
        ])
    func refused(text: String) {
        let bytes = Array(text.utf8)
        #expect(throws: ServiceMessage.Unreadable.self) { try ServiceMessage(bytes.span) }
    }
}
