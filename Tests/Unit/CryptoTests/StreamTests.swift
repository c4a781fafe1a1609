import COpenSSL
import Foundation
import TestSupport
import Testing
@testable import Crypto

@Suite("TLS streams")
struct StreamTests {
    private let certificate: TestCertificate

    init() throws { certificate = try TestCertificate(TestCertificate.localhost) }

    @Test("A megabyte passes a socket that is full again and again", arguments: [false, true])
    func partialWrites(own: Bool) throws {
        let connection = try Connection.established(certificate, own ? RecordCiphers() : nil)
        connection.settle()
        let text = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        var received: [UInt8] = []
        var (sent, stops) = (0, 0)
        var last: [UInt8] = []
        while received.count < text.count {
            // Offered again, the bytes are at another address: the last copy still exists.
            let rest = Array(text[sent...])
            defer { last = rest }
            switch connection.server.write(rest.span) {
            case .bytes(let count): sent += count
            case .wantsWrite:
                stops += 1
                received += readAll(from: connection)
            case let other: try #require(other == .wantsWrite)
            }
            if sent == text.count { received += readAll(from: connection) }
        }
        #expect(received == text)
        #expect(stops > 0 && !last.isEmpty)
    }

    private func readAll(from connection: Connection) -> [UInt8] {
        var received: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 10_000)
        while true {
            var span = bytes.mutableSpan
            guard case .bytes(let count) = connection.client.read(into: &span) else {
                return received
            }
            received += bytes[..<count]
        }
    }

    @Test("Records of our own that come together are read together")
    func together() throws {
        let connection = try Connection.established(certificate, RecordCiphers())
        #expect(!connection.serverHasPending)
        for _ in 0..<3 { #expect(connection.client.write([1, 2].span) == .bytes(2)) }
        #expect(connection.serverReceives() == .bytes(6))
        #expect(!connection.serverHasPending)
        #expect(connection.serverReceives() == .wantsRead)
    }

    @Test("Data that was read ahead is reported")
    func pending() throws {
        let connection = try Connection.established(certificate)
        #expect(!connection.serverHasPending)
        for _ in 0..<3 { #expect(connection.client.write([1, 2].span) == .bytes(2)) }
        #expect(connection.serverReceives() == .bytes(2))
        #expect(connection.serverHasPending)
        #expect(connection.sockets.received().isEmpty)
        #expect(connection.serverReceives() == .bytes(2))
        #expect(connection.serverReceives() == .bytes(2))
        #expect(!connection.serverHasPending)
        #expect(connection.serverReceives() == .wantsRead)
    }

    @Test(
        "Nothing is read without room, and nothing written without data", arguments: [false, true])
    func empty(own: Bool) throws {
        let connection = try Connection.established(certificate, own ? RecordCiphers() : nil)
        #expect(connection.client.write([UInt8]().span) == .bytes(0))
        #expect(connection.server.write([UInt8]().span) == .bytes(0))
        var nothing: [UInt8] = []
        var span = nothing.mutableSpan
        #expect(connection.client.read(into: &span) == .bytes(0))
        #expect(connection.serverReceives() == .wantsRead)
    }

    @Test(
        "A close_notify and an abrupt end are told apart",
        arguments: [(TLS1_2_VERSION, false), (TLS1_3_VERSION, false), (TLS1_3_VERSION, true)])
    func ends(limit: Int32, own: Bool) throws {
        let ciphers = own ? RecordCiphers() : nil
        let polite = try Connection.established(certificate, limit: limit, ciphers)
        #expect(polite.client.write([7].span) == .bytes(1))
        #expect(polite.client.shutdown() == .done)
        #expect(polite.serverReceives() == .bytes(1))
        #expect(polite.serverReceives() == .closed)
        #expect(polite.serverReceives() == .closed)
        // The other direction is still open.
        #expect(polite.server.write([8].span) == .bytes(1))
        #expect(polite.clientReceives() == .bytes(1))
        #expect(polite.server.shutdown() == .done)
        #expect(polite.clientReceives() == .closed)

        let abrupt = try Connection.established(certificate, limit: limit, ciphers)
        abrupt.sockets.endFirst()
        #expect(isAbrupt(abrupt.serverReceives()))
    }

    @Test("Writing to a peer that is gone is an abrupt end", arguments: [false, true])
    func brokenPipe(own: Bool) throws {
        let connection = try Connection.established(certificate, own ? RecordCiphers() : nil)
        shutdown(connection.sockets.first, Int32(SHUT_RDWR))
        #expect(isAbrupt(connection.server.write([1].span)))
    }

    @Test("A forged record ends the connection, but not as an abrupt end")
    func forged() throws {
        let connection = try Connection.established(certificate)
        connection.sockets.send([23, 3, 3, 0, 32] + [UInt8](repeating: 9, count: 32))
        let transfer = connection.serverReceives()
        guard case .failed(let error) = transfer else {
            Issue.record("\(transfer)")
            return
        }
        #expect(!error.isAbruptEnd)
        #expect(error.description == "SSL_read_ex: decryption failed or bad record mac")
        // An old error of this thread must not affect another connection.
        let other = try Connection.established(certificate)
        other.settle()
        other.talk()
    }

    @Test("An error left behind by other code does no harm")
    func foreignError() throws {
        let connection = try Connection.established(certificate)
        connection.settle()
        #expect(EVP_MD_fetch(nil, "no such thing", nil) == nil)
        #expect(ERR_peek_error() != 0)
        #expect(connection.serverReceives() == .wantsRead)
        ERR_clear_error()
    }

    private func handshake(after bytes: [UInt8], thenEnd: Bool) throws -> TLSProgress {
        let sockets = try SocketPair()
        var server = try TLSStream(serving: sockets.second, certificate.server())
        sockets.send(bytes)
        if thenEnd { sockets.endFirst() }
        return server.handshake()
    }

    @Test(
        "Anything but TLS is refused",
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", "http request"), ("CONNECT a:1 HTTP/1.1\r\n\r\n", nil),
            ("\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}\u{9}", nil),
        ] as [(String, String?)])
    func garbage(text: String, expected: String?) throws {
        let reason = reason(try handshake(after: Array(text.utf8), thenEnd: false))
        #expect(reason != nil)
        if let expected { #expect(reason == expected) }
    }

    private func clientHello() throws -> [UInt8] {
        let sockets = try SocketPair()
        var client = try TLSStream(
            connecting: sockets.first, to: "localhost", certificate.client())
        #expect(client.handshake() == .wantsRead)
        return sockets.received()
    }

    @Test("A ClientHello cut anywhere is an abrupt end")
    func cut() throws {
        let hello = try clientHello()
        #expect(hello.count > 200)
        for prefix in prefixes(of: hello) {
            let progress = try handshake(after: prefix, thenEnd: true)
            guard case .failed(let error) = progress, error.isAbruptEnd else {
                Issue.record("\(prefix.count) bytes: \(progress)")
                return
            }
            #expect(try handshake(after: prefix, thenEnd: false) == .wantsRead)
        }
    }

    @Test("A ClientHello with any byte changed is answered or refused")
    func changed() throws {
        let hello = try clientHello()
        for index in hello.indices {
            var bytes = hello
            bytes[index] ^= 0xFF
            _ = try handshake(after: bytes, thenEnd: true)
        }
    }
}
