import COpenSSL
import Foundation
@testable import Crypto

/// A server certificate with its key and its authority, all as PEM.
struct TestCertificate {
    let chain: [UInt8]
    let key: [UInt8]
    let authority: [UInt8]

    static let now = Int(Date().timeIntervalSince1970)
    static let year = now - 3_600...now + 365 * 86_400

    /// Signed by an authority without constraints.
    init(_ names: [String], name: String = "server", validity: ClosedRange<Int> = year) throws {
        let key = try KeyPair.generate()
        let template = CertificateTemplate(
            subject: [("CN", "an authority")], validity: Self.year,
            extensions: [
                (NID_basic_constraints, "critical,CA:TRUE"),
                (NID_subject_key_identifier, "hash"),
            ])
        let authority = CertificateAuthority(
            certificate: try template.selfSign(with: key), key: key)
        try self.init(names, name: name, validity: validity, by: authority)
    }

    init(
        _ names: [String], name: String = "server", validity: ClosedRange<Int> = year,
        by authority: borrowing CertificateAuthority
    ) throws {
        let key = try KeyPair.generate()
        let template = CertificateTemplate(
            subject: [("CN", name)], validity: validity,
            extensions: [(NID_subject_alt_name, names.joined(separator: ","))])
        chain = try template.sign(for: key, by: authority).pem()
        self.key = try key.pem()
        self.authority = try authority.certificate.pem()
    }

    var pem: PEMCertificate { PEMCertificate(chain: chain, key: key) }

    func server(alternatives: [TestCertificate] = []) throws -> TLSContext {
        try TLSContext(server: pem, alternatives: alternatives.map { try $0.server() })
    }

    func client(_ protocols: [ApplicationProtocol] = [.http2, .http1]) throws -> TLSContext {
        try TLSContext(client: .authorities(authority), protocols: protocols)
    }

    static let localhost = ["DNS:localhost", "IP:127.0.0.1", "IP:::1"]
}
