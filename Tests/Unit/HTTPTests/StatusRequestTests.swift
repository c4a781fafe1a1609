import Base
import Crypto
import Foundation
import System
import Testing

@testable import HTTP

@Suite("A request of which only the status counts")
struct StatusRequestTests {
    private static func text(
        _ method: String = "POST", _ url: String = "https://h/", body: String = "",
        fields: (String, String)...
    ) throws -> String {
        let request = try StatusRequest(
            method, url, fields: fields.map { ($0.0, $0.1) },
            usual: [("User-Agent", "u"), ("Idempotency-Key", "k")], body: body)
        return String(decoding: request.bytes, as: UTF8.self)
    }

    @Test("It has what its sender wrote, and the usual fields")
    func bytes() throws {
        #expect(
            try Self.text(
                "POST", "https://h:8443/a?b#c", body: "é", fields: ("Authorization", "Basic x"))
                == "POST /a?b HTTP/1.1\r\nHost: h:8443\r\nAuthorization: Basic x\r\n"
                + "User-Agent: u\r\nIdempotency-Key: k\r\nContent-Length: 2\r\n"
                + "Connection: close\r\n\r\né")
        #expect(
            try Self.text("GET", fields: ("user-agent", "mine"))
                == "GET / HTTP/1.1\r\nHost: h\r\nuser-agent: mine\r\nIdempotency-Key: k\r\n"
                + "Connection: close\r\n\r\n")
        #expect(try Self.text("PUT").contains("\r\nContent-Length: 0\r\n"))
    }

    @Test(
        "Fields that would speak for somebody else, or for the connection, are refused",
        arguments: [
            "Host", "cookie", "Content-Length", "Connection", "Keep-Alive", "TE", "Trailer",
            "Transfer-Encoding", "Upgrade", "Expect", "Proxy-Authorization", "proxy-connection",
            "", "A B", "A:", "A\r\nB", "Ä",
        ])
    func refused(name: String) {
        #expect(throws: StatusRequest.Flaw.field) { try Self.text(fields: (name, "x")) }
    }

    @Test(
        "No field begins another one",
        arguments: ["a\r\nHost: b", "a\nb", "a\rb", "a\0", "a\u{7F}"])
    func injection(value: String) {
        #expect(throws: StatusRequest.Flaw.field) { try Self.text(fields: ("A", value)) }
        #expect(throws: StatusRequest.Flaw.url) { try Self.text("GET", "https://h/" + value) }
        #expect(throws: StatusRequest.Flaw.method) { try Self.text("GET" + value) }
    }

    @Test("Other methods and addresses are refused")
    func others() {
        for method in ["CONNECT", "TRACE", "", "A B"] {
            #expect(throws: StatusRequest.Flaw.method) { try Self.text(method) }
        }
        for url in ["ftp://h/", "file:///etc/passwd", "https://u:p@h/", "https://", "h", "//h/"] {
            #expect(throws: StatusRequest.Flaw.url) { try Self.text("GET", url) }
        }
    }

    @Test("Only the status of the answer counts, and a redirect is one")
    func statuses() throws {
        for status in [200, 302, 503] {
            let client = try StatusFixture()
            let server = try client.listener.accept()
            _ = server.next()
            server.send("HTTP/1.1 \(status) x\r\nLocation: http://127.0.0.1:1/\r\n\r\nendless")
            #expect(client.next() == .success(status))
        }
    }

    @Test("An answer whose head does not end is given up")
    func endless() throws {
        let client = try StatusFixture()
        let server = try client.listener.accept()
        _ = server.next()
        let line = "A: " + String(repeating: "x", count: 1_000) + "\r\n"
        server.send("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 20))
        #expect(client.next() == .failure(.unreadableAnswer))
    }

    @Test("The address that is dialled is judged, not the name")
    func forbidden() throws {
        // The name leads to this machine, as that of a hostile name server would.
        let client = try StatusFixture(host: "localhost") { address in
            guard case .ip(let address, _) = address, address.isLoopback else { return nil }
            return .notInternet
        }
        #expect(client.next() == .failure(.forbidden(.notInternet)))
    }
}

/// One request on a loop of its own.
private final class StatusFixture {
    let listener: RawListener
    private let loops: LoopGroup
    private let events = Events<Outcome>()

    enum Outcome: Equatable, Sendable {
        case success(Int)
        case failure(ClientFailure)
    }

    init(
        host: String = "127.0.0.1",
        objection: @escaping @Sendable (SocketAddress) -> DialRefusal? = { _ in nil }
    ) throws {
        listener = try RawListener()
        loops = try LoopGroup(count: 1)
        let request = try StatusRequest(
            "POST", "http://\(host):\(listener.port)/", fields: [], body: "x")
        let context = try TLSContext(client: .authorities([]), protocols: [.http1])
        signal(SIGPIPE, SIG_IGN)
        let (loop, events) = (loops.loops[0], events)
        try loops.start(name: "client")
        loop.post {
            StatusClient.send(request, trust: context, on: loop, objection: objection) { result in
                switch result {
                case .success(let status): events.add(.success(status))
                case .failure(let failure): events.add(.failure(failure))
                }
            }
        }
    }

    deinit {
        loops.drain(within: .zero)
        _ = loops.join()
    }

    func next() -> Outcome? { events.next() }
}
