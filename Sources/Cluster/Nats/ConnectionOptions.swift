import CNats
import Glibc

/// Where a cluster of NATS servers is, and how it knows this node.
package struct ClusterSettings: Sendable {
    /// Of at least one server, as `nats://` or `tls://`. The others are told by it.
    package var servers: [String]
    /// The file of the authority that signs the servers' certificates; nil for the system's.
    package var authority: String?
    /// The file with the account's credentials.
    package var credentials: String?
    /// Of this node. Each has its own.
    package var name: String
    /// On so many servers everything is kept. Nil for three, or for one if there is no cluster.
    package var replicas: Int?
    /// Servers may be about to start, as when the power comes back everywhere.
    package var isPatient = false

    package init(servers: [String], name: String) {
        self.servers = servers
        self.name = name
    }

    var isEncrypted: Bool {
        authority != nil || servers.contains { $0.hasPrefix("tls://") }
    }
}

/// How libnats keeps a connection: it tries all servers for ever, and says early that one is lost.
final class ConnectionOptions {
    let handle: OpaquePointer

    /// In milliseconds. A server that does not answer two pings is given up.
    private static let patience: Int64 = 2_000
    private static let pingInterval: Int64 = 500
    private static let pingsUnanswered: Int32 = 2
    private static let reconnectWait: Int64 = 100

    init(_ settings: ClusterSettings) throws(NatsError) {
        guard NatsLibrary.isLoaded else { throw .missingLibrary }
        var handle: OpaquePointer?
        try ensure(natsOptions_Create(&handle), "natsOptions_Create")
        guard let handle else { throw NatsError("natsOptions_Create", NATS_NO_MEMORY) }
        self.handle = handle
        try setServers(settings.servers)
        try ensure(natsOptions_SetName(handle, settings.name), "natsOptions_SetName")
        try setIdentity(settings)
        try setPatience()
        // Otherwise each subscription has a thread.
        try ensure(
            natsOptions_UseGlobalMessageDelivery(handle, true),
            "natsOptions_UseGlobalMessageDelivery")
        // Otherwise each request waits for up to a millisecond for more to send.
        try ensure(natsOptions_SetSendAsap(handle, true), "natsOptions_SetSendAsap")
    }

    deinit { natsOptions_Destroy(handle) }

    private func setServers(_ servers: [String]) throws(NatsError) {
        var names: [UnsafeMutablePointer<CChar>?] = servers.map { strdup($0) }
        defer { for name in names { free(name) } }
        let status = names.withUnsafeMutableBufferPointer { names in
            names.withMemoryRebound(to: UnsafePointer<CChar>?.self) { names in
                natsOptions_SetServers(handle, names.baseAddress, Int32(names.count))
            }
        }
        try ensure(status, "natsOptions_SetServers")
    }

    private func setIdentity(_ settings: ClusterSettings) throws(NatsError) {
        if settings.isEncrypted {
            try ensure(natsOptions_SetSecure(handle, true), "natsOptions_SetSecure")
        }
        if let authority = settings.authority {
            try ensure(
                natsOptions_LoadCATrustedCertificates(handle, authority),
                "natsOptions_LoadCATrustedCertificates")
        }
        if let credentials = settings.credentials {
            try ensure(
                natsOptions_SetUserCredentialsFromFiles(handle, credentials, nil),
                "natsOptions_SetUserCredentialsFromFiles")
        }
    }

    private func setPatience() throws(NatsError) {
        try ensure(natsOptions_SetTimeout(handle, Self.patience), "natsOptions_SetTimeout")
        // Otherwise a server that reads no more holds up all threads.
        try ensure(
            natsOptions_SetWriteDeadline(handle, Self.patience), "natsOptions_SetWriteDeadline")
        try ensure(
            natsOptions_SetPingInterval(handle, Self.pingInterval), "natsOptions_SetPingInterval")
        try ensure(
            natsOptions_SetMaxPingsOut(handle, Self.pingsUnanswered), "natsOptions_SetMaxPingsOut")
        try ensure(natsOptions_SetMaxReconnect(handle, -1), "natsOptions_SetMaxReconnect")
        try ensure(
            natsOptions_SetReconnectWait(handle, Self.reconnectWait),
            "natsOptions_SetReconnectWait")
    }
}
