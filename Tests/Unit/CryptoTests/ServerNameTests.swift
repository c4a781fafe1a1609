import COpenSSL
import Testing
@testable import Crypto

@Suite("Several certificates by name")
struct ServerNameTests {
    private let server: TLSContext
    private let client: TLSContext

    init() throws {
        let first = try TestCertificate(["DNS:first.test", "DNS:*.both.test"], name: "first")
        server = try first.server(alternatives: [
            TestCertificate(["DNS:second.test", "DNS:also.second.test"], name: "second"),
            TestCertificate(["DNS:*.wild.test", "DNS:one.both.test"], name: "wild"),
        ])
        client = try first.client()
    }

    @Test(
        "The certificate for the requested name is presented, else the first",
        arguments: [
            ("first.test", "first"), ("second.test", "second"), ("also.second.test", "second"),
            ("SECOND.Test", "second"), ("one.wild.test", "wild"), ("wild.test", "first"),
            ("two.one.wild.test", "first"), ("second.test.evil", "first"), ("other", "first"),
            ("any.both.test", "first"), ("one.both.test", "wild"), ("127.0.0.1", "first"),
            ("::1", "first"),
        ])
    func chosen(host: String, name: String) throws {
        let connection = try Connection(client, server, host: host)
        SSL_set_verify(connection.client.handle, SSL_VERIFY_NONE, nil)
        #expect(connection.handshake() == .done)
        #expect(connection.peerName == name)
        connection.settle()
        connection.talk()
    }
}
