import Base
import COpenSSL

/// A certificate with its chain and its private key, both as PEM text.
package struct PEMCertificate: Sendable, Confidential {
    private let chain: [UInt8]
    private let key: [UInt8]

    package init(chain: [UInt8], key: [UInt8]) {
        self.chain = chain
        self.key = key
    }

    func install(in context: borrowing ContextHandle) throws(CertificateRefusal) {
        let refusal: CertificateRefusal?
        do throws(TLSError) { refusal = try use(in: context) } catch { throw .fault(error) }
        if let refusal { throw refusal }
    }

    private func use(in context: borrowing ContextHandle) throws(TLSError) -> CertificateRefusal? {
        var certificates = try PEMReader(chain)
        var keys = try PEMReader(key)
        guard let leaf = try certificates.certificate() else { return .noCertificate }
        guard let keyPair = try keys.keyPair() else { return .noKey }
        guard leaf.belongs(to: keyPair) else { return .differentPairs }
        try ensure(SSL_CTX_use_certificate(context.handle, leaf.handle), "SSL_CTX_use_certificate")
        try ensure(SSL_CTX_use_PrivateKey(context.handle, keyPair.handle), "SSL_CTX_use_PrivateKey")
        while let next = try certificates.certificate() {
            try ensure(
                copenssl_add_chain_certificate(context.handle, next.handle),
                "SSL_CTX_add1_chain_cert")
        }
        return nil
    }
}

extension Certificate {
    func belongs(to key: borrowing KeyPair) -> Bool {
        defer { ERR_clear_error() }
        return X509_check_private_key(handle, key.handle) == 1
    }
}

/// Why a certificate and its key cannot be used.
package enum CertificateRefusal: Error, Equatable, Sendable {
    case noCertificate
    case noKey
    /// The key is not that of the certificate, for example after half a renewal.
    case differentPairs
    case fault(TLSError)
}
