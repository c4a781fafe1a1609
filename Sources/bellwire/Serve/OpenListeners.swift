import Configuration
import Crypto
import Glibc
import HTTP
import System

struct OpenListeners {
    let publicListeners: [OpenListener]
    let control: OpenListener
    let metrics: OpenListener?

    /// Adds the sockets in folders, and `further`, to the ports that are open.
    init(
        _ configuration: ServerConfiguration, _ given: GivenSockets, _ ports: OpenPorts,
        further: [ListenAddress]
    ) throws {
        var rest = ports.publicListeners
        var publicListeners: [OpenListener] = []
        for listener in configuration.listeners + further {
            if let index = rest.firstIndex(where: { $0.configured == listener }) {
                publicListeners.append(rest.remove(at: index))
            } else if !listener.isPort {
                publicListeners.append(try given.take(listener) ?? .opened(listener))
            }
        }
        self.publicListeners = publicListeners
        metrics = try ports.metrics ?? configuration.metricsListener.map(OpenListener.opened)
        control = try given.control ?? Self.openControl(configuration.state + "/control.sock")
    }

    private static func openControl(_ path: String) throws -> OpenListener {
        do throws(SystemError) {
            return try .openControl(path)
        } catch {
            throw CommandError(listening: error)
        }
    }

    var addresses: [SocketAddress] {
        (publicListeners + [control] + [metrics].compactMap(\.self)).map(\.address)
    }

    /// The port of the first listener with or without TLS.
    func port(encrypted: Bool) -> UInt16? {
        publicListeners.lazy.filter { $0.isEncrypted == encrypted }.compactMap(\.port).first
    }
}

/// The ports of a server. They are opened before there are keys or a store, so that a port in use
/// leaves nothing behind.
struct OpenPorts {
    let publicListeners: [OpenListener]
    let metrics: OpenListener?

    /// Uses the sockets that systemd opened, and opens the others.
    init(_ configuration: ServerConfiguration, _ given: GivenSockets, _ log: Log) throws {
        publicListeners = try Self.publicListeners(configuration, given, log)
        guard let listener = configuration.metricsListener, listener.isPort else {
            metrics = nil
            return
        }
        do throws(SystemError) {
            metrics = try OpenListener.open(listener)
        } catch { throw Self.refusal(error, configuration) }
    }

    private static func refusal(
        _ error: SystemError, _ configuration: ServerConfiguration
    ) -> CommandError {
        var refusal = CommandError(listening: error)
        let control = ControlConnection(path: configuration.state + "/control.sock")
        if error.code == EADDRINUSE, control.isThere {
            refusal.hint =
                "a server runs already, with \(configuration.state): use it, or stop it first"
        }
        return refusal
    }

    private static func publicListeners(
        _ configuration: ServerConfiguration, _ given: GivenSockets, _ log: Log
    ) throws(CommandError) -> [OpenListener] {
        var publicListeners: [OpenListener] = []
        for listener in configuration.listeners where listener.isPort {
            if let socket = given.take(listener) {
                publicListeners.append(socket)
                continue
            }
            do throws(SystemError) {
                publicListeners.append(try .open(listener))
            } catch {
                // The default includes IPv6, which this machine may lack.
                guard configuration.listensAsUsual, !publicListeners.isEmpty,
                    error.code == EADDRNOTAVAIL || error.code == EAFNOSUPPORT
                else { throw refusal(error, configuration) }
                log.write(.info, "not-listening", [("reason", error.description)])
            }
        }
        return publicListeners
    }
}

/// The sockets that systemd opened before it started this process.
struct GivenSockets {
    let publicListeners: [OpenListener]
    let control: OpenListener?

    /// The socket for a configured address, once.
    func take(_ listener: ListenAddress) -> OpenListener? {
        guard
            let socket = publicListeners.first(where: { $0.configured.isSamePlace(as: listener) }),
            let owned = socket.handOver()
        else { return nil }
        return OpenListener(owned, listener)
    }

    /// They use TLS unless the configuration says otherwise. Call it once, before threads start.
    static func inherited() throws -> GivenSockets {
        var publicListeners: [OpenListener] = []
        var control: OpenListener?
        if let sockets = SystemdSockets.inherit() {
            for (index, name) in sockets.names.enumerated() {
                let socket = try sockets.socket(at: index)
                let place = ListenAddress(at: socket.address)
                if name == "control" {
                    control = OpenListener(socket, place)
                } else {
                    publicListeners.append(OpenListener(socket, place))
                }
            }
        }
        return GivenSockets(publicListeners: publicListeners, control: control)
    }
}

extension ListenAddress {
    fileprivate init(at address: SocketAddress) {
        switch address {
        case .ip(let address, let port): self.init(.tls(address, port: port))
        case .unix(let path): self.init(.unix(path: path))
        }
    }
}

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

    static func open(_ configured: ListenAddress) throws(SystemError) -> OpenListener {
        switch configured.endpoint {
        case .tls(let address, let port), .plain(let address, let port):
            OpenListener(try .tcp(.ip(address, port: port)), configured)
        case .unix(let path):
            OpenListener(try .unix(path: path, mode: publicMode), configured)
        }
    }

    /// The same with an error for people.
    static func opened(_ configured: ListenAddress) throws(CommandError) -> OpenListener {
        do throws(SystemError) {
            return try open(configured)
        } catch {
            throw CommandError(listening: error)
        }
    }

    static func openControl(_ path: String) throws(SystemError) -> OpenListener {
        OpenListener(
            try .unix(path: path, mode: controlMode), ListenAddress(.unix(path: path)))
    }
}

extension CommandError {
    /// Explains why a server cannot listen.
    init(listening error: SystemError) {
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

/// A listener in use, with its address as the configuration writes it.
struct PublicListener {
    let configured: ListenAddress
    let served: ServedListener

    init(_ configured: ListenAddress, _ served: ServedListener) {
        self.configured = configured
        self.served = served
    }

    var port: UInt16? {
        if case .ip(_, let port) = served.address { port } else { nil }
    }
}
