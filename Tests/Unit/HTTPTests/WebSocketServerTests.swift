import Crypto
import Foundation
import TestSupport
import Testing
@testable import HTTP

@Suite("A WebSocket of the server")
struct WebSocketServerTests {
    @Test("The upgrade is answered as RFC 6455 section 1.3 has it, with the chosen subprotocol")
    func upgrade() throws {
        let fixture = try WebSocketFixture()
        let client = try RawSocket(port: fixture.port)
        var request = UpgradeRequest()
        request.fields.append("Sec-WebSocket-Protocol: unknown, other, echo")
        client.send(request.text)
        let head = client.head()
        #expect(head.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
        #expect(head.contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        #expect(head.contains("\r\nSec-WebSocket-Protocol: other\r\n"))
        #expect(client.frame() == .text("at once"))
    }

    static let refusals: [(change: @Sendable (inout UpgradeRequest) -> Void, status: Int)] = [
        ({ $0.method = "POST" }, 405),
        ({ $0.version = "HTTP/1.0" }, 400),
        ({ $0.fields.remove(at: 1) }, 400),
        ({ $0.fields[1] = "Upgrade: h2c" }, 400),
        ({ $0.fields.remove(at: 2) }, 400),
        ({ $0.fields.remove(at: 3) }, 426),
        ({ $0.fields[3] = "Sec-WebSocket-Version: 8" }, 426),
        ({ $0.fields.remove(at: 4) }, 400),
        ({ $0.fields[4] = "Sec-WebSocket-Key: short" }, 400),
        ({ $0.fields.append($0.fields[4]) }, 400),
    ]

    @Test("An invalid upgrade request is refused", arguments: refusals.indices)
    func refusal(index: Int) throws {
        let fixture = try WebSocketFixture()
        let client = try RawSocket(port: fixture.port)
        var request = UpgradeRequest()
        Self.refusals[index].change(&request)
        client.send(request.text)
        let head = client.head()
        let status = Self.refusals[index].status
        #expect(head.hasPrefix("HTTP/1.1 \(status) "))
        #expect(head.contains("\r\nSec-WebSocket-Version: 13\r\n") == (status == 426))
        #expect(head.contains("\r\nAllow: GET\r\n") == (status == 405))
    }

    @Test("Bytes after the request are messages", arguments: ["/", "/later"])
    func early(target: String) throws {
        let fixture = try WebSocketFixture()
        let client = try RawSocket(port: fixture.port)
        let frames = ConformanceFrame.text("early").bytes(masked: true)
        client.send(Array(UpgradeRequest(target: target).text.utf8) + frames + frames)
        #expect(client.head().hasPrefix("HTTP/1.1 101 "))
        #expect(client.frame() == .text("early"))
        #expect(client.frame() == .text("early"))
    }

    @Test("An upgrade is refused in HTTP/2")
    func http2() throws {
        let certificate = try temporaryCertificate()
        let fixture = try WebSocketFixture(certificates: try CertificateStore(certificate.files))
        let arguments = [
            "--silent", "--http2", "--cacert", certificate.authorityPath, "--max-time", "5",
            "--write-out", " %{http_version} %{http_code}", "https://localhost:\(fixture.port)/",
        ]
        let text = try RunningProcess("/usr/bin/curl", arguments).text()
        #expect(text == "bad-upgrade 2 400")
    }

    @Test("A slow reader gets everything")
    func slowReader() throws {
        let fixture = try WebSocketFixture(.testing(outputLimit: 1 << 26))
        let client = try fixture.client(receiveBuffer: 16_384)
        client.send(ConformanceFrame.text("!long 10000").bytes(masked: true))
        let isWhole = (0..<10_000).allSatisfy {
            client.frame() == .text(WebSocketEcho.long($0))
        }
        #expect(isWhole)
    }

    @Test("A silent peer is pinged, and given up without an answer")
    func silence() throws {
        let fixture = try WebSocketFixture(
            .testing(silence: .milliseconds(50), pong: .milliseconds(500)))
        let client = try fixture.client()
        for _ in 0..<3 {
            #expect(client.frame() == .ping(""))
            client.send(ConformanceFrame.pong("").bytes(masked: true))
        }
        #expect(client.frame() == .ping(""))
        #expect(client.isAtEnd)
        #expect(fixture.ends.next() == .silent)
    }

