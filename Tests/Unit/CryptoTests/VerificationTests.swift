import COpenSSL
import Testing
@testable import Crypto

@Suite("Which certificates a client accepts")
struct VerificationTests {
    private func outcome(_ certificate: TestCertificate, _ host: String) throws -> String? {
        let connection = try Connection(
            certificate.client(), certificate.server(), host: host)
        let progress = connection.handshake()
        #expect((progress == .done) == (connection.serverProgress == .done))
        return reason(progress)
    }

    private func refusal(_ text: String) -> String { "the certificate was refused: \(text)" }

    @Test("A certificate is valid for its own names and addresses")
    func good() throws {
        let certificate = try TestCertificate(TestCertificate.localhost + ["DNS:*.example.org"])
        for host in ["localhost", "LOCALHOST", "127.0.0.1", "::1", "0:0::1", "www.example.org"] {
            #expect(try outcome(certificate, host) == nil)
        }
    }

    @Test("A certificate is not valid for any other name")
    func badHost() throws {
        let certificate = try TestCertificate(TestCertificate.localhost + ["DNS:*.example.org"])
        for host in ["localhost.evil", "example.org", "a.b.example.org", "server"] {
            #expect(try outcome(certificate, host) == refusal("hostname mismatch"))
        }
        for address in ["127.0.0.2", "::2"] {
            #expect(try outcome(certificate, address) == refusal("IP address mismatch"))
        }
    }

    @Test("A certificate is valid only in its time")
    func badTime() throws {
        let now = TestCertificate.now
        let expired = try TestCertificate(
            TestCertificate.localhost, validity: now - 7_200...now - 60)
        #expect(try outcome(expired, "localhost") == refusal("certificate has expired"))
        let early = try TestCertificate(
            TestCertificate.localhost, validity: now + 3_600...now + 7_200)
        #expect(try outcome(early, "localhost") == refusal("certificate is not yet valid"))
    }

    @Test("Only the named authorities are trusted")
    func unknownAuthority() throws {
        let certificate = try TestCertificate(TestCertificate.localhost)
        let other = try TestCertificate(TestCertificate.localhost)
        for trust in [Trust.authorities(other.authority), .system] {
            let client = try TLSContext(client: trust, protocols: [.http1])
            let connection = try Connection(client, certificate.server(), host: "localhost")
            let text = reason(connection.handshake())
            #expect(text?.hasPrefix("the certificate was refused: ") == true)
            #expect(reason(connection.serverProgress) != nil)
        }
    }

    @Test("A development authority cannot sign for other names")
    func nameConstraints() throws {
        let authority = try CertificateAuthority(
            hostName: "desk", validity: TestCertificate.year)
        let names = ["localhost", "desk", "127.0.0.1", "127.9.8.7", "::1"]
        for name in names {
            let kind = name.contains("1") || name.contains("7") ? "IP" : "DNS"
            let certificate = try TestCertificate(["\(kind):\(name)"], by: authority)
            #expect(try outcome(certificate, name) == nil)
        }
        for name in ["DNS:example.com", "DNS:desk.evil", "IP:192.0.2.1", "IP:2001:db8::1"] {
            let certificate = try TestCertificate([name, "DNS:localhost"], by: authority)
            #expect(
                try outcome(certificate, String(name.drop { $0 != ":" }.dropFirst()))
                    == refusal("permitted subtree violation"))
            // Having a permitted name as well does not help.
            #expect(
                try outcome(certificate, "localhost") == refusal("permitted subtree violation"))
        }
    }

    @Test("A development authority cannot sign other authorities")
    func pathLength() throws {
        let authority = try CertificateAuthority(hostName: nil, validity: TestCertificate.year)
        let key = try KeyPair.generate()
        let template = CertificateTemplate(
            subject: [("CN", "below")], validity: TestCertificate.year,
            extensions: [(NID_basic_constraints, "critical,CA:TRUE")])
        let below = CertificateAuthority(
            certificate: try template.sign(for: key, by: authority), key: key)
        let leaf = try TestCertificate(TestCertificate.localhost, by: below)
        let server = try TLSContext(
            server: PEMCertificate(chain: leaf.chain + below.certificate.pem(), key: leaf.key))
        let client = try TLSContext(
            client: .authorities(authority.certificate.pem()), protocols: [])
        let connection = try Connection(client, server, host: "localhost")
        #expect(
            reason(connection.handshake()) == refusal("path length constraint exceeded"))
    }
}
