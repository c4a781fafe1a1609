/// Why a certificate and its key cannot be used.
package enum CertificateRefusal: Error, Equatable, Sendable {
    case noCertificate
    case noKey
    /// They are of two pairs, as after a renewal that is half done.
    case differentPairs
    case fault(TLSError)
}
