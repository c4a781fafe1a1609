import WebPush

/// Rules that concern several keys.
extension ServerConfiguration {
    static func certificate(
        _ values: SettingValues
    ) throws(ConfigurationError) -> (chain: String, key: String)? {
        switch (values[.tlsCertificate], values[.tlsKey]) {
        case (let chain?, let key?): return (chain, key)
        case (nil, nil): return nil
        case (_?, nil):
            throw ConfigurationError(
                "tls-certificate needs tls-key", in: values.source(.tlsCertificate))
        case (nil, _?):
            throw ConfigurationError("tls-key needs tls-certificate", in: values.source(.tlsKey))
        }
    }

    static func stateFolder(
        _ values: SettingValues, _ environment: [String: String]
    ) throws(ConfigurationError) -> String {
        if let state = values[.state] { return state }
        if let folder = environment["STATE_DIRECTORY"], !folder.isEmpty { return folder }
        let folder = ConfigurationInput.folder("XDG_STATE_HOME", else: ".local/state", environment)
        guard let folder else {
            throw ConfigurationError(
                "there is no folder for the state", hint: "name one with --state FOLDER")
        }
        return folder + "/bellwire"
    }

    static func receiversFiles(
        _ values: SettingValues, _ environment: [String: String]
    ) -> [String] {
        if let file = values[.receiversFile] { return [file] }
        let folder = ConfigurationInput.folder("XDG_CONFIG_HOME", else: ".config", environment)
        return [environment["CREDENTIALS_DIRECTORY"], folder.map { $0 + "/bellwire" }]
            .compactMap { $0.map { $0 + "/receivers" } }
    }

    /// Everybody who reaches an open server can fill it, so opening it takes two settings. A proxy
    /// or a public name means clients on other machines, even if all listeners are local.
    static func registration(
        _ values: SettingValues, _ listeners: [ListenAddress], _ origins: [Origin]
    ) throws(ConfigurationError) -> RegistrationMode {
        let isForThisMachine =
            listeners.allSatisfy(\.isForThisMachine) && origins.allSatisfy(\.isLoopback)
        guard let mode = values[.registration].flatMap(RegistrationMode.init) else {
            return isForThisMachine ? .open : .token
        }
        guard
            mode == .token || isForThisMachine
                || values.isOn(.registrationOpenToEveryone)
        else {
            throw ConfigurationError(
                "registration = open lets everybody on the network subscribe",
                in: values.source(.registration),
                hint: "if you want that, set registration-open-to-everyone = yes")
        }
        return mode
    }

    /// Without a TCP listener the server cannot derive its own URL.
    func checkNames() throws(ConfigurationError) {
        guard baseURL != nil || listeners.contains(where: \.isPort) else {
            throw ConfigurationError(
                "base-url is needed if every listener is a Unix socket",
                in: values.source(.listen))
        }
    }

    /// The name in base-url, if other machines are to come by it and see a certificate that they do
    /// not trust. A proxy shows its own. The one that the server makes is for `machine`, and is enough
    /// where its user can tell every other machine to trust it.
    package func nameWithoutCertificate(on machine: String) -> String? {
        guard certificate == nil, let origin = baseURL?.origin, !origin.isLoopback,
            listeners.contains(where: { $0.isEncrypted && !$0.hasProxies })
        else { return nil }
        let isKnownHere = origin.host == machine.lowercased() && Self.isOfNetwork(origin.host)
        return isKnownHere ? nil : origin.host
    }

    /// Names without a dot, and below domains that no authority certifies: RFC 6762, RFC 8375, and what
    /// routers use.
    private static func isOfNetwork(_ host: String) -> Bool {
        let labels = host.split(separator: ".")
        guard labels.count > 1, let last = labels.last else { return true }
        return ["local", "internal", "lan", "home", "localdomain"].contains(last)
            || host.hasSuffix(".home.arpa")
    }

    func checkMetrics() throws(ConfigurationError) {
        guard let metricsListener, !metricsListener.isLocal, values[.metricsTokenFile] == nil
        else { return }
        throw ConfigurationError(
            "metrics-listen can be reached from other machines",
            in: values.source(.metricsListen),
            hint: "set metrics-token-file, or listen on 127.0.0.1")
    }
}
