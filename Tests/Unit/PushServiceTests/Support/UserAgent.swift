import Base
import Foundation
import TestSupport
import Testing

/// A user agent at the level of frames.
final class UserAgent {
    struct Closed: Error { let code: UInt16?, reason: String }
    struct Refused: Error { let status: Int }

    let socket: ByteSocket
    /// Keeps the fixture running while someone is connected.
    private let fixture: PushFixture
    let answer: HTTPAnswer
    private(set) var uaid = ""

    /// Opens the WebSocket, and does nothing more.
    init(
        _ fixture: PushFixture, path: String = "/", host: String = PushFixture.host,
        _ fields: PushFixture.Fields = []
    ) throws {
        self.fixture = fixture
        socket = try ByteSocket(port: fixture.port)
        let upgrade: PushFixture.Fields = [
            ("Host", host), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
            ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ]
        socket.send(PushFixture.bytes("GET", path, upgrade + fields, body: nil))
        answer = HTTPAnswer(from: socket)
        guard answer.status == 101 else { throw Refused(status: answer.status) }
    }

    func send(_ text: String) { send(.text(text)) }

    func send(_ frame: ConformanceFrame) { socket.send(frame.bytes(masked: true)) }

    /// The next text message.
    func next() throws -> String {
        while let frame = socket.frame() {
            switch frame.opcode {
            case 1: return String(decoding: frame.payload, as: UTF8.self)
            case 8: throw Self.closed(frame)
            default: continue
            }
        }
        throw Closed(code: nil, reason: "no frame")
    }

    private static func closed(_ frame: ConformanceFrame) -> Closed {
        guard frame.payload.count >= 2 else { return Closed(code: nil, reason: "") }
        let code = UInt16(frame.payload[0]) << 8 | UInt16(frame.payload[1])
        return Closed(code: code, reason: String(decoding: frame.payload[2...], as: UTF8.self))
    }

    /// Code and reason with which the server ends the connection; skips all frames before that.
    func closing() -> String {
        do {
            while true { _ = try next() }
        } catch {
            guard let closed = error as? Closed, let code = closed.code else { return "none" }
            return "\(code) \(closed.reason)"
        }
    }

    func members() throws -> [String: Any] {
        let text = try next()
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(object as? [String: Any])
    }

    func hello(_ wanted: String? = nil, extensions: String = "") throws {
        let member = wanted.map { #","uaid":"\#($0)""# } ?? ""
        let asked = extensions.isEmpty ? "" : #","extensions":[\#(extensions)]"#
        send(#"{"messageType":"hello","use_webpush":true\#(member)\#(asked)}"#)
        uaid = try #require(try members()["uaid"] as? String)
    }

    static func channel() -> String { UUID().uuidString.lowercased() }

    /// Registers a channel, new or given, and returns its endpoint.
    func register(_ channel: String = UserAgent.channel(), key: String? = nil) throws -> String {
        let member = key.map { #","key":"\#($0)""# } ?? ""
        send(#"{"messageType":"register","channelID":"\#(channel)"\#(member)}"#)
        let reply = try members()
        #expect(reply["messageType"] as? String == "register")
        #expect(reply["channelID"] as? String == channel)
        #expect(reply["status"] as? Int == 200)
        return try #require(reply["pushEndpoint"] as? String)
    }

    func unregister(_ channel: String) throws {
        send(#"{"messageType":"unregister","channelID":"\#(channel)","code":200}"#)
        let expected = #"{"messageType":"unregister","channelID":"\#(channel)","status":200}"#
        #expect(try next() == expected)
    }

    /// The next message, which must be a notification.
    func notification() throws -> Notification { try Notification(try members()) }

    /// The bodies of the next notifications.
    func bodies(_ count: Int) throws -> [String] {
        try (0..<count).map { _ in try notification().body }
    }

    func ack(_ notifications: Notification..., code: Int? = 100) {
        let updates = notifications.map { notification in
            let member = code.map { #","code":\#($0)"# } ?? ""
            return #"{"channelID":"\#(notification.channel)","version":"\#(notification.version)""#
                + member + "}"
        }
        send(#"{"messageType":"ack","updates":[\#(updates.joined(separator: ","))]}"#)
    }

    /// Returns once the server has handled all that was sent before.
    func settle() throws {
        try unregister(Self.channel())
    }

    /// Ends the connection with a closing handshake.
    func close() {
        send(.close(1000))
        while socket.frame() != nil {}
    }
}

/// A notification as its user agent reads it.
struct Notification: Equatable {
    let channel: String
    let version: String
    let body: String
    let members: Set<String>

    init(_ object: [String: Any]) throws {
        #expect(object["messageType"] as? String == "notification", "\(object)")
        channel = try #require(object["channelID"] as? String)
        version = try #require(object["version"] as? String)
        let data = (object["data"] as? String).flatMap { Base64URL.decode($0) } ?? []
        body = String(decoding: data, as: UTF8.self)
        members = Set(object.keys)
    }
}
