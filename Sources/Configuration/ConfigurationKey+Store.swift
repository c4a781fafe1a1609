/// Where subscriptions and messages are kept.
extension ConfigurationKey {
    package static let store = ConfigurationKey(
        "store", "STORE", fallback: "sqlite", isSecret: true,
        help: """
            sqlite, or the servers that a cluster shares, separated by commas: tls://HOST:PORT for \
            TLS, nats://HOST:PORT
            """,
        effect: .atStart
    ) { value in
        value == "sqlite"
            ? nil : refusal { () throws(ConfigurationError) in _ = try RemoteStore.servers(value) }
    }

    package static let storeAuthorities = ConfigurationKey(
        "store-authorities", "FILE", fallback: "the system's",
        help: "the CA certificates to trust for the servers of the store, in PEM",
        effect: .atStart, check: anything)

    package static let storeCredentials = ConfigurationKey(
        "store-credentials", "FILE",
        fallback: "$CREDENTIALS_DIRECTORY/\(RemoteStore.credentialName) if it is there",
        help: "the file with the credentials for the servers of the store (.creds)",
        effect: .atStart, check: anything)

    package static let storeReplicas = ConfigurationKey(
        "store-replicas", "NUMBER", fallback: String(RemoteStore.usualReplicas),
        help: "how many servers of the store keep each message, from 1 to 5",
        effect: .atStart
    ) { value in
        let counts = RemoteStore.replicaCounts
        return counts.contains { String($0) == value }
            ? nil : "is not a number from \(counts.lowerBound) to \(counts.upperBound)"
    }

    package static let storeUnsynced = ConfigurationKey(
        "store-unsynced", "yes|no", fallback: "no",
        help: """
            use servers of the store that do not sync each write (sync_interval: always); messages \
            are lost if the power of several fails at once
            """,
        effect: .atStart, check: oneOf(["yes", "no"]))

    package static let natsUnsafeServers = ConfigurationKey(
        "nats-unsafe-servers", "yes|no", fallback: "no",
        help: """
            use servers of the store whose version is known to lose confirmed messages if the power \
            fails
            """,
        effect: .atStart, check: oneOf(["yes", "no"]))

    package static let node = ConfigurationKey(
        "node", "NAME", fallback: "the name of this machine",
        help: "the name of this node in the cluster, which no other node may have",
        effect: .atStart
    ) { value in
        RemoteStore.isNode(value)
            ? nil : "is not a name of at most 64 letters, digits and - . _"
    }
}
