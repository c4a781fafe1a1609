import Configuration
import Glibc
import HTTP
import Reactor
import TLS

/// A socket that listens already, and what is said of it, until a server takes it over.
final class OpenListener {
    let configured: ListenAddress
    /// With the port that is really bound.
    let address: SocketAddress
    private var socket: ListeningSocket?

    init(_ socket: consuming ListeningSocket, _ configured: ListenAddress) {
        self.configured = configured
        address = socket.address
        self.socket = consume socket
    }

    /// Once.
    func take() -> ListeningSocket? { socket.take() }

    func terms(_ certificates: CertificateStore?) -> HTTPListenerTerms {
        HTTPListenerTerms(
            certificates: isEncrypted ? certificates : nil,
            usesProxyProtocol: configured.expectsProxyProtocol,
            trustedProxies: configured.trustedProxies,
            isForThisMachine: configured.isForThisMachine)
    }

    var isEncrypted: Bool { configured.isEncrypted }

    var port: UInt16? {
        if case .ip(_, let port) = address { port } else { nil }
    }
}

extension OpenListener {
    /// Everybody may connect to the public face, so the rights of its folder decide.
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

    static func openControl(_ path: String) throws(ReactorError) -> OpenListener {
        OpenListener(
            try .unix(path: path, mode: controlMode), ListenAddress(.unix(path: path)))
    }
}

extension CommandError {
    /// Why a server cannot listen.
    init(listening error: ReactorError) {
        let place = error.subject ?? "this address"
        let port = SocketAddress(place).flatMap { address in
            if case .ip(_, let port) = address { port } else { nil as UInt16? }
        }
        switch (error.code, port) {
        case (EADDRINUSE, let port?):
            self.init(
                message: "port \(port) is in use (\(place))",
                hint: "choose another by listen, or end what ss -ltnp 'sport = :\(port)' shows")
        case (EADDRINUSE, nil):
            self.init(message: "\(place) is in use", hint: "end the server that listens there")
        case (EACCES, let port?), (EPERM, let port?):
            self.init(
                message: "no permission to listen on port \(port)",
                hint: "choose a port from 1024 on, or let systemd open it (bellwire.socket)")
        case (EADDRNOTAVAIL, _):
            self.init(
                message: "\(place) is no address of this machine",
                hint: "ip address shows those there are")
        default: self.init(message: error.description)
        }
    }
}

extension ListenAddress {
    var isEncrypted: Bool {
        if case .tls = endpoint { true } else { false }
    }
}
