import Configuration
import System
import TLS
import WebPush

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
