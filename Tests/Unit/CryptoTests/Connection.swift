import COpenSSL
import Testing
@testable import Crypto

/// A connected client and server, driven in turn by one thread.
final class Connection {
    let sockets: SocketPair
    var client: TLSStream
    var server: TLSStream

    /// With `ciphers` the server has records of its own.
    init(
        _ clientContext: TLSContext, _ serverContext: TLSContext, host: String,
        _ ciphers: RecordCiphers? = nil
    ) throws {
        sockets = try SocketPair()
        client = try TLSStream(connecting: sockets.first, to: host, clientContext)
        server = try TLSStream(serving: sockets.second, serverContext, ciphers)
    }

    /// Both sides use `certificate`, and the handshake is done.
    static func established(
        _ certificate: TestCertificate, host: String = "localhost", limit: Int32 = TLS1_3_VERSION,
        _ ciphers: RecordCiphers? = nil
    ) throws -> Connection {
        let connection = try Connection(
            certificate.client(), certificate.server(), host: host, ciphers)
        connection.limitVersion(limit)
        try #require(connection.handshake() == .done)
        return connection
    }

    func limitVersion(_ version: Int32) {
        SSL_ctrl(client.handle, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil)
    }

    private(set) var clientProgress = TLSProgress.wantsRead
    private(set) var serverProgress = TLSProgress.wantsRead

    /// The state of the client; the server's is in `serverProgress`.
    @discardableResult
    func handshake() -> TLSProgress {
        for _ in 0..<10 {
            if clientProgress == .wantsRead { clientProgress = client.handshake() }
            if serverProgress == .wantsRead { serverProgress = server.handshake() }
        }
        return clientProgress
    }

    /// Reads the tickets that follow the handshake of TLS 1.3.
    func settle() { #expect(clientReceives() == .wantsRead) }

    func clientReceives() -> TLSTransfer {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var span = bytes.mutableSpan
        return client.read(into: &span)
    }

    func serverReceives() -> TLSTransfer {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var span = bytes.mutableSpan
        return server.read(into: &span)
    }

    /// Sends a few bytes each way.
    func talk() {
        #expect(client.write([1, 2, 3].span) == .bytes(3))
        #expect(serverReceives() == .bytes(3))
        #expect(server.write([4, 5].span) == .bytes(2))
        #expect(clientReceives() == .bytes(2))
    }

    // A macro cannot inspect a noncopyable value.
    var serverHasOwnRecords: Bool { server.hasOwnRecords }
    var serverHasPending: Bool { server.hasPending }
    var isResumed: Bool { client.isResumed && server.isResumed }
    var isFresh: Bool { !client.isResumed && !server.isResumed }

    /// The common name of the server's certificate.
    var peerName: String {
        let certificate = SSL_get1_peer_certificate(client.handle)
        defer { X509_free(certificate) }
        var name = [CChar](repeating: 0, count: 256)
        X509_NAME_get_text_by_NID(
            X509_get_subject_name(certificate), NID_commonName, &name, Int32(name.count))
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    }
}

/// Why it failed; nil if it did not.
func reason(_ progress: TLSProgress) -> String? {
    if case .failed(let error) = progress { error.reason } else { nil }
}

func isAbrupt(_ transfer: TLSTransfer) -> Bool {
    if case .failed(let error) = transfer { error.isAbruptEnd } else { false }
}
