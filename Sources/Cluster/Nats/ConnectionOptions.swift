import CNats
import Glibc

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
