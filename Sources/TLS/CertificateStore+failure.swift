package import System

extension CertificateStore {
    package enum Failure: Error, Equatable, CustomStringConvertible {
        case unreadable(TextFile.Failure)
        case refused(Files, CertificateRefusal)

        package var description: String {
            switch self {
            case .unreadable(let failure): failure.description
            case .refused(let files, .noCertificate): "\(files.certificate) contains no certificate"
            case .refused(let files, .noKey): "\(files.key) contains no readable private key"
            case .refused(let files, .differentPairs):
                "the certificate \(files.certificate) does not match the key \(files.key)"
            case .refused(let files, .fault(let error)):
                "the certificate \(files.certificate) and its key \(files.key): \(error)"
            }
        }
    }

    /// What does not keep a certificate out of service.
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
