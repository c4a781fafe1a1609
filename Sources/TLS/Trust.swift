import COpenSSL

/// The certificate authorities that a client trusts.
package enum Trust: Sendable {
    case system
    /// Only the authorities in this PEM text.
    case authorities([UInt8])
    /// Those of the system, and those in this PEM text.
    case systemAnd([UInt8])

    func install(in context: borrowing ContextHandle) throws(TLSError) {
        switch self {
        case .system: try Self.installSystem(in: context)
        case .authorities(let text): try Self.install(text, in: context)
        case .systemAnd(let text):
            try Self.installSystem(in: context)
            try Self.install(text, in: context)
        }
    }

    private static func installSystem(in context: borrowing ContextHandle) throws(TLSError) {
        try ensure(
            SSL_CTX_set_default_verify_paths(context.handle), "SSL_CTX_set_default_verify_paths")
    }

    private static func install(
        _ text: [UInt8], in context: borrowing ContextHandle
    ) throws(TLSError) {
        let store = SSL_CTX_get_cert_store(context.handle)
        var reader = try PEMReader(text)
        while let certificate = try reader.certificate() {
            try ensure(X509_STORE_add_cert(store, certificate.handle), "X509_STORE_add_cert")
        }
    }
}
