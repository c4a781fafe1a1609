import Base
import Crypto
import Foundation
import Synchronization
import System

@testable import HTTP

/// Answers each request with a stream that begins with its path, and keeps the stream open.
///
/// `/poll` writes two lines and ends at once, `/later` waits for `beginLater`, and `/whole` is an
/// answer without a stream. `/fill` writes 10,000,000 bytes, more whenever the rest was sent.
// Unchecked: it is used only on the thread of its loop.
final class StreamHall: HTTPHandler, HTTPStreamHandler, @unchecked Sendable {
    enum Event: Equatable, Sendable {
        case asked, opened(String), refused(String), drained, closed, filled
    }

    static let fillBytes = 10_000_000

    let events = Events<Event>()
    private let terms: HTTPStreamTerms
    private(set) var streams: [HTTPStream] = []
    private var waiting: [HTTPExchange] = []
    private var left = 0
    /// The most bytes that ever waited.
    private var peak = 0

    init(_ terms: HTTPStreamTerms) { self.terms = terms }

    /// All lines leave in one turn.
    func say(_ lines: String..., to index: Int? = nil) {
        for line in lines {
            for (number, stream) in streams.enumerated() where index ?? number == number {
                stream.write(line)
            }
        }
    }

    func end() {
        for stream in streams { stream.end() }
        streams = []
    }

    func bodyLimit(for head: borrowing RequestHead) -> Int { 1_000 }

    func handle(_ exchange: HTTPExchange) {
        let path = exchange.head.text(exchange.head.path)
        switch path {
        case "/whole": exchange.respond(ResponseHead(status: 200), body: Array("whole".utf8))
        case "/later":
            waiting.append(exchange)
            events.add(.asked)
        default: begin(exchange, path)
        }
    }

    private func begin(_ exchange: HTTPExchange, _ path: String) {
        var head = exchange.answer(200)
        head.fields.append("Content-Type", "text/plain")
        guard let stream = exchange.stream(head, terms, to: self) else {
            return events.add(.refused(path))
        }
        guard path != "/poll" else {
            stream.write("one\n")
            stream.write("two\n")
            return stream.end()
        }
        streams.append(stream)
        stream.write(path + "\n")
        events.add(.opened(path))
        if path == "/fill" {
            left = Self.fillBytes
            fill(stream)
        }
    }

    private func fill(_ stream: HTTPStream) {
        while left > 0, !stream.isCongested {
            let count = min(left, 10_000)
            left -= count
            stream.write([UInt8](repeating: UInt8(ascii: "x"), count: count).span)
            peak = max(peak, stream.bufferedBytes)
        }
        guard left == 0 else { return }
        stream.end()
        streams.removeAll { $0 === stream }
        if peak < 100_000 { events.add(.filled) }
    }

    func beginLater() {
        if !waiting.isEmpty { begin(waiting.removeFirst(), "/later") }
    }

    func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8]) {
        (ResponseHead(status: refusal.status), Array(refusal.rawValue.utf8))
    }

    func drained(_ stream: HTTPStream) {
        if left > 0 { fill(stream) } else { events.add(.drained) }
    }

    func closed(_ stream: HTTPStream) {
        stream.write("too late")
        stream.end()
        streams.removeAll { $0 === stream }
        events.add(.closed)
    }
}

/// A server of streams on one loop that ends with the test.
final class StreamFixture {
    let server: HTTPServer
    let port: UInt16
    let hall: StreamHall
    let accesses = Events<Int>()
    private let certificate: DevelopmentCertificate?
    private var hasEnded = false

