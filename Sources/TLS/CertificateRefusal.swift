/// Why a certificate and its key cannot be used.
package enum CertificateRefusal: Error, Equatable, Sendable {
    case noCertificate
    case noKey
    /// The key is not that of the certificate, for example after half a renewal.
    case differentPairs
    case fault(TLSError)
}
