import Base

/// All settings. Add a key only if no default can be right for everybody.
extension ConfigurationKey {
    package static let all =
        [listen, baseURL, alias, tlsCertificate, tlsKey, tlsRecords, state, keys, store] + ofCluster
        + [
            registration, registrationOpenToEveryone, localUsers, accessLog, backlogFull,
            history, historyFor, attachments, metricsListen, metricsTokenFile, ui, callbackAllow,
            callbackProxy, callbackUnixDirectory, callbackAuthorities, receiversFile,
            receiverAuthorities,
        ]

    /// The settings that only a store has which nodes share.
    package static let ofCluster = [
        storeAuthorities, storeCredentials, storeReplicas, storeUnsynced, natsUnsafeServers, node,
    ]

    /// The settings that `bellwire desktop` uses.
    package static let desktop = [state, keys, receiversFile, receiverAuthorities]

    package static let listen = ConfigurationKey(
        "listen", "ADDRESS", isRepeatable: true,
        fallback: ListenAddress.usual.joined(separator: ", "),
        help: """
            where to listen: ADDRESS:PORT for TLS, http://ADDRESS:PORT, or unix:/PATH; behind a proxy \
            append proxy-protocol or trusted-proxies=ADDRESS[,ADDRESS]
            """,
        more: """
            Sockets that systemd opens need no line here. trusted-proxies names the proxies whose \
            word about client addresses counts; proxy-protocol is for proxies that speak that \
            protocol.
            """,
        examples: "127.0.0.1:8443", "[::1]:8443",
        "http://127.0.0.1:8080 trusted-proxies=127.0.0.1"
    ) { value in
        refusal { () throws(ConfigurationError) in _ = try ListenAddress(value) }
    }

    static let baseURL = ConfigurationKey(
        "base-url", "URL", fallback: "https://localhost:PORT of the first listener",
        help: "the address under which senders reach this server; endpoints begin with it",
        more: "If a proxy adds a path, it is part of it.",
        examples: "https://push.example.org", effect: .atStart
    ) { value in
        refusal { () throws(ConfigurationError) in _ = try BaseURL(value) }
    }

    static let alias = ConfigurationKey(
        "alias", "ORIGIN", isRepeatable: true, fallback: "none",
        help: "another scheme, host and port under which this server is reached",
        examples: "https://push.example.net"
    ) { value in
        refusal { () throws(ConfigurationError) in _ = try BaseURL(alias: value) }
    }

    static let tlsCertificate = ConfigurationKey(
        "tls-certificate", "FILE", fallback: "a development certificate for localhost",
        help: "the certificate chain in PEM; read again when the file changes",
        examples: "/etc/letsencrypt/live/push.example.org/fullchain.pem")

    static let tlsKey = ConfigurationKey(
        "tls-key", "FILE", fallback: "the key of the development certificate",
        help: "the private key of the certificate, in PEM",
        examples: "/etc/letsencrypt/live/push.example.org/privkey.pem")

    static let tlsRecords = ConfigurationKey(
        "tls-records", "own|openssl", fallback: TLSRecords.own.rawValue,
        help: """
            who seals and opens what passes after a handshake of TLS 1.3: this program, with OpenSSL's \
            ciphers, or OpenSSL alone, which takes 14 KB more for each connection
            """,
        effect: .atStart, check: oneOf(TLSRecords.allCases.map(\.rawValue)))

    package static let state = ConfigurationKey(
        "state", "FOLDER", fallback: "$STATE_DIRECTORY, else $XDG_STATE_HOME/bellwire",
        help: "the folder for subscriptions and messages", examples: "/var/lib/bellwire",
        effect: .atStart)

    package static let keys = ConfigurationKey(
        "keys", "FOLDER", fallback: "$CREDENTIALS_DIRECTORY, else STATE/keys",
        help: "the folder for the master key", examples: "/var/lib/bellwire/keys",
        effect: .atStart)

