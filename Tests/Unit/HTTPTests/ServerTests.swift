import Crypto
import Foundation
import System
import TestSupport
import Testing
@testable import HTTP

@Suite("The server over a socket")
struct ServerTests {
    private static let get = "GET /a?b HTTP/1.1\r\nHost: a.example\r\n\r\n"

    @Test("A request is answered and the connection continues")
    func keepAlive() throws {
        let fixture = try ServerFixture()
        let client = try RawClient(port: fixture.port)
        for _ in 0..<3 {
            client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
            let answer = client.read(until: "hello")
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.contains("\r\nContent-Length: 13\r\n") && answer.contains("\r\nDate: "))
            #expect(answer.hasSuffix("\r\n\r\nPOST /x hello"))
        }
    }

    @Test("Requests that come together are answered together, in order")
    func pipelining() throws {
        let fixture = try ServerFixture()
        let client = try RawClient(port: fixture.port)
        let count = 500
        client.send((0..<count).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        let answers = client.read(until: "GET /\(count - 1) ")
        let order = answers.components(separatedBy: "\r\n\r\nGET /").dropFirst()
            .compactMap { Int($0.prefix { $0.isNumber }) }
        #expect(order == Array(0..<count))
    }

    @Test("An answer may come later, and what was sent meanwhile waits for it")
    func later() throws {
        let fixture = try ServerFixture()
        let client = try RawClient(port: fixture.port)
        client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n" + Self.get)
        client.send(Self.get)
        let answers = client.read(until: "GET /a?b ", times: 2)
        #expect(answers.range(of: "GET /later ") != nil)
        #expect(answers.components(separatedBy: "HTTP/1.1 200 OK").count == 4)
    }

    @Test("A head that comes byte by byte is read")
    func slowly() throws {
        let fixture = try ServerFixture()
        let client = try RawClient(port: fixture.port)
        for byte in Self.get { client.send(String(byte)) }
        #expect(client.read(until: "GET /a?b ").hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test(
        "A refusal is answered and the connection closed, though the sender still sends",
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/3.0\r\nHost: a\r\n\r\n", 505),
            (
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
                400
            ),
            ("POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\n", 413),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        ])
    func refusals(request: String, status: Int) throws {
        let fixture = try ServerFixture()
        let client = try RawClient(port: fixture.port)
        client.send(request + String(repeating: "x", count: 30_000))
        let answer = client.read()
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.contains("\r\nConnection: close\r\n"))
    }

    @Test("Connections are counted by protocol until they end")
    func figures() throws {
        let fixture = try ServerFixture()
        let figures = fixture.figures
        func served(_ client: RawClient) {
            client.send(Self.get)
            #expect(client.read(until: "GET /a?b ").hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
        let first = try RawClient(port: fixture.port)
        served(first)
        do {
            let second = try RawClient(port: fixture.port)
            served(second)
            #expect(figures.count(of: .http1) == 2)
            second.send("GET / HTTP/3.0\r\nHost: a\r\n\r\n")
            #expect(second.read().hasPrefix("HTTP/1.1 505 "))
        }
        #expect(figures.refusals.map(\.word) == ["unsupported-version"])
        // The server notices the end a little later than it sends the last answer.
        let deadline = ContinuousClock.now + .seconds(5)
        while figures.count(of: .http1) > 1, ContinuousClock.now < deadline { served(first) }
        #expect(figures.count(of: .http1) == 1 && figures.count(of: .handshake) == 0)
    }

    @Test("A sender that waits for 100 Continue gets it")
    func expectation() throws {
        let fixture = try ServerFixture()
        let client = try RawClient(port: fixture.port)
        client.send(
            "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
        #expect(client.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        client.send("hello")
        #expect(client.read(until: "hello").hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test("A head that never ends is given up, and an idle connection is closed")
    func timeouts() throws {
        var limits = HTTPService.Limits()
        limits.patience.head = .milliseconds(50)
        limits.patience.idle = .milliseconds(500)
        let fixture = try ServerFixture(limits: limits)
        let slow = try RawClient(port: fixture.port)
        slow.send("GET / HTTP/1.1\r\n")
        #expect(slow.read().hasPrefix("HTTP/1.1 408 "))
        let idle = try RawClient(port: fixture.port)
        #expect(idle.read() == "")
    }

    @Test("An idle connection is closed so long after its last request, and not after its first")
    func movedTimeout() throws {
        var limits = HTTPService.Limits()
        limits.patience.idle = .seconds(1)
        let fixture = try ServerFixture(limits: limits)
        let client = try RawClient(port: fixture.port)
        let start = ContinuousClock.now
        for _ in 0..<3 {
            client.send(Self.get)
            #expect(client.read(until: "GET /a?b ").hasPrefix("HTTP/1.1 200 "))
            if ContinuousClock.now - start < .milliseconds(1_100) { usleep(600_000) }
        }
        #expect(client.read() == "")
        #expect(ContinuousClock.now - start > .seconds(2))
    }

    @Test("Slow and unreading peers that were given up make room for others")
    func givenUp() throws {
        var limits = HTTPService.Limits()
        limits.connections = 1
        limits.patience.head = .milliseconds(50)
        limits.patience.idle = .milliseconds(500)
        limits.patience.body = .milliseconds(50)
        let fixture = try ServerFixture(limits: limits)
        let slow = try RawClient(port: fixture.port)
        slow.send("GET / HTTP/1.1\r\n")
        #expect(slow.read().hasPrefix("HTTP/1.1 408 "))

        let deaf = try RawClient(port: fixture.port)
        let body = String(repeating: "x", count: 1 << 20)
        for _ in 0..<8 {
            deaf.send(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body)
        }
        // Its connection was reset; otherwise the next one would find no room.
        let deadline = ContinuousClock.now + .seconds(5)
        var answer = ""
        while answer.isEmpty, ContinuousClock.now < deadline {
            let next = try RawClient(port: fixture.port)
            next.send(Self.get)
            answer = next.read(until: "GET /a?b ")
        }
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    /// The first two fit into a Unix socket, and the rest waits.
    @Test("A sender that has closed its half gets all answers")
    func halfClosed() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/socket"
        let fixture = try ServerFixture(path: path)
        let client = try RawSocket(path: path)
        client.send((0..<3).map { "GET /big/\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        client.shutdownWriting()
        // The end is there when the server has room again.
        while client.waitingBytes < 100_000 { sched_yield() }
        var count = 0
        while let bytes = client.next() { count += bytes.count }
        #expect(count > 300_000)
        withExtendedLifetime(fixture) {}
    }

    @Test("HEAD has the length but not the body")
    func head() throws {
        let fixture = try ServerFixture()
        let client = try RawClient(port: fixture.port)
        client.send("HEAD /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let answer = client.read()
        #expect(answer.contains("\r\nContent-Length: 8\r\n") && answer.hasSuffix("\r\n\r\n"))
    }

    @Test("curl speaks to it through TLS with the development certificate")
    func encrypted() throws {
        let folder = NSTemporaryDirectory() + "bellwire-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let certificate = try DevelopmentCertificate(
            in: folder, hostName: "test.invalid", now: WallClock.now)
        let fixture = try ServerFixture(certificates: try CertificateStore(certificate.files))
        let arguments = [
            "--silent", "--show-error", "--cacert", certificate.authorityPath, "--max-time", "5",
            "--data", "hello", "https://localhost:\(fixture.port)/tls",
            "--next", "--silent", "--cacert", certificate.authorityPath,
            "--data", "again", "https://localhost:\(fixture.port)/tls",
        ]
        let curl = try RunningProcess("/usr/bin/curl", arguments)
        let text = try curl.text()
        #expect(text == "POST /tls helloPOST /tls again")
        #expect(curl.wait() == 0)
    }

    @Test("A drain answers what is under way and then ends")
    func drain() throws {
        let fixture = try ServerFixture()
        let client = try RawClient(port: fixture.port)
        client.send("GET /later HTTP/1.1\r\nHost: a\r\n")
        let idle = try RawClient(port: fixture.port)
        idle.send(Self.get)
        _ = idle.read(until: "GET /a?b ")
        fixture.server.drain(within: .seconds(5))
        client.send("\r\n")
        let answer = client.read()
        #expect(answer.contains("GET /later ") && answer.contains("\r\nConnection: close\r\n"))
        #expect(idle.read() == "")
    }
}
