import COpenSSL
import Foundation
import Testing

@testable import Crypto

@Suite("From OpenSSL's handshake to records of our own")
struct HandoverTests {
    private let certificate: TestCertificate

    init() throws { certificate = try TestCertificate(TestCertificate.localhost) }

    private func makeConnection(_ ciphers: RecordCiphers? = RecordCiphers()) throws -> Connection {
        try Connection(certificate.client(), certificate.server(), host: "localhost", ciphers)
    }

    @Test("All records before are counted, however many tickets there are", arguments: 0...3)
    func tickets(count: Int) throws {
        let connection = try makeConnection()
        SSL_set_num_tickets(connection.server.handle, count)
        #expect(connection.handshake() == .done)
        #expect(connection.serverHasOwnRecords)
        connection.settle()
        connection.talk()
        #expect(connection.server.applicationProtocol == .http2)
        #expect(connection.server.version == "TLSv1.3")
        #expect(connection.isFresh)
    }

    @Test("A session is resumed although its connection was handed over and has ended")
    func resumed() throws {
        let (client, server) = (try certificate.client(), try certificate.server())
        var session: OpaquePointer?
        for round in 0..<3 {
            let connection = try Connection(client, server, host: "localhost", RecordCiphers())
            if let session { SSL_set_session(connection.client.handle, session) }
            SSL_SESSION_free(session)
            #expect(connection.handshake() == .done)
            #expect(connection.serverHasOwnRecords)
            #expect(connection.isResumed == (round > 0))
            connection.settle()
            connection.talk()
            session = SSL_get1_session(connection.client.handle)
        }
        SSL_SESSION_free(session)
    }

    @Test(
        "TLS 1.2 stays with OpenSSL, and all does without ciphers",
        arguments: [(TLS1_2_VERSION, true), (TLS1_3_VERSION, false)])
    func kept(version: Int32, hasCiphers: Bool) throws {
        let connection = try makeConnection(hasCiphers ? RecordCiphers() : nil)
        connection.limitVersion(version)
        #expect(connection.handshake() == .done)
        #expect(!connection.serverHasOwnRecords)
        connection.settle()
        connection.talk()
    }

    @Test(
        "Keys of every suite and group are taken",
        arguments: [
            "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256",
        ],
        // The last one makes the server ask for another key.
        ["X25519", "P-256", "P-384", "P-521:P-256"])
    func suites(suite: String, groups: String) throws {
        let connection = try makeConnection()
        SSL_set_ciphersuites(connection.client.handle, suite)
        _ = groups.withCString { groups in
            SSL_ctrl(
                connection.client.handle, SSL_CTRL_SET_GROUPS_LIST, 0,
                UnsafeMutableRawPointer(mutating: groups))
        }
        #expect(connection.handshake() == .done)
        #expect(connection.serverHasOwnRecords)
        connection.settle()
        connection.talk()
    }

    @Test("What a client sends behind its Finished is read, wherever the segment ends")
    func behindFinished() throws {
        let context = try certificate.server()
        let text = Array("POST / HTTP/1.1".utf8)
        var cut = 0
        while true {
            let client = try MemoryClient("TLS_AES_128_GCM_SHA256")
            let sockets = try SocketPair()
            var server = try TLSStream(serving: sockets.second, context, RecordCiphers())
            SSL_do_handshake(client.handle)
            sockets.send(client.take())
            _ = server.handshake()
            client.give(sockets.receivedBack())
            SSL_do_handshake(client.handle)
            client.write(text)
            let flight = client.take()
            sockets.send(Array(flight[..<cut]))
            _ = server.handshake()
            sockets.send(Array(flight[cut...]))
            #expect(server.handshake() == .done)
            var buffer = [UInt8](repeating: 0, count: 1 << 14)
            var span = buffer.mutableSpan
            let read = server.read(into: &span)
            #expect(read == .bytes(text.count))
            #expect(Array(buffer[..<text.count]) == text)
            cut += 7
            if cut > flight.count { return }
        }
    }

    @Test(
        "Short records that a client asks for are honoured", arguments: 1...4 as ClosedRange<UInt8>)
    func fragments(code: UInt8) throws {
        let client = try MemoryClient("TLS_AES_128_GCM_SHA256", fragment: code)
        let sockets = try SocketPair()
        var server = try TLSStream(serving: sockets.second, certificate.server(), RecordCiphers())
        for _ in 0..<3 {
            SSL_do_handshake(client.handle)
            sockets.send(client.take())
            _ = server.handshake()
            client.give(sockets.receivedBack())
        }
        let text = [UInt8](repeating: 5, count: 10_000)
        let written = server.write(text.span)
        #expect(written == .bytes(text.count))
        let wire = sockets.receivedBack()
        #expect(Int(wire[3]) << 8 | Int(wire[4]) == 256 << Int(code) + 17)
        client.give(wire)
        #expect(client.readAll() == text)
    }

    @Test("Only the whole labels of the first two secrets are taken")
    func labels() throws {
        var taken = TakenSecrets()
        let digits = String(repeating: "ab", count: 32)
        taken.countRecord(isSent: true)
        for label in [
            "CLIENT_TRAFFIC_SECRET_1", "SERVER_TRAFFIC_SECRET_N", "EXPORTER_SECRET",
            "CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_TRAFFIC_SECRET_01",
        ] {
            taken.take("\(label) 00ff \(digits)")
        }
        #expect(taken.lengths == [0, 0])
        taken.take("CLIENT_TRAFFIC_SECRET_0 00ff \(digits)")
        taken.take("SERVER_TRAFFIC_SECRET_0 00ff \(digits)\(digits)")
        // No longer than the longest there is.
        #expect(taken.lengths == [32, 48])
    }

    @Test("A handshake that fails leaves nothing for the next one on its thread")
    func afterFailure() throws {
        let sockets = try SocketPair()
        var broken = try TLSStream(serving: sockets.second, certificate.server(), RecordCiphers())
        sockets.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        let progress = broken.handshake()
        #expect(reason(progress) == "http request")
        let connection = try Connection.established(certificate, RecordCiphers())
        connection.settle()
        connection.talk()
    }
}
