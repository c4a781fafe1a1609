import HTTP
import System

extension Log {
    /// For each request, where that is wanted.
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

    /// For each connection that is lost; the log counts what would fill it.
    func write(_ trouble: HTTPTrouble) {
        switch trouble {
        case .cannotAccept(let address, let reason):
            write(
                .error, "cannot-accept",
                [("address", address.description), ("reason", reason.description)])
        case .tooManyConnections(let address):
            write(.warning, "too-many-connections", [("address", address.description)])
        case .noTransport(let address):
            write(.error, "no-memory", [("address", address.description)])
        }
    }
}