    package static let registration = ConfigurationKey(
        "registration", "open|token",
        fallback: "open if only this machine can connect, else token",
        help: """
            who may subscribe: open for everybody who connects, token for devices with a credential; \
            a listener on the network, a proxy and a public base-url or alias all let others connect
            """,
        more: "bellwire check and the log at each start say who may subscribe where.",
        examples: "token", check: oneOf(RegistrationMode.allCases.map(\.rawValue)))

    static let registrationOpenToEveryone = flag(
        "registration-open-to-everyone",
        help: "allow registration = open on addresses that others can reach",
        more: """
            Each address, or /64 network, may then have 500 connections, 500 user agents, and 20,000 \
            waiting messages of 64 MiB in all.
            """)

    package static let localUsers = flag(
        "local-users",
        help: "let every user of this machine add devices through the control socket")

    package static let accessLog = flag(
        "access-log", help: "log each request, without its path, which is secret")

    package static let backlogFull = ConfigurationKey(
        "backlog-full", "refuse|drop-oldest", fallback: "refuse",
        help:
            "what to do with a push if too many wait for a client; drop-oldest loses messages",
        more: "If a push is refused, its sender tries again.",
        check: oneOf(BacklogPolicy.allCases.map(\.rawValue)))

    package static let attachments = ConfigurationKey(
        "attachments", "SIZE|off", fallback: AttachmentRoom.usual,
        help: "how much room files of topics may have: off, or a number of MB, GB or TB",
        more: "A tenth of the disk stays free in any case. Files lie in the folder of state.",
        examples: "20 GB"
    ) { value in
        AttachmentRoom.bytes(value) == nil ? "is not off, or a number and MB, GB or TB" : nil
    }

    package static let history = ConfigurationKey(
        "history", "topics|all|off", fallback: "topics",
        help: """
            what is kept after its delivery: what comes to topics, that and what comes to the \
            accounts of applications, or nothing; a topic may say otherwise (bellwire topic add \
            --keep)
            """,
        more: """
            Whoever can read the state of this server and its keys can then read what an \
            application has shown. What was kept before stays for as long as it was to be kept.
            """,
        check: oneOf(HistoryChoice.allCases.map(\.rawValue)))

    package static let historyFor = ConfigurationKey(
        "history-for", "TIME", fallback: "30d",
        help: "how long topics keep what comes, if they do not say so themselves",
        examples: "7d"
    ) { value in
        refusal { () throws(ConfigurationError) in _ = try TimeSpan.seconds(value) }
    }

    package static let metricsListen = ConfigurationKey(
        "metrics-listen", "ADDRESS", fallback: "off",
        help: "where to serve metrics: http://ADDRESS:PORT or unix:/PATH",
        examples: "http://127.0.0.1:9090"
    ) { value in
        refusal { () throws(ConfigurationError) in
            guard case .tls = try ListenAddress(value).endpoint else { return }
            throw ConfigurationError("must be plain HTTP: put http:// in front")
        }
    }

    package static let metricsTokenFile = ConfigurationKey(
        "metrics-token-file", "FILE", fallback: "none",
        help: "a file with the bearer token that readers of metrics must send",
        examples: "/etc/bellwire/metrics-token")

    static let ui = ConfigurationKey(
        "ui", "auto|off|ORIGIN",
        fallback: "auto: at base-url, unless that has a path",
        help: """
            where the status page is: auto, off, or an origin of its own, such as \
            https://status.example.org, which must lead to this server
            """,
        more: "Other pages would share the path of base-url.",
        examples: "https://status.example.org"
    ) { value in
        refusal { () throws(ConfigurationError) in _ = try PageChoice(value) }
    }

    static let callbackAllow = ConfigurationKey(
        "callback-allow", "ADDRESS", isRepeatable: true, fallback: "none",
        help: """
            a target outside the internet that registrations may call back, and where pictures may be: \
            ADDRESS, ADDRESS/BITS or unix:/PATH
            """,
        more: """
            Everybody who may register may name it. Registrations that were made through the control \
            socket may name this machine and private networks without that.
            """,
        examples: "10.1.2.0/24", "unix:/run/example/hook.sock"
    ) { value in
        CallbackAllowance(value) == nil ? "is not ADDRESS, ADDRESS/BITS or unix:/PATH" : nil
    }

