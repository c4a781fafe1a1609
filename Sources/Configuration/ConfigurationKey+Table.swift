/// All settings. Add a key only if no default can be right for everybody.
extension ConfigurationKey {
    package static let all = [
        listen, baseURL, alias, tlsCertificate, tlsKey, state, keys, store, storeAuthorities,
        storeCredentials, storeReplicas, storeUnsynced, natsUnsafeServers, node, registration,
        registrationOpenToEveryone, localUsers, accessLog, backlogFull, metricsListen,
        metricsTokenFile, ui, callbackAllow, callbackProxy, callbackUnixDirectory,
        callbackAuthorities, receiversFile, receiverAuthorities,
    ]

    /// The settings that `bellwire desktop` uses.
    package static let desktop = [state, keys, receiversFile, receiverAuthorities]

    package static let listen = ConfigurationKey(
        "listen", "ADDRESS", isRepeatable: true,
        fallback: ListenAddress.usual.joined(separator: ", "),
        help: """
            where to listen: ADDRESS:PORT for TLS, http://ADDRESS:PORT, or unix:/PATH; behind a proxy \
            append proxy-protocol or trusted-proxies=ADDRESS[,ADDRESS]
            """
    ) { value in
        refusal { () throws(ConfigurationError) in _ = try ListenAddress(value) }
    }

    static let baseURL = ConfigurationKey(
        "base-url", "URL", fallback: "https://localhost:PORT of the first listener",
        help: "the address under which senders reach this server; endpoints begin with it",
        effect: .atStart
    ) { value in
        refusal { () throws(ConfigurationError) in _ = try BaseURL(value) }
    }

    static let alias = ConfigurationKey(
        "alias", "ORIGIN", isRepeatable: true, fallback: "none",
        help: "another scheme, host and port under which this server is reached"
    ) { value in
        refusal { () throws(ConfigurationError) in _ = try BaseURL(alias: value) }
    }

    static let tlsCertificate = ConfigurationKey(
        "tls-certificate", "FILE", fallback: "a development certificate for localhost",
        help: "the certificate chain in PEM; read again when the file changes", check: anything)

    static let tlsKey = ConfigurationKey(
        "tls-key", "FILE", fallback: "the key of the development certificate",
        help: "the private key of the certificate, in PEM", check: anything)

    package static let state = ConfigurationKey(
        "state", "FOLDER", fallback: "$STATE_DIRECTORY, else $XDG_STATE_HOME/bellwire",
        help: "the folder for subscriptions and messages", effect: .atStart, check: anything)

    package static let keys = ConfigurationKey(
        "keys", "FOLDER", fallback: "$CREDENTIALS_DIRECTORY, else STATE/keys",
        help: "the folder for the master key", effect: .atStart, check: anything)

    package static let registration = ConfigurationKey(
        "registration", "open|token",
        fallback: "open if only this machine can connect, else token",
        help: """
            who may subscribe: open for everybody who connects, token for devices with a credential; \
            a listener on the network, a proxy and a public base-url or alias all let others connect
            """,
        check: oneOf(RegistrationMode.allCases.map(\.rawValue)))

    static let registrationOpenToEveryone = ConfigurationKey(
        "registration-open-to-everyone", "yes|no", fallback: "no",
        help: "allow registration = open on addresses that others can reach",
        check: oneOf(["yes", "no"]))

    static let localUsers = ConfigurationKey(
        "local-users", "yes|no", fallback: "no",
        help: "let every user of this machine add devices through the control socket",
        check: oneOf(["yes", "no"]))

    static let accessLog = ConfigurationKey(
        "access-log", "yes|no", fallback: "no",
        help: "log each request, without its path, which is secret",
        check: oneOf(["yes", "no"]))

    static let backlogFull = ConfigurationKey(
        "backlog-full", "refuse|drop-oldest", fallback: "refuse",
        help:
            "what to do with a push if too many wait for a client; drop-oldest loses messages",
        check: oneOf(BacklogPolicy.allCases.map(\.rawValue)))

    package static let metricsListen = ConfigurationKey(
        "metrics-listen", "ADDRESS", fallback: "off",
        help: "where to serve metrics: http://ADDRESS:PORT or unix:/PATH"
    ) { value in
        refusal { () throws(ConfigurationError) in
            guard case .tls = try ListenAddress(value).endpoint else { return }
            throw ConfigurationError("must be plain HTTP: put http:// in front")
        }
    }

    static let ui = ConfigurationKey(
        "ui", "auto|off|ORIGIN",
        fallback: "auto: at base-url, unless that has a path",
        help: """
            where the status page is: auto, off, or an origin of its own, such as \
            https://status.example.org, which must lead to this server
            """
    ) { value in
        refusal { () throws(ConfigurationError) in _ = try PageChoice(value) }
    }

    static let metricsTokenFile = ConfigurationKey(
        "metrics-token-file", "FILE", fallback: "none",
        help: "a file with the bearer token that readers of metrics must send", check: anything)

    static let callbackAllow = ConfigurationKey(
        "callback-allow", "ADDRESS", isRepeatable: true, fallback: "none",
        help: """
            a target outside the internet that registrations may call back: ADDRESS, ADDRESS/BITS or \
            unix:/PATH
            """
    ) { value in
        CallbackAllowance(value) == nil ? "is not ADDRESS, ADDRESS/BITS or unix:/PATH" : nil
    }

    static let callbackProxy = ConfigurationKey(
        "callback-proxy", "URL", fallback: "none", isSecret: true,
        help: "an HTTP proxy for callbacks to the internet; it decides which hosts they reach"
    ) { value in
        value.hasPrefix("http://") || value.hasPrefix("https://")
            ? nil : "does not begin with http:// or https://"
    }

    static let callbackUnixDirectory = ConfigurationKey(
        "callback-unix-directory", "FOLDER", fallback: "none",
        help: "a folder besides /run/user/UID in which local users may have callback sockets"
    ) { value in
        value.hasPrefix("/") && !value.hasSuffix("/") ? nil : "is not the path of a folder"
    }

    static let callbackAuthorities = ConfigurationKey(
        "callback-authorities", "FILE", fallback: "the system's",
        help: "the CA certificates to trust for callbacks, in PEM", check: anything)

    static let receiversFile = ConfigurationKey(
        "receivers-file", "FILE",
        fallback: "$CREDENTIALS_DIRECTORY/receivers, else $XDG_CONFIG_HOME/bellwire/receivers",
        help: "a file with the addresses of the desktop's receivers, one per line",
        check: anything)

    static let receiverAuthorities = ConfigurationKey(
        "receiver-authorities", "FILE", fallback: "the system's",
        help: "the CA certificates that the desktop trusts for its receivers, in PEM",
        effect: .atStart, check: anything)

    static let anything: @Sendable (String) -> String? = { _ in nil }

    static func oneOf(_ words: [String]) -> @Sendable (String) -> String? {
        { words.contains($0) ? nil : "is not " + words.joined(separator: " or ") }
    }

    static func refusal(
        _ body: () throws(ConfigurationError) -> Void
    ) -> String? {
        do throws(ConfigurationError) {
            try body()
            return nil
        } catch {
            return error.message
        }
    }
}

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