    @Test("Ten thousand messages come back in order")
    func order() throws {
        let fixture = try WebSocketFixture()
        let client = try fixture.client()
        client.send(ConformanceFrame.text("!count 10000").bytes(masked: true))
        let isInOrder = (0..<10_000).allSatisfy { client.frame() == .text("\($0)") }
        #expect(isInOrder)
    }

    @Test("Messages published in one turn reach each subscriber in one piece")
    func coalescing() throws {
        let fixture = try WebSocketFixture()
        let subscribers = try (0..<3).map { _ in try fixture.client() }
        let publisher = try fixture.client()
        publisher.send(ConformanceFrame.text("!publish 40").bytes(masked: true))
        let expected = (0..<40).flatMap { ConformanceFrame.text("\($0)").bytes(masked: false) }
        for subscriber in subscribers { #expect(subscriber.next() == expected) }
    }

    @Test("Half-closing the connection ends it")
    func halfClose() throws {
        let fixture = try WebSocketFixture()
        let client = try fixture.client()
        client.shutdownWriting()
        #expect(client.isAtEnd)
        #expect(fixture.ends.next() == .lost)
    }

    @Test("A peer that never reads is cut off at the output limit")
    func deaf() throws {
        let fixture = try WebSocketFixture(.testing(outputLimit: 1 << 20))
        let client = try fixture.client(receiveBuffer: 4_096)
        client.send(ConformanceFrame.text("!flood").bytes(masked: true))
        #expect(fixture.ends.next() == .congested)
    }

    @Test("Answers to pings of a peer that never reads are limited")
    func deafPinger() throws {
        let fixture = try WebSocketFixture(
            .testing(silence: .milliseconds(300), pong: .milliseconds(100)))
        let client = try fixture.client(receiveBuffer: 4_096)
        let ping = ConformanceFrame.ping(String(repeating: "p", count: 125)).bytes(masked: true)
        let pings = (0..<8_000).flatMap { _ in ping }
        // At some point the server stops reading from it, and then it counts as silent.
        let isStopped = (0..<64).contains { _ in !client.send(pings) }
        #expect(isStopped)
        #expect(fixture.ends.next() == .silent)
    }

    @Test("The server closes with code and reason, and waits for the answer")
    func closing() throws {
        let fixture = try WebSocketFixture()
        let client = try fixture.client()
        client.send(ConformanceFrame.text("!close 4001 bye").bytes(masked: true))
        #expect(client.frame() == .close(4001, Array("bye".utf8)))
        client.send(ConformanceFrame.close(4001).bytes(masked: true))
        #expect(client.isAtEnd)
        #expect(
            fixture.ends.next()
                == .closed(WebSocketClose(code: WebSocketCloseCode(rawValue: 4001))))
    }

    @Test("A close that is not answered ends after its time")
    func unanswered() throws {
        let fixture = try WebSocketFixture(.testing(close: .milliseconds(50)))
        let client = try fixture.client()
        client.send(ConformanceFrame.text("!close 1000 bye").bytes(masked: true))
        #expect(client.frame() == .close(1000, Array("bye".utf8)))
        #expect(client.isAtEnd)
        #expect(fixture.ends.next() == .unanswered)
    }

    @Test("A drain closes with \"going away\", and ends even if nobody answers")
    func drain() throws {
        let fixture = try WebSocketFixture(.testing(close: .seconds(1)))
        let polite = try fixture.client()
        let rude = try fixture.client()
        fixture.server.drain(within: .seconds(5))
        #expect(polite.frame() == .close(1001))
        polite.send(ConformanceFrame.close(1001).bytes(masked: true))
        #expect(polite.isAtEnd)
        #expect(rude.frame() == .close(1001))
        #expect(rude.isAtEnd)
        #expect(fixture.ends.next() == .closed(WebSocketClose(code: .goingAway)))
        #expect(fixture.ends.next() == .unanswered)
    }

    @Test("A connection upgraded while the server drains is closed at once")
    func upgradedWhileDraining() throws {
        let fixture = try WebSocketFixture(.testing(close: .milliseconds(200)))
        let client = try RawSocket(port: fixture.port)
        let other = try fixture.client()
        client.send(UpgradeRequest(target: "/later").text)
        other.send(ConformanceFrame.ping("").bytes(masked: true))
        _ = other.frame()
        fixture.server.drain(within: .seconds(5))
        #expect(client.head().hasPrefix("HTTP/1.1 101 "))
        #expect(client.frame() == .close(1001))
    }
}
