import Base
import Crypto
import Foundation
import System

@testable import HTTP

extension WebSocketTerms {
    static func testing(
        silence: Duration = .seconds(240), pong: Duration = .seconds(20),
        close: Duration = .seconds(10), congestion: Int = 64 * 1024, outputLimit: Int = 1 << 22
    ) -> WebSocketTerms {
        WebSocketTerms(
            subprotocols: ["echo", "other"],
            session: WebSocketSession.Limits(
                messageLimit: 1 << 20, silence: silence, pongPatience: pong, closePatience: close),
            congestion: congestion, outputLimit: outputLimit)
    }
}

/// Upgrades every request, `/later` in a later turn. Echoes every message, but obeys texts that
/// begin with `!`.
final class WebSocketEcho: HTTPHandler, WebSocketHandler, TimerHandler {
    private let terms: WebSocketTerms
    private let loop: EventLoop
    private let ends: Events<WebSocketEnd>
    private var waiting: [HTTPExchange] = []
    private var connections: [WebSocketConnection] = []

    init(_ terms: WebSocketTerms, _ loop: EventLoop, _ ends: Events<WebSocketEnd>) {
        self.terms = terms
        self.loop = loop
        self.ends = ends
    }

    static func long(_ number: Int) -> String {
        "\(number) " + String(repeating: "x", count: 1_000)
    }

    func bodyLimit(for head: borrowing RequestHead) -> Int { 100 }

    func handle(_ exchange: HTTPExchange) {
        guard exchange.head.text(exchange.head.path) == "/later" else {
            return exchange.upgrade(terms, to: self)
        }
        waiting.append(exchange)
        _ = loop.schedule(after: Interval(.milliseconds(20)), self)
    }

    func timerFired(_ cookie: UInt64) {
        if !waiting.isEmpty { waiting.removeFirst().upgrade(terms, to: self) }
    }

    func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8]) {
        (ResponseHead(status: refusal.status), Array(refusal.rawValue.utf8))
    }

    func opened(_ connection: WebSocketConnection, subprotocol: String?) {
        connections.append(connection)
        if subprotocol == "other" { connection.send(text: "at once") }
    }

    func received(text: Span<UInt8>, on connection: WebSocketConnection) {
        guard !text.isEmpty, text[0] == UInt8(ascii: "!") else {
            connection.send(text: text)
            return
        }
        let text = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        let words = text.split(separator: " ").map(String.init)
        let number = words.dropFirst().first.flatMap { Int($0) } ?? 0
        switch words[0] {
        case "!close":
            connection.close(
                WebSocketCloseCode(rawValue: UInt16(number)), reason: words.last ?? "")
        case "!count": for index in 0..<number { connection.send(text: "\(index)") }
        case "!long": for index in 0..<number { connection.send(text: Self.long(index)) }
        case "!flood": while connection.send(text: text) {}
        case "!publish":
            for index in 0..<number {
                for other in connections where other !== connection {
                    other.send(text: "\(index)")
                }
            }
        default: break
        }
    }

    func received(binary: Span<UInt8>, on connection: WebSocketConnection) {
        connection.send(binary: binary)
    }

    func closed(_ end: WebSocketEnd, on connection: WebSocketConnection) {
        connections.removeAll { $0 === connection }
        ends.add(end)
    }
}

/// A WebSocket server on one loop that ends with the test.
final class WebSocketFixture {
    let server: HTTPServer
    let port: UInt16
    let ends = Events<WebSocketEnd>()

    init(_ terms: WebSocketTerms = .testing(), certificates: CertificateStore? = nil) throws {
        let ends = ends
        server = try HTTPServer(loops: 1) { WebSocketEcho(terms, $0, ends) }
        let any = SocketAddress("127.0.0.1:0") ?? .unix(path: "")
        let socket = try ListeningSocket.tcp(any)
        let bound = try server.listen(
            on: socket, HTTPListenerTerms(certificates: certificates))
        guard case .ip(_, let port) = bound.address else { throw POSIXError(.EADDRNOTAVAIL) }
        self.port = port
        signal(SIGPIPE, SIG_IGN)
        try server.start(name: "test")
    }

    deinit {
        server.drain(within: .zero)
        _ = server.join()
    }

    /// An upgraded client.
    func client(target: String = "/", receiveBuffer: Int32? = nil) throws -> RawSocket {
        let client = try RawSocket(port: port, receiveBuffer: receiveBuffer)
        client.send(UpgradeRequest(target: target).text)
        guard client.head().hasPrefix("HTTP/1.1 101 ") else { throw POSIXError(.EPROTO) }
        return client
    }
}

/// The opening handshake of a client, for a test to change.
struct UpgradeRequest {
    var target = "/"
    var method = "GET"
    var version = "HTTP/1.1"
    var fields = [
        "Host: a.example", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]

    var text: String {
        (["\(method) \(target) \(version)"] + fields + ["", ""]).joined(separator: "\r\n")
    }
}

/// A development certificate in its own folder.
func temporaryCertificate() throws -> DevelopmentCertificate {
    let folder = NSTemporaryDirectory() + "bellwire-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return try DevelopmentCertificate(in: folder, hostName: "test.invalid", now: WallClock.now)
}
