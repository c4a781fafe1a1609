import Base
import Cluster
import Crypto
import HTTP
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

/// What happens in a cluster, as lines of the log.
extension ClusterNode {
    static func write(_ event: ClusterEvent, _ log: Log) {
        switch event {
        case .lost(let node): log.write(.warning, "node-lost", [("node", node)])
        case .snapshot(let number): log.write(.info, "snapshot-kept", [("entry", "\(number)")])
        case .snapshotFailed(let reason):
            log.write(.error, "snapshot-failed", [("reason", reason)])
        case .cutOff:
            log.write(
                .error, "cluster-lost",
                [("advice", "this node refuses everything until the cluster answers again")])
        case .late:
            log.write(
                .error, "node-late",
                [
                    ("reason", "the other nodes are always faster, so this one cannot write"),
                    ("advice", "bring it as near to the servers of NATS as the others"),
                ])
        case .disputed(let difference):
            log.write(
                .error, "nodes-differ",
                [
                    ("table", difference.table), ("entry", "\(difference.entry)"),
                    ("reason", "as many nodes have this as have something else"),
                    ("hint", "end the node that is wrong, and start it with an empty folder"),
                ])
        case .servers(let report): write(report, log)
        case .keyUsed(let id): log.write(.info, "master-key-used", [("id", text(id))])
        case .resealed(let id, 0): log.write(.info, "store-resealed", [("id", text(id))])
        case .resealed(let id, let rows):
            log.write(
                .error, "former-key-needed",
                [
                    ("id", text(id)), ("rows", "\(rows)"),
                    ("reason", "they cannot be unsealed: the database is damaged"),
                ])
        case .behind, .differs, .wentBack, .newerLog, .keyMissing, .closed: writeEnd(event, log)
        }
    }

    private static func write(_ report: ServerReport, _ log: Log) {
        if !report.unsynced.isEmpty {
            log.write(
                .error, "servers-unsynced",
                [
                    ("servers", names(report.unsynced)),
                    ("hint", "write sync_interval: always into their jetstream block"),
                ])
        }
        if !report.unsafe.isEmpty {
            log.write(
                .error, "servers-unsafe",
                [
                    ("servers", names(report.unsafe)),
                    ("reason", "this version loses confirmed messages if the power fails"),
                    ("hint", "upgrade them to \(safeVersions)"),
                ])
        }
        if report.doubtful == 0 { log.write(.info, "servers-safe") }
    }

    /// Why the node cannot go on.
    private static func writeEnd(_ event: ClusterEvent, _ log: Log) {
        switch event {
        case .behind:
            log.write(
                .error, "node-behind",
                [("hint", "start bellwire again: it then gets a copy of the store")])
        case .differs(let difference):
            log.write(
                .error, "node-differs",
                [
                    ("table", difference.table), ("entry", "\(difference.entry)"),
                    ("hint", "start bellwire again: it then gets a copy of the store"),
                ])
        case .wentBack(let entry):
            log.write(
                .error, "log-went-back",
                [
                    ("entry", "\(entry)"),
                    ("reason", "the servers of NATS lost what they had confirmed"),
                    (
                        "hint",
                        "end all nodes, and make the cluster anew from the folder of the one that "
                            + "has most: bellwire cluster rebuild"
                    ),
                ])
        case .newerLog(let schema):
            log.write(
                .error, "node-older",
                [("schema", "\(schema)"), ("hint", "upgrade bellwire on this node")])
        case .keyMissing(let id):
            log.write(
                .error, "master-key-missing",
                [("id", text(id)), ("hint", "give this node the cluster's new key")])
        default:
            log.write(
                .error, "cluster-closed",
                [("hint", "see that the credentials are right, and start bellwire again")])
        }
    }

    static func text(_ id: UInt64) -> String { StoredKey.masterID(id) }
}
