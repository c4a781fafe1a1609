import Configuration
import Crypto
import System
import WebPush

/// The certificates of a running server, and the log lines about them.
struct ServerCertificates: Sendable {
    let store: CertificateStore
    /// Nil if a certificate is configured.
    let development: DevelopmentCertificate?

    init(_ configuration: ServerConfiguration, _ keys: KeyFolder) throws {
        if let files = Self.files(configuration) {
            development = nil
            store = try CertificateStore(files)
        } else {
            let made = try DevelopmentCertificate(
                in: keys.writable, hostName: HostName.current, now: WallClock.now)
            development = made
            store = try CertificateStore(made.files)
        }
    }

    /// Copies the development authority to where people look for it: into the checkout.
    func publish(in checkout: Checkout, _ log: Log) {
        guard let development else { return }
        let path = checkout.keys + "/" + DevelopmentCertificate.authorityName
        guard FileStamp(of: path) != FileStamp(of: development.authorityPath) else { return }
        do {
            let certificate = try TextFile.read(development.authorityPath)
            try AtomicFile.replace(path, with: certificate.span, mode: 0o644)
        } catch {
            // Our own commands find the original.
            log.write(
                .warning, "authority-not-copied", [("reason", CommandError(error).message)])
        }
    }

    static func files(_ configuration: ServerConfiguration) -> CertificateStore.Files? {
        configuration.certificate.map {
            CertificateStore.Files(certificate: $0.chain, key: $0.key)
        }
    }

    /// Reads the files again, or those of `configuration` if it names some.
    func reload(_ configuration: ServerConfiguration? = nil, _ log: Log) {
        do throws(CertificateStore.Failure) {
            try store.reload(configuration.flatMap(Self.files))
            log.write(.info, "certificates-read")
            warn(log)
        } catch {
            log.write(
                .error, "certificates-refused",
                [("reason", error.description), ("effect", "the previous ones stay in use")])
        }
    }

    func warn(_ log: Log) {
        for warning in store.warnings(now: WallClock.now) {
            log.write(
                .warning, "certificate",
                [("reason", warning.description), ("advice", warning.hint)])
        }
    }
}

/// Clients come by the name in base-url, and this server has no certificate that they trust.
struct MissingCertificate {
    private let host: String

    /// Nil if nothing is missing.
    init?(_ configuration: ServerConfiguration) {
        guard let host = configuration.nameWithoutCertificate(on: HostName.current) else {
            return nil
        }
        self.host = host
    }

    var finding: String {
        "there is no certificate for \(host), the name in base-url, so clients refuse to connect"
    }

    var hint: String {
        let folder = "/etc/letsencrypt/live/\(host)"
        return "run certbot certonly --standalone -d \(host), or get one elsewhere; then set "
            + "tls-certificate = \(folder)/fullchain.pem and tls-key = \(folder)/privkey.pem; if a "
            + "proxy in front has one, name the proxy in trusted-proxies"
    }

    func warn(_ log: Log) {
        log.write(.warning, "certificate-missing", [("reason", finding), ("advice", hint)])
    }
}

/// The authority of the development certificate of a server on this machine. Its private key is
/// gone, so it can have signed nothing else, and our own commands trust it.
enum DevelopmentAuthority {
    /// The file, if there is one and `host` is a name of this machine.
    static func file(_ configuration: ServerConfiguration, for host: String) -> String? {
        let path = configuration.developmentAuthority
        let isHere = host == HostName.current.lowercased() || isLoopback(host)
        return isHere && FileStamp(of: path) != nil ? path : nil
    }

    private static func isLoopback(_ host: String) -> Bool {
        let isBare = host.contains(":") && !host.hasPrefix("[")
        return Origin(url: "https://" + (isBare ? "[\(host)]" : host))?.isLoopback ?? false
    }

    /// For connections to hosts with any name.
    static func trust(_ configuration: ServerConfiguration) -> Trust {
        // Without the file there is no such certificate, and the system's authorities are enough.
        guard let text = try? TextFile.read(configuration.developmentAuthority) else {
            return .system
        }
        return .systemAnd(text)
    }
}
