import Crypto
import Glibc
import Testing

@testable import HTTP

/// RFC 9846 section 6.1: who has sent close_notify may still read.
@Suite("Clients that send nothing behind their requests")
struct HalfCloseTests {
    private let certificate: DevelopmentCertificate

    init() throws { certificate = try .forTest() }

    private func fixture(ownRecords: Bool) throws -> ServerFixture {
        try ServerFixture(
            certificates: try CertificateStore(certificate.files), ownRecords: ownRecords)
    }

    @Test("They get their answers over TLS, also when these come late", arguments: [true, false])
    func http1(ownRecords: Bool) throws {
        let fixture = try fixture(ownRecords: ownRecords)
        for (path, size) in [("/later", 0), ("/big/", 100_000)] {
            let client = try EncryptedClient(port: fixture.port, certificate, .http1)
            let request = "GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n"
            client.sendLast(Array((request + request).utf8))
            let answers = String(decoding: try #require(client.readToEnd()), as: UTF8.self)
            #expect(answers.components(separatedBy: "GET \(path) ").count == 3, "\(answers.count)")
            #expect(answers.utf8.count > 2 * size)
        }
    }

    @Test(
        "They get their answers over HTTP/2, and then the connection ends",
        arguments: [true, false])
    func http2(ownRecords: Bool) throws {
        let fixture = try fixture(ownRecords: ownRecords)
        let client = try EncryptedClient(port: fixture.port, certificate, .http2)
        let session = HTTP2Client()
        let streams = ["/later", "/later", "/"].map { session.get($0) }
        client.sendLast(session.output())
        let received = try #require(client.readToEnd())
        #expect(session.receive(received))
        for stream in streams { #expect(session.answers[stream]?.status == "200") }
    }

    @Test(
        "The end of long answers over HTTP/2 comes also if the socket has no room for it",
        arguments: [true, false])
    func longHTTP2(ownRecords: Bool) throws {
        let fixture = try fixture(ownRecords: ownRecords)
        for count in [6, 7, 8, 9] + (20...40) {
            let client = try EncryptedClient(
                port: fixture.port, certificate, .http2, receiveBuffer: 65_536)
            let session = HTTP2Client(window: 1 << 20)
            let streams = (0..<count).map { _ in session.get("/big/") }
            // The window of the whole connection (RFC 9113 section 6.9).
            let roomForAll: [UInt8] = [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0x7F, 0, 0]
            client.sendLast(session.output() + roomForAll)
            // The socket is full by then. It decides by how much, so only some of the lengths end in
            // what it has no room for.
            usleep(50_000)
            let received = try #require(client.readToEnd())
            #expect(Self.endedStreams(in: received) == Set(streams))
        }
    }

    /// The streams with a frame DATA that is the last one (RFC 9113 section 6.1).
    private static func endedStreams(in frames: [UInt8]) -> Set<Int32> {
        var (ended, start): (Set<Int32>, Int) = ([], 0)
        while start + 9 <= frames.count {
            let length = frames[start..<start + 3].reduce(0) { $0 << 8 | Int($1) }
            let (isData, isLast) = (frames[start + 3] == 0, frames[start + 4] & 1 == 1)
            start += 9 + length
            guard isData, isLast, start <= frames.count else { continue }
            let place = start - length - 4
            ended.insert(frames[place..<place + 4].reduce(0) { $0 << 8 | Int32($1) })
        }
        return ended
    }

    @Test("Half a request is no reason to wait", arguments: [true, false])
    func half(ownRecords: Bool) throws {
        let fixture = try fixture(ownRecords: ownRecords)
        let client = try EncryptedClient(port: fixture.port, certificate, .http1)
        client.sendLast(Array("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab".utf8))
        #expect(client.readToEnd() == [])
    }
}