    init(
        _ terms: HTTPStreamTerms = HTTPStreamTerms(), limits: HTTPService.Limits = .init(),
        isEncrypted: Bool = false
    ) throws {
        signal(SIGPIPE, SIG_IGN)
        certificate = isEncrypted ? try .forTest() : nil
        var made: StreamHall?
        let accesses = accesses
        server = try HTTPServer(
            loops: 1, limits: limits, access: { accesses.add($0.status) },
            handler: { _ in
                let hall = StreamHall(terms)
                made = hall
                return hall
            })
        guard let made, let any = SocketAddress("127.0.0.1:0") else { throw POSIXError(.EINVAL) }
        hall = made
        let certificates = try certificate.map { try CertificateStore($0.files) }
        let bound = try server.listen(
            on: try .tcp(any), HTTPListenerTerms(certificates: certificates))
        guard case .ip(_, let port) = bound.address else { throw POSIXError(.EADDRNOTAVAIL) }
        self.port = port
        try server.start(name: "test")
    }

    deinit { end(within: .zero) }

    @discardableResult
    func end(within limit: Duration) -> [LoopEnding] {
        guard !hasEnded else { return [] }
        hasEnded = true
        server.drain(within: limit)
        return server.join()
    }

    /// Runs on the loop.
    func with(_ body: @escaping @Sendable (StreamHall) -> Void) {
        let hall = hall
        server.loops[0].post { body(hall) }
    }

    /// What `body` returns on the loop.
    func ask<Result: Sendable>(_ body: @escaping @Sendable (StreamHall) -> Result) -> Result? {
        let results = Events<Result>()
        with { results.add(body($0)) }
        return results.next()
    }

    func next() -> StreamHall.Event? { hall.events.next() }

    /// The path is asked for, and the stream has begun.
    func reader(
        _ path: String = "/a", _ version: String = "HTTP/1.1", _ field: String = "Host: a",
        receiveBuffer: Int32? = nil
    ) throws -> RawSocket {
        let reader = try RawSocket(port: port, receiveBuffer: receiveBuffer)
        if let certificate {
            let authority = try Data(contentsOf: URL(filePath: certificate.authorityPath))
            try reader.encrypt(
                to: "localhost",
                try TLSContext(client: .authorities(Array(authority)), protocols: [.http1]))
        }
        reader.send("GET \(path) \(version)\r\n\(field)\r\n\r\n")
        return reader
    }

    func reader2(window: UInt32 = 65_535, opensWindow: Bool = true) throws -> StreamReader2 {
        guard let certificate else { throw POSIXError(.EINVAL) }
        return StreamReader2(
            try EncryptedClient(port: port, certificate, .http2),
            HTTP2Client(window: window, opensWindow: opensWindow))
    }

    var authorityPath: String { certificate?.authorityPath ?? "" }
}

/// An HTTP/2 client on a socket.
final class StreamReader2 {
    let client: HTTP2Client
    private let socket: EncryptedClient

    init(_ socket: EncryptedClient, _ client: HTTP2Client) {
        self.socket = socket
        self.client = client
    }

    func get(_ path: String) -> Int32 {
        let id = client.get(path)
        send()
        return id
    }

    func send() {
        let output = client.output()
        if !output.isEmpty { socket.send(output) }
    }

    /// Reads until that holds; false if the server ends the connection before, or sends nothing.
    func read(until isDone: (HTTP2Client) -> Bool) -> Bool {
        while !isDone(client) {
            guard let bytes = socket.receive() else { return false }
            client.receive(bytes)
            send()
        }
        return true
    }

    func text(of stream: Int32) -> String {
        String(decoding: client.answers[stream]?.body ?? [], as: UTF8.self)
    }

    func read(_ text: String, of stream: Int32) -> Bool {
        read { _ in self.text(of: stream) == text }
    }
}

extension RawSocket {
    /// Reads until `end` has come, or nothing comes any more.
    func read(until end: String) -> String {
        var text = ""
        while !text.hasSuffix(end), let bytes = next() {
            text += String(decoding: bytes, as: UTF8.self)
        }
        return text
    }

    func readToEnd() -> [UInt8] {
        var all: [UInt8] = []
        while let bytes = next() { all += bytes }
        return all
    }
}
