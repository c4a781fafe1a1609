import Crypto
import Foundation
import Synchronization
import Testing
@testable import HTTP

@Suite("Peers that do not read or do not leave")
struct ServerPatienceTests {
    private let certificate: DevelopmentCertificate

    init() throws { certificate = try .forTest() }

    private func server(_ limits: HTTPService.Limits = .init()) throws -> ServerFixture {
        try ServerFixture(
            limits: limits, certificates: try CertificateStore(certificate.files))
    }

    @Test("An HTTP/2 connection that was answered and goes silent is closed in time")
    func silence() throws {
        var limits = HTTPService.Limits()
        limits.patience2.idle = .milliseconds(50)
        let fixture = try server(limits)
        let client = try EncryptedClient(port: fixture.port, certificate, .http2)
        client.send(HTTP2Wire.opening + HTTP2Wire.get(1))
        let received = try #require(client.readToEnd())
        // GOAWAY, after which the client sent nothing more.
        #expect(received.contains([0, 0, 8, 7, 0, 0, 0, 0, 0]))
    }

    @Test("A handshake that had to wait for others is not cut, and one that stops is")
    func handshakes() throws {
        var limits = HTTPService.Limits()
        limits.handshake = .milliseconds(1_500)
        let fixture = try server(limits)
        let busy = try EncryptedClient(port: fixture.port, certificate, .http1)
        let client = try EncryptedClient(port: fixture.port, certificate, .http1) {
            // By then the connection is mostly accepted.
            usleep(30_000)
            busy.send(Array("GET /busy HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        }
        client.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        #expect(client.receive() != nil)
        let silent = try RawClient(port: fixture.port)
        let start = ContinuousClock.now
        #expect(silent.readToEnd().isEmpty && ContinuousClock.now - start < .seconds(4))
    }

    @Test(
        "Who speaks HTTP to a port for TLS gets an answer, and no answer that ends an endpoint",
        arguments: ["GET", "POST"])
    func withoutTLS(method: String) throws {
        let fixture = try server()
        let client = try RawClient(port: fixture.port)
        client.send(
            "\(method) / HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n"
                + String(repeating: "x", count: 60_000))
        let answer = String(decoding: client.readToEnd(), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.hasSuffix("\r\n\r\nwithout-tls"))
        #expect(fixture.figures.refusals.map(\.word) == ["without-tls"])
    }

    @Test("A request in the same bytes as one that is answered later is read as well")
    func readAhead() throws {
        let fixture = try server()
        let client = try EncryptedClient(port: fixture.port, certificate, .http1)
        client.sendTogether(
            ["/later", "/next"].map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" })
        var received: [UInt8] = []
        while !String(decoding: received, as: UTF8.self).contains("GET /next ") {
            received += try #require(client.receive())
        }
    }

    @Test("Pipelined requests are answered only as long as somebody reads")
    func burst() throws {
        let fixture = try ServerFixture()
        let client = try RawClient(port: fixture.port)
        let before = EchoHandler.bigAnswers.load(ordering: .relaxed)
        let count = 400
        let last = "GET /big/\(count - 1) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        client.send(
            (0..<count - 1).map { "GET /big/\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined() + last)
        var received = Array(client.read(until: "GET /big/0 ").utf8)
        // What fits into the buffers of the sockets, some megabytes, is answered.
        #expect(EchoHandler.bigAnswers.load(ordering: .relaxed) - before < count / 2)
        received += client.readToEnd()
        let order = String(decoding: received.filter { $0 != UInt8(ascii: "x") }, as: UTF8.self)
            .components(separatedBy: "GET /big/").dropFirst()
            .compactMap { Int($0.prefix { $0.isNumber }) }
        #expect(order == Array(0..<count))
    }
}
