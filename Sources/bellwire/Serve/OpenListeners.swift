import Configuration
import Glibc
import Reactor
import System

struct OpenListeners {
    let faces: [OpenListener]
    let control: OpenListener
    let metrics: OpenListener?

    /// Uses the sockets that systemd opened, and opens the others, including `further`.
    init(
        _ configuration: ServerConfiguration, _ given: GivenSockets, further: [ListenAddress],
        _ log: Log
    ) throws {
        var faces: [OpenListener] = []
        for listener in configuration.listeners + further {
            if let socket = given.faces.first(where: { $0.configured.isSamePlace(as: listener) }),
                let owned = socket.handOver()
            {
                faces.append(OpenListener(owned, listener))
                continue
            }
            do throws(ReactorError) {
                faces.append(try .open(listener))
            } catch {
                // The default includes IPv6, which this machine may lack.
                guard configuration.listensAsUsual, !faces.isEmpty,
                    error.code == EADDRNOTAVAIL || error.code == EAFNOSUPPORT
                else { throw CommandError(listening: error) }
                log.write(.info, "not-listening", [("reason", error.description)])
            }
        }
        self.faces = faces
        metrics = try configuration.metricsListener.map(Self.openMetrics)
        control = try given.control ?? Self.openControl(configuration.state + "/control.sock")
    }

    private static func openMetrics(_ listener: ListenAddress) throws -> OpenListener {
        do throws(ReactorError) {
            return try .open(listener)
        } catch {
            throw CommandError(listening: error)
        }
    }

    private static func openControl(_ path: String) throws -> OpenListener {
        do throws(ReactorError) {
            return try .openControl(path)
        } catch {
            throw CommandError(listening: error)
        }
    }

    /// The port of the first listener with or without TLS.
    func port(encrypted: Bool) -> UInt16? {
        faces.lazy.filter { $0.isEncrypted == encrypted }.compactMap(\.port).first
    }
}

/// The sockets that systemd opened before it started this process.
struct GivenSockets {
    let faces: [OpenListener]
    let control: OpenListener?

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
