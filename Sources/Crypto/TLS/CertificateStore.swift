package import System

/// The certificates of a server. `reload` reads changed files again.
///
/// Each new connection asks for `context`; existing connections keep theirs. A reload creates a new
/// context with a new ticket key, so every client sees the new certificate, and no ticket is valid
/// for longer than the time between two reloads.
package final class CertificateStore: Sendable {
    package struct Files: Equatable, Sendable {
        package let certificate: String
        package let key: String

        /// Both may name the same file.
        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    private struct State {
        var files: [Files]
        var context: TLSContext
        var stamps: [FileStamp?]
    }

    private let state: Lock<State>

    /// The first certificate serves every name that no alternative covers.
    package init(_ first: Files, alternatives: [Files] = []) throws(Failure) {
        let files = [first] + alternatives
        let stamps = Self.stamps(of: files)
        let context = try Self.context(from: files)
        state = Lock(State(files: files, context: context, stamps: stamps))
    }

    package var context: TLSContext { state.withLock { $0.context } }

    /// Whether a file has changed since the last attempt to read it.
    package var haveFilesChanged: Bool {
        let (files, known) = state.withLock { ($0.files, $0.stamps) }
        return Self.stamps(of: files) != known
    }

    /// Reads all files again, or replaces them by another pair. If that fails the previous
    /// certificates stay in use. Call it at least daily, for new ticket keys.
    package func reload(_ other: Files? = nil) throws(Failure) {
        let files = other.map { [$0] } ?? state.withLock { $0.files }
        // The stamps are taken before the files are read, so that a write in between counts as a
        // change.
        let stamps = Self.stamps(of: files)
        if other == nil { state.withLock { $0.stamps = stamps } }
        let context = try Self.context(from: files)
        state.withLock { $0 = State(files: files, context: context, stamps: stamps) }
    }

    /// Programs that renew certificates do so before this; later it is a mistake that they do not.
    private static let notice: Double = 14 * 86_400

    /// What the administrator should know; `now` is in seconds since 1970.
    package func warnings(now: Double) -> [Warning] {
        let (files, context) = state.withLock { ($0.files, $0.context) }
        var warnings: [Warning] = []
        for (files, context) in zip(files, [context] + context.alternatives) {
            switch context.certificateValidity(at: now) {
            case .current:
                let later = now + Self.notice
                guard case .expired = context.certificateValidity(at: later) else { break }
                warnings.append(.expiresSoon(path: files.certificate))
            case .expired: warnings.append(.expired(path: files.certificate))
            case .notYetValid: warnings.append(.notYetValid(path: files.certificate))
            }
            if let stamp = FileStamp(of: files.key), stamp.isReadableByEveryone {
                warnings.append(.keyReadableByEveryone(path: files.key))
            }
        }
        return warnings
    }

    private static func stamps(of files: [Files]) -> [FileStamp?] {
        files.flatMap { [FileStamp(of: $0.certificate), FileStamp(of: $0.key)] }
    }

    private static func context(from files: [Files]) throws(Failure) -> TLSContext {
        var alternatives: [TLSContext] = []
        for files in files.dropFirst() { alternatives.append(try context(from: files)) }
        return try context(from: files[0], alternatives)
    }

    private static func context(
        from files: Files, _ alternatives: [TLSContext] = []
    ) throws(Failure) -> TLSContext {
        let certificate: PEMCertificate
        do throws(TextFile.Failure) {
            certificate = PEMCertificate(
                chain: try TextFile.read(files.certificate), key: try TextFile.read(files.key))
        } catch {
            throw .unreadable(error)
        }
        do throws(CertificateRefusal) {
            return try TLSContext(server: certificate, alternatives: alternatives)
        } catch {
            throw .refused(files, error)
        }
    }
}

extension CertificateStore {
    package enum Failure: Error, Equatable, CustomStringConvertible {
        case unreadable(TextFile.Failure)
        case refused(Files, CertificateRefusal)

        package var hint: String? {
            switch self {
            case .unreadable(let failure): failure.hint
            case .refused(_, .noCertificate):
                "tls-certificate takes the chain in PEM, such as fullchain.pem"
            case .refused(_, .noKey):
                "tls-key takes the private key in PEM without a password, such as privkey.pem"
            case .refused(_, .differentPairs):
                "take both files from the same folder; after a renewal both must be new"
            case .refused(_, .fault): nil
            }
        }

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

    /// A problem with a certificate that is used all the same.
    package enum Warning: Equatable, Sendable, CustomStringConvertible {
        case expired(path: String)
        case expiresSoon(path: String)
        case notYetValid(path: String)
        case keyReadableByEveryone(path: String)

        package var description: String {
            switch self {
            case .expired(let path): "the certificate \(path) has expired"
            case .expiresSoon(let path): "the certificate \(path) expires within 14 days"
            case .notYetValid(let path): "the certificate \(path) is not valid yet"
            case .keyReadableByEveryone(let path): "every user can read the key \(path)"
            }
        }

        package var hint: String {
            switch self {
            case .expired, .expiresSoon:
                "renew it and leave it at this path; a running server reads it by itself"
            case .notYetValid: "set the clock of this machine, or use the former certificate"
            case .keyReadableByEveryone(let path): "run chmod o-r \(path)"
            }
        }

        /// The server can do its work as long as nothing worse comes.
        package var isAdvice: Bool {
            if case .expiresSoon = self { true } else { false }
        }
    }
}
