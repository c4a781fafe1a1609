/// Where a cluster is, and how it knows us.
package struct NatsSettings: Sendable {
    /// Of at least one server, as `nats://` or `tls://`.
    package var servers: [String]
    /// The file of the authority that signs the servers' certificates; nil for the system's.
    package var authority: String?
    /// The file with the certificate of this node, and that with its key.
    package var certificate: (certificate: String, key: String)?
    /// The file with the account's credentials.
    package var credentials: String?
    /// The name of the node in the servers' lists.
    package var name: String

    package init(servers: [String], name: String) {
        self.servers = servers
        self.name = name
    }

    var isEncrypted: Bool {
        authority != nil || certificate != nil || servers.contains { $0.hasPrefix("tls://") }
    }
}
