package import System

extension CertificateStore {
    package enum Failure: Error, Equatable, CustomStringConvertible {
        case unreadable(TextFile.Failure)
        case refused(Files, CertificateRefusal)

        package var description: String {
            switch self {
            case .unreadable(let failure): failure.description
            case .refused(let files, .noCertificate): "\(files.certificate) has no certificate"
            case .refused(let files, .noKey): "\(files.key) has no private key that can be read"
            case .refused(let files, .differentPairs):
                "the certificate \(files.certificate) does not match the key \(files.key)"
            case .refused(let files, .fault(let error)):
                "the certificate \(files.certificate) and its key \(files.key): \(error)"
            }
        }
    }

    /// A problem with a certificate that is used all the same.
    package enum Warning: Equatable, Sendable, CustomStringConvertible {
        case expired(path: String)
        case notYetValid(path: String)
        case keyReadableByEveryone(path: String)

        package var description: String {
            switch self {
            case .expired(let path): "the certificate \(path) has expired"
            case .notYetValid(let path): "the certificate \(path) is not valid yet"
            case .keyReadableByEveryone(let path): "every user can read the key \(path)"
            }
        }
    }
}
