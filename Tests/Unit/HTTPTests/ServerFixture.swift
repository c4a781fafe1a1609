import Base
import COpenSSL
import Crypto
import Foundation
import Synchronization
import System
@testable import HTTP

/// Echoes method, target and body. `/later` is answered in a later turn, and `/big/` with 100 KB.
/// `/socket` becomes a WebSocket, and `/busy` keeps the loop busy for two seconds.
final class EchoHandler: HTTPHandler, TimerHandler {
    static let bigAnswers = Atomic<Int>(0)

    private let loop: EventLoop
    private let sockets: WebSocketEcho
    private var waiting: [HTTPExchange] = []

    init(_ loop: EventLoop) {
        self.loop = loop
        sockets = WebSocketEcho(.testing(), loop, Events<WebSocketEnd>())
    }

    func bodyLimit(for head: borrowing RequestHead) -> Int {
        head.text(head.path) == "/small" ? 10 : 1 << 20
    }

    func handle(_ exchange: HTTPExchange) {
        let path = exchange.head.text(exchange.head.path)
        if path == "/never" { return waiting.append(exchange) }
        if path == "/socket" { return sockets.handle(exchange) }
        if path == "/busy" { sleep(2) }
        guard path == "/later" else { return echo(exchange) }
        waiting.append(exchange)
        _ = loop.schedule(after: Interval(.milliseconds(20)), self)
    }

    /// Called after the loop has ended: unanswered exchanges keep their connection alive.
    func forget() { waiting = [] }

    func timerFired(_ cookie: UInt64) {
        if !waiting.isEmpty { echo(waiting.removeFirst()) }
    }

    private func echo(_ exchange: HTTPExchange) {
        let head = exchange.head
        if head.text(head.path) == "/client" {
            let client = exchange.client.map(\.description) ?? "none"
            return exchange.respond(exchange.answer(200), body: Array(client.utf8))
        }
        let line = "\(head.method.text) \(head.text(head.target)) "
        var rest = exchange.body
        if head.text(head.path).hasPrefix("/big/") {
            rest = [UInt8](repeating: 120, count: 100_000)
            Self.bigAnswers.add(1, ordering: .relaxed)
        }
        exchange.respond(ResponseHead(status: 200), body: Array(line.utf8) + rest)
    }

    func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8]) {
        (ResponseHead(status: refusal.status), Array(refusal.rawValue.utf8))
    }
}

/// A server on one loop that ends with the test.
final class ServerFixture {
    let server: HTTPServer
    let figures = HTTPFigures()
    let port: UInt16
    private let handler: EchoHandler?

    /// `path`: of a Unix socket, in addition to the port.
    init(
        limits: HTTPService.Limits = .init(), certificates: CertificateStore? = nil,
        terms: HTTPListenerTerms = HTTPListenerTerms(), path: String? = nil,
        ownRecords: Bool = true
    ) throws {
        var terms = terms
        if let certificates { terms.certificates = certificates }
        var made: EchoHandler?
        server = try HTTPServer(
            loops: 1, limits: limits, ownRecords: ownRecords, figures: figures
        ) { loop in
            let handler = EchoHandler(loop)
            made = handler
            return handler
        }
        handler = made
        let any = SocketAddress("127.0.0.1:0") ?? .unix(path: "")
        let socket = try ListeningSocket.tcp(any)
        let address = try server.listen(on: socket, terms).address
        guard case .ip(_, let port) = address else { throw POSIXError(.EADDRNOTAVAIL) }
        self.port = port
        if let path { try server.listen(on: .unix(path: path, mode: 0o600), terms) }
        try server.start(name: "test")
    }

    deinit {
        server.drain(within: .zero)
        _ = server.join()
        handler?.forget()
    }
}

/// A client for raw bytes.
final class RawClient {
    let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw POSIXError(.ECONNREFUSED) }
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    func readToEnd() -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
    }

    /// Reads until `end` has come that often, the connection ends, or five seconds pass.
    func read(until end: String? = nil, times: Int = 1) -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
            let text = String(decoding: bytes, as: UTF8.self)
            if let end, text.components(separatedBy: end).count > times { return text }
        }
    }
}
