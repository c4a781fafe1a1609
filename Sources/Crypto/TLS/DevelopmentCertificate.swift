import Base
import COpenSSL
package import System

/// A certificate for localhost with its own authority, created if none is configured.
///
/// There are two files: the authority's certificate, which others can trust, and the server's
/// certificate with its key. The authority's private key is destroyed as soon as it has signed that
/// one certificate.
package struct DevelopmentCertificate: Sendable {
    package let authorityPath: String
    package let files: CertificateStore.Files
    /// Whether this start created it. Clients that trusted an earlier one must then trust this one.
    package let isNew: Bool

    package enum Failure: Error, Equatable, CustomStringConvertible {
        case unreadable(KeyFile.Failure)
        case notWritten(path: String, SystemError)
        case fault(TLSError)

        package var hint: String? {
            switch self {
            case .unreadable(let failure): failure.hint
            case .notWritten(_, let error): error.hint
            case .fault: nil
            }
        }

        package var description: String {
            switch self {
            case .unreadable(let failure): failure.description
            case .notWritten(let path, let error): "\(path): \(error)"
            case .fault(let error): "development certificate: \(error)"
            }
        }
    }

    package static let authorityName = "development-ca.pem"
    package static let certificateName = "development-tls.pem"

    /// A new certificate does not inherit the trust in the old one, so it is valid for long: 825
    /// days is the most that strict clients accept from an authority that the user added.
    static let lifetime = 825 * 86_400
    /// The certificate begins an hour earlier, for clients whose clocks are a little behind.
    static let backdating = 3_600
    /// The certificate is replaced when it expires this soon after a start.
    static let reserve = 30 * 86_400

    /// Uses the files in `folder`, or creates them. Files for another host name stay valid, because
    /// a user may trust them already. `now` is in seconds since 1970.
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
        // The authority is written last: its file without the server's would look like a complete
        // pair.
        try Self.write(made.server, to: path, mode: 0o600)
        try Self.write(made.authority, to: authorityPath, mode: 0o644)
    }

    /// The name in lower case; nil if it is not a valid DNS name (RFC 1123 section 2.1).
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

extension DevelopmentCertificate {
    /// Tells a person how to make programs trust the certificate; `url` is one of the server's.
    package func instructions(for url: String) -> String {
        let path = ShellWord.quoted(Printable.text(authorityPath))
        return """
            to trust this server's development certificate (Debian, Ubuntu):
              sudo cp \(path) /usr/local/share/ca-certificates/bellwire-development.crt
              sudo update-ca-certificates
            Firefox has a store of its own: Settings, search for "Manage certificates", Authorities, \
            Import
            for a single request: curl --cacert \(path) \(url)
            """
    }
}

extension DevelopmentCertificate {
    static func make(
        hostName: String?, now: Int
    ) throws(TLSError) -> (authority: [UInt8], server: [UInt8]) {
        let start = now - backdating
        let validity = start...start + lifetime
        let authority = try CertificateAuthority(hostName: hostName, validity: validity)
        var names = ["DNS:localhost", "IP:127.0.0.1", "IP:::1"]
        if let hostName { names.append("DNS:\(hostName)") }
        let key = try KeyPair.generate()
        let certificate = try authority.issue(names, for: key, validity: validity)
        return (try authority.certificate.pem(), try certificate.pem() + key.pem())
    }

    /// Whether the files of an earlier start are complete, belong together, and are valid long
    /// enough.
    static func isUsable(
        _ authorityPath: String, _ path: String, now: Int
    ) throws(Failure) -> Bool {
        let authority: [UInt8]
        let server: [UInt8]
        do throws(KeyFile.Failure) {
            server = try KeyFile.read(path)
        } catch {
            if case .system(_, let cause) = error, cause.isMissingFile { return false }
            throw .unreadable(error)
        }
        do throws(TextFile.Failure) {
            authority = try TextFile.read(authorityPath)
        } catch {
            return false
        }
        do throws(TLSError) {
            return try isUsable(authority, server, now: now)
        } catch {
            // The files are damaged or foreign, so they are replaced.
            return false
        }
    }

    private static func isUsable(
        _ authority: [UInt8], _ server: [UInt8], now: Int
    ) throws(TLSError) -> Bool {
        var authorities = try PEMReader(authority)
        var certificates = try PEMReader(server)
        var keys = try PEMReader(server)
        guard let issuer = try authorities.certificate(),
            let leaf = try certificates.certificate(), let key = try keys.keyPair()
        else { return false }
        defer { ERR_clear_error() }
        let isSigned = X509_verify(leaf.handle, X509_get0_pubkey(issuer.handle)) == 1
        guard isSigned, leaf.belongs(to: key) else { return false }
        let moments = [now, now + reserve].map(Double.init)
        return moments.allSatisfy { moment in
            CertificateValidity(of: leaf.handle, at: moment) == .current
        }
    }
}
