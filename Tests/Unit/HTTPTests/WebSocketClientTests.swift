import Crypto
import Foundation
import System
import TestSupport
import Testing

@testable import HTTP

@Suite("A WebSocket of the client")
struct WebSocketClientTests {
    @Test("It connects to our server with the agreed subprotocol")
    func open() throws {
        let server = try WebSocketFixture()
        let client = try ClientFixture("ws://localhost:\(server.port)/x?y")
        #expect(client.events.next() == .opened("echo"))
        client.onLoop { $0.connection?.send(text: "!hello") }
        client.onLoop { $0.connection?.close(.normal, reason: "done") }
        #expect(client.events.next() == .closed(.closed(WebSocketClose(code: .normal))))
        #expect(
            server.ends.next()
                == .closed(WebSocketClose(code: .normal, reason: "done")))
    }

    @Test("It connects through TLS if it trusts the certificate")
    func encrypted() throws {
        let certificate = try temporaryCertificate()
        let server = try WebSocketFixture(certificates: try CertificateStore(certificate.files))
        let trust = Trust.authorities(try TextFile.read(certificate.authorityPath))
        let client = try ClientFixture("wss://localhost:\(server.port)/", trust: trust)
        #expect(client.events.next() == .opened("echo"))
        client.onLoop { $0.connection?.close() }
        #expect(client.events.next() == .closed(.closed(WebSocketClose(code: .normal))))
    }

    @Test("It does not connect through TLS if it does not trust the certificate")
    func untrusted() throws {
        let certificate = try temporaryCertificate()
        let server = try WebSocketFixture(certificates: try CertificateStore(certificate.files))
        let other = Trust.authorities(
            try TextFile.read(try temporaryCertificate().authorityPath))
        let stranger = try ClientFixture("wss://localhost:\(server.port)/", trust: other)
        guard case .failed(.untrusted) = stranger.events.next() else {
            Issue.record("a foreign authority was trusted")
            return
        }
    }

    @Test("It does not connect if the certificate is for another name")
    func misnamed() throws {
        let certificate = try temporaryCertificate()
        let server = try WebSocketFixture(certificates: try CertificateStore(certificate.files))
        let trust = Trust.authorities(try TextFile.read(certificate.authorityPath))
        let client = try ClientFixture("wss://push.example:\(server.port)/", trust: trust) {
            $0.place = SocketAddress("127.0.0.1:\(server.port)")
        }
        guard case .failed(.untrusted) = client.events.next() else {
            Issue.record("a foreign name was trusted")
            return
        }
    }

    @Test("The request has the host, the target, the fields and no Origin")
    func request() throws {
        let listener = try RawListener()
        let client = try ClientFixture("ws://127.0.0.1:\(listener.port)/u/secret?a=b") {
            $0.fields = [("Authorization", "Bearer abc")]
        }
        let server = try listener.accept()
        let request = try server.acceptUpgrade()
        #expect(request.hasPrefix("GET /u/secret?a=b HTTP/1.1\r\n"))
        #expect(request.contains("\r\nHost: 127.0.0.1:\(listener.port)\r\n"))
        #expect(request.contains("\r\nAuthorization: Bearer abc\r\n"))
        #expect(!request.contains("Origin"))
        #expect(client.events.next() == .opened(nil))
    }

    @Test("Bytes after the answer are messages, and every mask is different")
    func early() throws {
        let listener = try RawListener()
        let client = try ClientFixture("ws://127.0.0.1:\(listener.port)/")
        let server = try listener.accept()
        try server.acceptUpgrade(then: ConformanceFrame.text("!early").bytes(masked: false))
        #expect(client.events.next() == .opened(nil))
        #expect(client.events.next() == .received("!early"))
        let message = ConformanceFrame.text("again").bytes(masked: false)
        var wires: Set<[UInt8]> = []
        for _ in 0..<20 {
            server.send(message)
            if let bytes = server.next() { wires.insert(bytes) }
        }
        #expect(wires.count == 20)
    }

    @Test("A refusal reports the status and Retry-After")
    func refused() throws {
        let listener = try RawListener()
        let client = try ClientFixture("ws://127.0.0.1:\(listener.port)/")
        let server = try listener.accept()
        _ = server.head()
        server.send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n")
        server.send("HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n")
        #expect(
            client.events.next() == .failed(.refused(status: 503, retryAfter: .seconds(120))))
    }

    static let badAnswers: [(change: @Sendable (inout [String]) -> Void, failure: ClientFailure)] =
        [
            ({ $0.remove(at: 1) }, .badAnswer(.noUpgrade)),
            ({ $0.remove(at: 2) }, .badAnswer(.noUpgrade)),
            ({ $0.remove(at: 3) }, .badAnswer(.badAccept)),
            (
                { $0[3] = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" },
                .badAnswer(.badAccept)
            ),
            ({ $0.append($0[3]) }, .badAnswer(.repeatedField)),
            (
                { $0.append("Sec-WebSocket-Extensions: permessage-deflate") },
                .badAnswer(.unexpectedExtension)
            ),
            ({ $0.append("Sec-WebSocket-Protocol: foreign") }, .badAnswer(.unexpectedProtocol)),
            ({ $0[0] = "HTTP/1.0 101 Switching" }, .refused(status: 101, retryAfter: nil)),
            ({ $0[0] = "HTTP/1.1 200 OK" }, .refused(status: 200, retryAfter: nil)),
            ({ $0[0] = "ICY 101 OK" }, .unreadableAnswer),
            ({ $0[1] = "Upgrade : websocket" }, .unreadableAnswer),
            (
                { $0.append("X: " + String(repeating: "x", count: 17_000)) },
                .unreadableAnswer
            ),
        ]

    @Test("An invalid answer is not accepted", arguments: badAnswers.indices)
    func badAnswer(index: Int) throws {
        let listener = try RawListener()
        let client = try ClientFixture("ws://127.0.0.1:\(listener.port)/")
        let server = try listener.accept()
        try server.acceptUpgrade(Self.badAnswers[index].change)
        #expect(client.events.next() == .failed(Self.badAnswers[index].failure))
    }

    @Test("Each stage has a time limit", arguments: ["handshake", "upgrade"])
    func timeouts(name: String) throws {
        let stage = try #require(ClientFailure.Stage(rawValue: name))
        let listener = try RawListener()
        let scheme = stage == .upgrade ? "ws" : "wss"
        let client = try ClientFixture("\(scheme)://127.0.0.1:\(listener.port)/") {
            $0.patience.handshake = .milliseconds(50)
            $0.patience.upgrade = .milliseconds(50)
        }
        let server = try listener.accept()
        #expect(client.events.next() == .failed(.timedOut(stage)))
        _ = server
    }

    @Test("A connection that nobody accepts is given up")
    func connectTimeout() throws {
        let listener = try RawListener(backlog: 0)
        // They fill the queue; the kernel then drops new connection attempts.
        let fillers = (0..<2).map { _ in RawSocket.unconnected(0o4000) }
        defer { for filler in fillers { close(filler) } }
        for filler in fillers { _ = withLoopback(listener.port) { connect(filler, $0, $1) } }
        let client = try ClientFixture("ws://127.0.0.1:\(listener.port)/") {
            $0.patience.connect = .milliseconds(50)
        }
        #expect(client.events.next() == .failed(.timedOut(.connect)))
    }

    @Test("Connecting fails if nobody listens")
    func unreachable() throws {
        let port = try RawListener().port
        let client = try ClientFixture("ws://127.0.0.1:\(port)/")
        guard case .failed(.unreachable(let error)) = client.events.next() else {
            Issue.record("somebody listened")
            return
        }
        #expect(error.code == ECONNREFUSED)
    }

    @Test("Connecting fails if the name does not exist")
    func unknownName() throws {
        let client = try ClientFixture("ws://name.invalid/")
        guard case .failed(.unknownName("name.invalid", _)) = client.events.next() else {
            Issue.record("the name was found")
            return
        }
    }

    @Test(
        "Connecting fails if the server goes away in the middle",
        arguments: ["handshake", "upgrade"])
    func lost(name: String) throws {
        let stage = try #require(ClientFailure.Stage(rawValue: name))
        let listener = try RawListener()
        let client = try ClientFixture(
            "\(stage == .upgrade ? "ws" : "wss")://127.0.0.1:\(listener.port)/")
        let server = try listener.accept()
        _ = server.next()
        server.shutdownWriting()
        #expect(client.events.next() == .failed(.lost(stage)))
    }

    @Test("Connecting can be cancelled, and ends with its loop")
    func cancelled() throws {
        let listener = try RawListener()
        let url = "ws://127.0.0.1:\(listener.port)/"
        let client = try ClientFixture(url)
        client.onLoop { $0.client?.cancel() }
        #expect(client.events.next() == .failed(.cancelled))
        let other = try ClientFixture(url)
        _ = try listener.accept()
        other.drain()
        #expect(other.events.next() == .failed(.cancelled))
    }

    @Test("A silent server is pinged and given up; a drained client closes")
    func silence() throws {
        let listener = try RawListener()
        let url = "ws://127.0.0.1:\(listener.port)/"
        let terms = WebSocketTerms.testing(silence: .milliseconds(50), pong: .milliseconds(50))
        let client = try ClientFixture(url, terms: terms)
        let server = try listener.accept()
        try server.acceptUpgrade()
        #expect(client.events.next() == .opened(nil))
        #expect(server.frame() == .ping(""))
        #expect(client.events.next() == .closed(.silent))

        let drained = try ClientFixture(url)
        let second = try listener.accept()
        try second.acceptUpgrade()
        #expect(drained.events.next() == .opened(nil))
        drained.drain()
        #expect(second.frame() == .close(1001))
        second.send(ConformanceFrame.close(1001).bytes(masked: false))
        #expect(drained.events.next() == .closed(.closed(WebSocketClose(code: .goingAway))))
    }

    @Test("A client that has failed the connection does not wait for the server")
    func failing() throws {
        let listener = try RawListener()
        let client = try ClientFixture("ws://127.0.0.1:\(listener.port)/")
        let server = try listener.accept()
        try server.acceptUpgrade()
        server.send(ConformanceFrame.text("x").bytes(masked: true))
        #expect(server.frame()?.payload.prefix(2) == [0x03, 0xEA])
        #expect(server.isAtEnd)
        #expect(client.events.next() == .opened(nil))
        #expect(client.events.next() == .closed(.failed(.maskedByServer)))
    }
}
