import Configuration
import Glibc
import HTTP
import Reactor
import TLS

/// A socket that listens already, with its address, until a server starts to use it.
final class OpenListener {
    let configured: ListenAddress
    /// The address, with the port that is bound.
    let address: SocketAddress
    private var socket: ListeningSocket?

    init(_ socket: consuming ListeningSocket, _ configured: ListenAddress) {
        self.configured = configured
        address = socket.address
        self.socket = consume socket
    }

    /// Returns the socket once.
    func handOver() -> ListeningSocket? { socket.take() }

    var isEncrypted: Bool { configured.isEncrypted }

    var port: UInt16? {
        if case .ip(_, let port) = address { port } else { nil }
    }
}

extension ListenAddress {
    func terms(_ certificates: CertificateStore?) -> HTTPListenerTerms {
        HTTPListenerTerms(
            certificates: isEncrypted ? certificates : nil,
            usesProxyProtocol: expectsProxyProtocol, trustedProxies: trustedProxies,
            isForThisMachine: isForThisMachine)
    }
}

extension OpenListener {
    /// Everybody may connect; the permissions of the folder decide who can reach it.
    private static let publicMode: UInt32 = 0o666
    static let controlMode: UInt32 = 0o660

    static func open(_ configured: ListenAddress) throws(ReactorError) -> OpenListener {
        switch configured.endpoint {
        case .tls(let address, let port), .plain(let address, let port):
            OpenListener(try .tcp(.ip(address, port: port)), configured)
        case .unix(let path):
            OpenListener(try .unix(path: path, mode: publicMode), configured)
        }
    }

    /// The same with an error for people.
    static func opened(_ configured: ListenAddress) throws(CommandError) -> OpenListener {
        do throws(ReactorError) {
            return try open(configured)
        } catch {
            throw CommandError(listening: error)
        }
    }

    static func openControl(_ path: String) throws(ReactorError) -> OpenListener {
        OpenListener(
            try .unix(path: path, mode: controlMode), ListenAddress(.unix(path: path)))
    }
}

extension CommandError {
    /// Explains why a server cannot listen.
    init(listening error: ReactorError) {
        let place = error.subject ?? "this address"
        let port = SocketAddress(place).flatMap { address in
            if case .ip(_, let port) = address { port } else { nil as UInt16? }
        }
        switch (error.code, port) {
        case (EADDRINUSE, let port?):
            self.init(
                message: "port \(port) is in use (\(place))",
                hint:
                    "choose another port for listen, or stop what ss -ltnp 'sport = :\(port)' shows"
            )
        case (EADDRINUSE, nil):
            self.init(message: "\(place) is in use", hint: "stop the server that listens there")
        case (EACCES, let port?), (EPERM, let port?):
            self.init(
                message: "no permission to listen on port \(port)",
                hint: "use port 1024 or above, or let systemd open the port (bellwire.socket)")
        case (EADDRNOTAVAIL, _):
            self.init(
                message: "\(place) is not an address of this machine",
                hint: "run ip address to see the addresses")
        default: self.init(message: error.description)
        }
    }
}
