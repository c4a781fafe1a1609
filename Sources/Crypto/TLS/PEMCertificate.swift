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
        try require(SSL_CTX_use_certificate(context.handle, leaf.handle), "SSL_CTX_use_certificate")
        try require(
            SSL_CTX_use_PrivateKey(context.handle, keyPair.handle), "SSL_CTX_use_PrivateKey")
        while let next = try certificates.certificate() {
            try require(
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

/// Reads the blocks of a PEM text (RFC 7468) one after the other.
struct PEMReader: ~Copyable {
    private let text: MemoryText

    init(_ bytes: [UInt8]) throws(TLSError) {
        let text = try MemoryText()
        guard BIO_write(text.handle, bytes, Int32(bytes.count)) == bytes.count else {
            throw TLSError("BIO_write")
        }
        self.text = text
    }

    /// The next certificate; other blocks are skipped. Nil at the end.
    mutating func certificate() throws(TLSError) -> Certificate? {
        if let handle = PEM_read_bio_X509(text.handle, nil, noPassphrase, nil) {
            return Certificate(owning: handle)
        }
        let last = ERR_peek_last_error()
        guard ERR_GET_LIB(last) == ERR_LIB_PEM, ERR_GET_REASON(last) == PEM_R_NO_START_LINE
        else { throw TLSError("PEM_read_bio_X509") }
        ERR_clear_error()
        return nil
    }

    /// The next private key; nil if none can be read. An encrypted one is an error.
    mutating func keyPair() throws(TLSError) -> KeyPair? {
        if let handle = PEM_read_bio_PrivateKey(text.handle, nil, noPassphrase, nil) {
            return KeyPair(owning: handle)
        }
        // OpenSSL reports this after it has tried every kind of key.
        guard ERR_GET_LIB(ERR_peek_last_error()) == ERR_LIB_OSSL_DECODER else {
            throw TLSError("PEM_read_bio_PrivateKey")
        }
        ERR_clear_error()
        return nil
    }
}

/// Without this callback OpenSSL would ask for a passphrase on the terminal.
private func noPassphrase(
    _: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32, _: UnsafeMutableRawPointer?
) -> Int32 { -1 }

/// Whether a certificate is valid at a given time.
enum CertificateValidity {
    case notYetValid
    case current
    case expired

    /// `now` is in seconds since 1970.
    init(of certificate: OpaquePointer?, at now: Double) {
        var now = Int(now)
        // Returns -1 for a time in the past.
        if X509_cmp_time(X509_get0_notAfter(certificate), &now) < 0 {
            self = .expired
        } else if X509_cmp_time(X509_get0_notBefore(certificate), &now) > 0 {
            self = .notYetValid
        } else {
            self = .current
        }
    }
}

extension TLSContext {
    func certificateValidity(at now: Double) -> CertificateValidity {
        CertificateValidity(of: SSL_CTX_get0_certificate(handle), at: now)
    }
}
