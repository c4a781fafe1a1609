import Configuration
import Glibc
import Reactor
import System

struct OpenListeners {
    let faces: [OpenListener]
    let control: OpenListener
    let metrics: OpenListener?

    /// Adds the sockets in folders, and `further`, to the ports that are open.
    init(
        _ configuration: ServerConfiguration, _ given: GivenSockets, _ ports: OpenPorts,
        further: [ListenAddress]
    ) throws {
        var rest = ports.faces
        var faces: [OpenListener] = []
        for listener in configuration.listeners + further {
            if let index = rest.firstIndex(where: { $0.configured == listener }) {
                faces.append(rest.remove(at: index))
            } else if !listener.isPort {
                faces.append(try given.take(listener) ?? .opened(listener))
            }
        }
        self.faces = faces
        metrics = try ports.metrics ?? configuration.metricsListener.map(OpenListener.opened)
        control = try given.control ?? Self.openControl(configuration.state + "/control.sock")
    }

    private static func openControl(_ path: String) throws -> OpenListener {
        do throws(ReactorError) {
            return try .openControl(path)
        } catch {
            throw CommandError(listening: error)
        }
    }

    var addresses: [SocketAddress] {
        (faces + [control] + [metrics].compactMap(\.self)).map(\.address)
    }

    /// The port of the first listener with or without TLS.
    func port(encrypted: Bool) -> UInt16? {
        faces.lazy.filter { $0.isEncrypted == encrypted }.compactMap(\.port).first
    }
}

/// The ports of a server. They are opened before there are keys or a store, so that a port in use
/// leaves nothing behind.
struct OpenPorts {
    let faces: [OpenListener]
    let metrics: OpenListener?

    /// Uses the sockets that systemd opened, and opens the others.
    init(_ configuration: ServerConfiguration, _ given: GivenSockets, _ log: Log) throws {
        faces = try Self.faces(configuration, given, log)
        guard let listener = configuration.metricsListener, listener.isPort else {
            metrics = nil
            return
        }
        do throws(ReactorError) {
            metrics = try OpenListener.open(listener)
        } catch { throw Self.refusal(error, configuration) }
    }

    private static func refusal(
        _ error: ReactorError, _ configuration: ServerConfiguration
    ) -> CommandError {
        var refusal = CommandError(listening: error)
        let control = ControlConnection(path: configuration.state + "/control.sock")
        if error.code == EADDRINUSE, control.isThere {
            refusal.hint =
                "a server runs already, with \(configuration.state): use it, or stop it first"
        }
        return refusal
    }

    private static func faces(
        _ configuration: ServerConfiguration, _ given: GivenSockets, _ log: Log
    ) throws(CommandError) -> [OpenListener] {
        var faces: [OpenListener] = []
        for listener in configuration.listeners where listener.isPort {
            if let socket = given.take(listener) {
                faces.append(socket)
                continue
            }
            do throws(ReactorError) {
                faces.append(try .open(listener))
            } catch {
                // The default includes IPv6, which this machine may lack.
                guard configuration.listensAsUsual, !faces.isEmpty,
                    error.code == EADDRNOTAVAIL || error.code == EAFNOSUPPORT
                else { throw refusal(error, configuration) }
                log.write(.info, "not-listening", [("reason", error.description)])
            }
        }
        return faces
    }
}

/// The sockets that systemd opened before it started this process.
struct GivenSockets {
    let faces: [OpenListener]
    let control: OpenListener?

    /// The socket for a configured address, once.
    func take(_ listener: ListenAddress) -> OpenListener? {
        guard let socket = faces.first(where: { $0.configured.isSamePlace(as: listener) }),
            let owned = socket.handOver()
        else { return nil }
        return OpenListener(owned, listener)
    }

    /// They use TLS unless the configuration says otherwise. Call it once, before threads start.
    static func inherited() throws -> GivenSockets {
        var faces: [OpenListener] = []
        var control: OpenListener?
        if let sockets = SystemdSockets.inherit() {
            for (index, name) in sockets.names.enumerated() {
                let socket = try sockets.socket(at: index)
                let place = ListenAddress(at: socket.address)
                if name == "control" {
                    control = OpenListener(socket, place)
                } else {
                    faces.append(OpenListener(socket, place))
                }
            }
        }
        return GivenSockets(faces: faces, control: control)
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
