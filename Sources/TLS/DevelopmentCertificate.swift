package import System

/// A certificate for localhost with an authority of its own, made when none is configured.
///
/// Lies in two files: the authority's certificate, for others to trust, and the server's with its
/// key. The authority's private key is thrown away as soon as it has signed that one certificate.
package struct DevelopmentCertificate: Sendable {
    package let authorityPath: String
    package let files: CertificateStore.Files
    /// Whether this start made it; then whoever trusted an earlier one must trust the new one.
    package let isNew: Bool

    package enum Failure: Error, Equatable, CustomStringConvertible {
        case unreadable(KeyFile.Failure)
        case notWritten(path: String, SystemError)
        case fault(TLSError)

        package var description: String {
            switch self {
            case .unreadable(let failure): failure.description
            case .notWritten(let path, let error): "\(path): \(error)"
            case .fault(let error): "development certificate: \(error)"
            }
        }
    }

    static let authorityName = "development-ca.pem"
    static let certificateName = "development-tls.pem"

    /// A new one cannot take over the trust in the old one, so it lives long: 825 days is what the
    /// strictest clients accept from an authority that a user has added himself.
    static let lifetime = 825 * 86_400
    /// For clocks that are a little behind.
    static let backdating = 3_600
    /// A start so shortly before the end makes a new one.
    static let reserve = 30 * 86_400

    /// Takes the files in `folder`, or makes them. Those of another host name stay good, because a
    /// user may have trusted them. `now` in seconds since 1970.
    package init(in folder: String, hostName: String, now: Double) throws(Failure) {
        authorityPath = "\(folder)/\(Self.authorityName)"
        let path = "\(folder)/\(Self.certificateName)"
        files = CertificateStore.Files(certificate: path, key: path)
        isNew = try !Self.isUsable(authorityPath, path, now: Int(now))
        guard isNew else { return }
        let made: (authority: [UInt8], server: [UInt8])
        do throws(TLSError) {
            made = try Self.make(hostName: Self.usableName(hostName), now: Int(now))
        } catch {
            throw .fault(error)
        }
        // The authority's last: without its server's certificate it would be taken for whole.
        try Self.write(made.server, to: path, mode: 0o600)
        try Self.write(made.authority, to: authorityPath, mode: 0o644)
    }

    /// The same name in lower case, or nil where it is none of the DNS (RFC 1123 section 2.1).
    static func usableName(_ hostName: String) -> String? {
        let name = hostName.lowercased()
        guard name != "localhost", name.utf8.count <= 64, name.contains(where: \.isLetter),
            name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(isLabel)
        else { return nil }
        return name
    }

    private static func isLabel(_ label: Substring) -> Bool {
        guard let first = label.utf8.first, let last = label.utf8.last,
            first != UInt8(ascii: "-"), last != UInt8(ascii: "-")
        else { return false }
        return label.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-")
        }
    }

    private static func write(
        _ bytes: [UInt8], to path: String, mode: UInt32
    ) throws(Failure) {
        do throws(SystemError) {
            try AtomicFile.replace(path, with: bytes.span, mode: mode)
        } catch {
            throw .notWritten(path: path, error)
        }
    }
}
