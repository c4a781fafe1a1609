import Crypto
import HTTP
import System

/// A server with two listeners, one through TLS and one in clear.
final class Probe {
    struct NoPort: Error {}

    let encryptedPort: UInt16
    let plainPort: UInt16
    private let server: HTTPServer

    init(_ options: Options) throws {
        let server = try HTTPServer(
            loops: options.loops, limits: Self.limits(options),
            recordsPerKey: options.recordsPerKey, handler: { EchoHandler($0) })
        let certificates = try CertificateStore(
            CertificateStore.Files(certificate: options.certificate, key: options.certificate))
        encryptedPort = try Self.listen(server, certificates)
        plainPort = try Self.listen(server, nil)
        self.server = server
        try server.start(name: "probe")
    }

    func serve() { _ = server.join() }

    private static func listen(
        _ server: HTTPServer, _ certificates: CertificateStore?
    ) throws -> UInt16 {
        // Also for the other end of a link, and so for all addresses.
        guard let any = SocketAddress("[::]:0") else { throw NoPort() }
        let bound = try server.listen(
            on: try .tcp(any), HTTPListenerTerms(certificates: certificates))
        guard case .ip(_, let port) = bound.address else { throw NoPort() }
        return port
    }

    private static func limits(_ options: Options) -> HTTPService.Limits {
        var limits = HTTPService.Limits()
        limits.connections = options.connections
        // A whole upload, which is more than a push.
        limits.heldBytesPerConnection = 8 << 20
        limits.handshake /= options.divisor
        for limit in [\HTTP1Patience.idle, \.head, \.body, \.lingering] {
            limits.patience[keyPath: limit] /= options.divisor
        }
        for limit in [\HTTP2Patience.idle, \.rest, \.head, \.body, \.answer, \.notice, \.lingering]
        {
            limits.patience2[keyPath: limit] /= options.divisor
        }
        return limits
    }
}
