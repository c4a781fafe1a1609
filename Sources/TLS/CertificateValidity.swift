import COpenSSL

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
