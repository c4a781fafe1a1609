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
