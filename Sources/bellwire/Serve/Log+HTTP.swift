import Base
import HTTP
import Reactor
import System

extension Log {
    /// Logs a request, if that is configured.
    func write(_ access: HTTPAccess) {
        writeAlways(
            .info, "request",
            [
                ("method", access.method.text), ("what", "\(access.label)"),
                ("status", "\(access.status)"), ("received", "\(access.bytesReceived)"),
                ("sent", "\(access.bytesSent)"),
                ("client", access.client.map(\.description) ?? "none"),
            ])
    }

    /// Logs a lost connection; the log itself limits repetitions.
    func write(_ trouble: HTTPTrouble) {
        switch trouble {
        case .cannotAccept(let address, let reason):
            var fields: [(StaticString, String)] = [
                ("address", address.description), ("reason", reason.description),
            ]
            if reason.isShortOfDescriptors {
                fields.append(("advice", "allow more open files: LimitNOFILE, or ulimit -n"))
            }
            write(.error, "cannot-accept", fields)
        case .tooManyConnections(let address):
            write(.warning, "too-many-connections", [("address", address.description)])
        case .tooManyHandshakes(let peer):
            write(
                .warning, "too-many-handshakes", about: peer.owner, [("client", peer.host)])
        case .noTransport(let peer):
            write(.error, "no-memory", [("client", peer.host)])
        case .flood(let kind, let peer):
            write(
                .warning, "flood", about: peer.owner,
                [("kind", kind), ("client", peer.host)])
        }
    }
}

extension SocketAddress {
    /// The address without the port, which differs for each connection.
    fileprivate var host: String {
        if case .ip(let address, _) = self { address.description } else { description }
    }

    /// An IPv6 address as its /64, which belongs to one peer.
    fileprivate var owner: String {
        guard case .ip(let address, _) = self, address.v4 == nil else { return host }
        return IPAddress(high: address.high, low: 0).description
    }
}
