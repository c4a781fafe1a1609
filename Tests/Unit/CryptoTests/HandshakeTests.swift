import COpenSSL
import Testing
@testable import Crypto

@Suite("TLS handshakes")
struct HandshakeTests {
    private let certificate: TestCertificate

    init() throws { certificate = try TestCertificate(TestCertificate.localhost) }

    @Test(
        "TLS 1.2 and 1.3 carry data both ways",
        arguments: [(TLS1_2_VERSION, "TLSv1.2"), (TLS1_3_VERSION, "TLSv1.3")])
    func versions(limit: Int32, name: String) throws {
        let connection = try Connection.established(certificate, limit: limit)
        #expect(connection.serverProgress == .done)
        #expect(connection.client.version == name)
        #expect(connection.server.version == name)
        connection.settle()
        connection.talk()
    }

    @Test("TLS 1.1 is refused")
    func oldVersion() throws {
        let connection = try Connection(
            certificate.client(), certificate.server(), host: "localhost")
        let client = connection.client.handle
        SSL_set_cipher_list(client, "ALL:@SECLEVEL=0")
        SSL_ctrl(client, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_1_VERSION), nil)
        connection.limitVersion(TLS1_1_VERSION)
        connection.handshake()
        #expect(reason(connection.serverProgress) == "unsupported protocol")
        #expect(reason(connection.clientProgress) == "tlsv1 alert protocol version")
    }

    @Test(
        "TLS 1.2 without forward secrecy or authenticated encryption is refused",
        arguments: ["AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA", "DHE-RSA-AES128-GCM-SHA256"])
    func weakCipher(name: String) throws {
        let connection = try Connection(
            certificate.client(), certificate.server(), host: "localhost")
        SSL_set_cipher_list(connection.client.handle, name)
        connection.limitVersion(TLS1_2_VERSION)
        connection.handshake()
        #expect(reason(connection.serverProgress) == "no shared cipher")
    }

    @Test(
        "The server prefers HTTP/2 to HTTP/1.1, whatever the client's order",
        arguments: [
            ([.http2, .http1], .http2), ([.http1, .http2], .http2), ([.http1], .http1),
            ([.http2], .http2), ([], nil),
        ] as [([ApplicationProtocol], ApplicationProtocol?)])
    func protocols(offer: [ApplicationProtocol], chosen: ApplicationProtocol?) throws {
        let connection = try Connection(
            certificate.client(offer), certificate.server(), host: "localhost")
        #expect(connection.handshake() == .done)
        #expect(connection.client.applicationProtocol == chosen)
        #expect(connection.server.applicationProtocol == chosen)
    }

    @Test(
        "An unknown protocol is refused only if it is the only one",
        arguments: [("\u{4}imap", nil), ("\u{4}imap\u{8}http/1.1", .http1)]
            as [(String, ApplicationProtocol?)])
    func unknownProtocol(offer: String, chosen: ApplicationProtocol?) throws {
        let connection = try Connection(
            certificate.client(), certificate.server(), host: "localhost")
        let offer = Array(offer.utf8)
        SSL_set_alpn_protos(connection.client.handle, offer, UInt32(offer.count))
        let progress = connection.handshake()
        #expect((progress == .done) == (chosen != nil))
        if chosen == nil {
            #expect(reason(connection.serverProgress) == "no application protocol")
            #expect(reason(progress) == "tlsv1 alert no application protocol")
        }
        #expect(connection.server.applicationProtocol == chosen)
    }

    @Test("A ticket resumes the session", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func resumption(limit: Int32) throws {
        let (client, server) = (try certificate.client(), try certificate.server())
        let first = try Connection(client, server, host: "localhost")
        first.limitVersion(limit)
        #expect(first.handshake() == .done)
        first.settle()
        #expect(first.isFresh)
        let session = SSL_get1_session(first.client.handle)
        defer { SSL_SESSION_free(session) }

        let second = try Connection(client, server, host: "localhost")
        second.limitVersion(limit)
        SSL_set_session(second.client.handle, session)
        #expect(second.handshake() == .done)
        #expect(second.isResumed)
        second.settle()
        second.talk()

        let reloaded = try Connection(client, certificate.server(), host: "localhost")
        reloaded.limitVersion(limit)
        SSL_set_session(reloaded.client.handle, session)
        #expect(reloaded.handshake() == .done)
        #expect(reloaded.isFresh)
    }

    @Test("A client that renegotiates a TLS 1.2 connection is refused")
    func renegotiation() throws {
        let connection = try Connection.established(certificate, limit: TLS1_2_VERSION)
        let client = connection.client.handle
        SSL_clear_options(client, copenssl_context_options)
        #expect(SSL_renegotiate(client) == 1)
        #expect(connection.client.handshake() == .wantsRead)
        #expect(connection.serverReceives() == .wantsRead)
        #expect(reason(connection.client.handshake()) == "no renegotiation")
        // The server's side was not affected.
        #expect(connection.server.write([1].span) == .bytes(1))
    }
}