    package static let callbackProxy = ConfigurationKey(
        "callback-proxy", "URL", fallback: "none", isSecret: true,
        help: "an HTTP proxy for callbacks to the internet; it decides which hosts they reach",
        examples: "http://127.0.0.1:3128"
    ) { value in
        value.isWebAddress
            ? nil : "does not begin with http:// or https://"
    }

    package static let callbackUnixDirectory = ConfigurationKey(
        "callback-unix-directory", "FOLDER", fallback: "none",
        help: "a folder besides /run/user/UID in which local users may have callback sockets",
        more: "Each socket must belong to the user who registers it.",
        examples: "/run/bellwire-callbacks"
    ) { value in
        value.hasPrefix("/") && !value.hasSuffix("/") ? nil : "is not the path of a folder"
    }

    package static let callbackAuthorities = ConfigurationKey(
        "callback-authorities", "FILE", fallback: "the system's",
        help: "the CA certificates to trust for callbacks, in PEM",
        examples: "/etc/bellwire/callback-ca.pem")

    static let receiversFile = ConfigurationKey(
        "receivers-file", "FILE",
        fallback: "$CREDENTIALS_DIRECTORY/receivers, else $XDG_CONFIG_HOME/bellwire/receivers",
        help: "a file with the addresses of the desktop's receivers, one per line",
        more: """
            Each is an address that bellwire device add printed. Only the owner may be able to read \
            the file.
            """,
        examples: "/home/ann/.config/bellwire/receivers")

    package static let receiverAuthorities = ConfigurationKey(
        "receiver-authorities", "FILE", fallback: "the system's",
        help: "the CA certificates that the desktop trusts for its receivers, in PEM",
        examples: "/home/ann/.config/bellwire/ca.pem", effect: .atStart)

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
            where everything is kept: sqlite, or the servers that a cluster shares, separated by \
            commas: tls://HOST:PORT for TLS, nats://HOST:PORT
            """,
        more: """
            Each node of a cluster keeps a copy of everything in its own folder of state, which has \
            to be empty before the first start. See docs/cluster.md.
            """,
        examples:
            "tls://nats1.example.org, tls://nats2.example.org, tls://nats3.example.org",
        effect: .atStart
    ) { value in
        value == "sqlite"
            ? nil : refusal { () throws(ConfigurationError) in _ = try RemoteStore.servers(value) }
    }

    static let storeAuthorities = ConfigurationKey(
        "store-authorities", "FILE", fallback: "the system's",
        help: "the CA certificates to trust for the servers of the store, in PEM",
        examples: "/etc/bellwire/nats-ca.pem", effect: .atStart)

    static let storeCredentials = ConfigurationKey(
        "store-credentials", "FILE",
        fallback: "$CREDENTIALS_DIRECTORY/\(RemoteStore.credentialName) if it is there",
        help: "the file with the credentials for the servers of the store (.creds)",
        examples: "/etc/bellwire/nats.creds", effect: .atStart)

    static let storeReplicas = ConfigurationKey(
        "store-replicas", "NUMBER", fallback: String(RemoteStore.usualReplicas),
        help: "how many servers of the store keep each message, from 1 to 5",
        more: "With 3, one server may be lost.", effect: .atStart
    ) { value in
        let counts = RemoteStore.replicaCounts
        return counts.contains { String($0) == value }
            ? nil : "is not a number from \(counts.lowerBound) to \(counts.upperBound)"
    }

    static let storeUnsynced = flag(
        "store-unsynced",
        help: """
            use servers of the store that do not sync each write (sync_interval: always); messages \
            are lost if the power of several fails at once
            """,
        effect: .atStart)

    static let natsUnsafeServers = flag(
        "nats-unsafe-servers",
        help: """
            use servers of the store whose version is known to lose confirmed messages if the power \
            fails
            """,
        effect: .atStart)

    static let node = ConfigurationKey(
        "node", "NAME", fallback: "the name of this machine",
        help: "the name of this node in the cluster, which no other node may have",
        examples: "push1", effect: .atStart
    ) { value in
        RemoteStore.isNode(value)
            ? nil : "is not a name of at most 64 letters, digits and - . _"
    }
}
