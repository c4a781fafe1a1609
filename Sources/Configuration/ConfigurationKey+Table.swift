/// Everything that can be configured. A new key needs the reason why no default is right for all.
extension ConfigurationKey {
    package static let all = [
        listen, baseURL, alias, tlsCertificate, tlsKey, state, keys, store, registration,
        registrationOpenToEveryone, localUsers, accessLog, backlogFull, metricsListen,
        metricsTokenFile, callbackAllow, callbackProxy, callbackUnixDirectory, callbackAuthorities,
        receiversFile, receiverAuthorities,
    ]

    /// Those that a desktop without a server of its own has any use for.
    package static let desktop = [state, keys, receiversFile, receiverAuthorities]

    static let listen = ConfigurationKey(
        "listen", "ADDRESS", isRepeatable: true,
        fallback: ListenAddress.usual.joined(separator: ", "),
        help: """
            where to take connections: ADDRESS:PORT for TLS, http://ADDRESS:PORT, or unix:/PATH; \
            behind a proxy followed by proxy-protocol or trusted-proxies=ADDRESS[,ADDRESS]
            """
    ) { value in
        refusal { () throws(ConfigurationError) in _ = try ListenAddress(value) }
    }

    static let baseURL = ConfigurationKey(
        "base-url", "URL", fallback: "https://localhost:PORT of the first listener",
        help: "the address that endpoints begin with, as senders reach it"
    ) { value in
        refusal { () throws(ConfigurationError) in _ = try BaseURL(value) }
    }

    static let alias = ConfigurationKey(
        "alias", "ORIGIN", isRepeatable: true, fallback: "none",
        help: "another scheme, host and port under which this service is reached"
    ) { value in
        refusal { () throws(ConfigurationError) in _ = try BaseURL(alias: value) }
    }

    static let tlsCertificate = ConfigurationKey(
        "tls-certificate", "FILE", fallback: "a development certificate for localhost",
        help: "certificate chain in PEM; read again when it changes", check: anything)

    static let tlsKey = ConfigurationKey(
        "tls-key", "FILE", fallback: "that of the development certificate",
        help: "its private key in PEM", check: anything)

    static let state = ConfigurationKey(
        "state", "FOLDER", fallback: "$STATE_DIRECTORY, else $XDG_STATE_HOME/bellwire",
        help: "where subscriptions and messages are kept", check: anything)

    static let keys = ConfigurationKey(
        "keys", "FOLDER", fallback: "$CREDENTIALS_DIRECTORY, else STATE/keys",
        help: "where the master key is kept", check: anything)

    static let store = ConfigurationKey(
        "store", "STORE", fallback: "sqlite", isSecret: true,
        help: "sqlite, or nats://HOST:PORT to share the work among machines"
    ) { value in
        value == "sqlite" || (value.hasPrefix("nats://") && value.count > 7)
            ? nil : "is neither sqlite nor nats://HOST:PORT"
    }

    package static let registration = ConfigurationKey(
        "registration", "open|token",
        fallback: "open while only this machine is meant, else token",
        help: """
            who may subscribe: everybody who connects, or devices with a credential; others than this \
            machine are meant by a listener that they reach, a proxy, and a public base-url or alias
            """,
        check: oneOf(RegistrationMode.allCases.map(\.rawValue)))

    static let registrationOpenToEveryone = ConfigurationKey(
        "registration-open-to-everyone", "yes|no", fallback: "no",
        help: "allows registration = open on addresses that others can reach",
        check: oneOf(["yes", "no"]))

    static let localUsers = ConfigurationKey(
        "local-users", "yes|no", fallback: "no",
        help: "lets every user of this machine have devices, by the control socket",
        check: oneOf(["yes", "no"]))

    static let accessLog = ConfigurationKey(
        "access-log", "yes|no", fallback: "no",
        help: "whether each request is logged; never its path, which is a secret",
        check: oneOf(["yes", "no"]))

    static let backlogFull = ConfigurationKey(
        "backlog-full", "refuse|drop-oldest", fallback: "refuse",
        help:
            "what happens to a push when too much waits for a client; dropping breaks the promise",
        check: oneOf(BacklogPolicy.allCases.map(\.rawValue)))

    static let metricsListen = ConfigurationKey(
        "metrics-listen", "ADDRESS", fallback: "off",
        help: "where to give metrics: http://ADDRESS:PORT or unix:/PATH"
    ) { value in
        refusal { () throws(ConfigurationError) in
            guard case .tls = try ListenAddress(value).endpoint else { return }
            throw ConfigurationError("speaks plain HTTP: write http:// in front")
        }
    }

    static let metricsTokenFile = ConfigurationKey(
        "metrics-token-file", "FILE", fallback: "none",
        help: "whoever reads metrics must send what is in this file as bearer", check: anything)

    static let callbackAllow = ConfigurationKey(
        "callback-allow", "ADDRESS", isRepeatable: true, fallback: "none",
        help: """
            what registrations from the network may call back beside the internet: ADDRESS, \
            ADDRESS/BITS or unix:/PATH
            """
    ) { value in
        CallbackAllowance(value) == nil ? "is no ADDRESS, ADDRESS/BITS or unix:/PATH" : nil
    }

    static let callbackProxy = ConfigurationKey(
        "callback-proxy", "URL", fallback: "none", isSecret: true,
        help: "an HTTP proxy for callbacks to the internet, which then decides what they reach"
    ) { value in
        value.hasPrefix("http://") || value.hasPrefix("https://")
            ? nil : "does not begin with http:// or https://"
    }

    static let callbackUnixDirectory = ConfigurationKey(
        "callback-unix-directory", "FOLDER", fallback: "none",
        help: "where sockets of local users may lie, beside /run/user/UID, to be called back"
    ) { value in
        value.hasPrefix("/") && !value.hasSuffix("/") ? nil : "is no path of a folder"
    }

    static let callbackAuthorities = ConfigurationKey(
        "callback-authorities", "FILE", fallback: "those of the system",
        help: "certificates in PEM to trust for callbacks", check: anything)

    static let receiversFile = ConfigurationKey(
        "receivers-file", "FILE",
        fallback: "$CREDENTIALS_DIRECTORY/receivers, else $XDG_CONFIG_HOME/bellwire/receivers",
        help: "where the desktop gets its messages: wss:// addresses, one a line", check: anything)

    static let receiverAuthorities = ConfigurationKey(
        "receiver-authorities", "FILE", fallback: "those of the system",
        help: "certificates in PEM that the desktop trusts for its receivers", check: anything)

    private static let anything: @Sendable (String) -> String? = { _ in nil }

    private static func oneOf(_ words: [String]) -> @Sendable (String) -> String? {
        { words.contains($0) ? nil : "is not " + words.joined(separator: " or ") }
    }

    private static func refusal(
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
