package import Base
package import WebPush

/// The settings of the server, checked together.
package struct ServerConfiguration: Sendable {
    package let listeners: [ListenAddress]
    /// No address was configured. The default ones may fail if this machine lacks them, such as
    /// IPv6.
    package let listensAsUsual: Bool
    /// Nil if it follows from the ports that are bound.
    package let baseURL: BaseURL?
    package let aliases: [Origin]
    package let certificate: (chain: String, key: String)?
    package let state: String
    package let keys: String
    /// Where the server puts keys that it makes: `keys`, unless those are systemd's credentials.
    package let ownKeys: String
    /// The store that several nodes share; nil if everything is kept in `state`.
    package let remoteStore: RemoteStore?
    package let registration: RegistrationMode
    package let metricsListener: ListenAddress?
    package let page: PageChoice
    package let callbackAllowances: [CallbackAllowance]
    /// The first of these that exists lists the desktop's receivers.
    package let receiversFiles: [String]
    /// The file was configured, so it must exist.
    package let isReceiversFileNamed: Bool
    /// What was set, for keys of which nothing else has to be known.
    package let values: SettingValues

    /// How many bytes the files that come to topics may have; zero for none.
    package var attachments: Int {
        AttachmentRoom.bytes(values[.attachments] ?? AttachmentRoom.usual) ?? 0
    }

    /// Whether connections get records of our own after a handshake of TLS 1.3.
    package var hasOwnRecords: Bool { values[.tlsRecords] != TLSRecords.openSSL.rawValue }

    package init(_ input: ConfigurationInput) throws(ConfigurationError) {
        let values = SettingValues(try input.settings())
        self.values = values
        var listeners: [ListenAddress] = []
        let usual = input.handedOver.isEmpty ? ListenAddress.usual : []
        for text in values.all(.listen) ?? usual { listeners.append(try ListenAddress(text)) }
        // A configured address also describes the passed socket with that address.
        for given in input.handedOver where !listeners.contains(where: given.isSamePlace(as:)) {
            listeners.append(given)
        }
        var aliases: [Origin] = []
        for text in values.all(.alias) ?? [] { aliases.append(try BaseURL(alias: text).origin) }
        self.listeners = listeners
        listensAsUsual = values.all(.listen) == nil && input.handedOver.isEmpty
        self.aliases = aliases
        baseURL = try values.first(.baseURL, BaseURL.init(_:))
        certificate = try Self.certificate(values)
        state = try Self.stateFolder(values, input.environment)
        let credentials = input.environment["CREDENTIALS_DIRECTORY"]
        keys = values[.keys] ?? credentials ?? state + "/keys"
        ownKeys = keys == credentials ? state + "/keys" : keys
        remoteStore = try RemoteStore(values, input)
        registration = try Self.registration(
            values, listeners, aliases + [baseURL].compactMap { $0?.origin })
        metricsListener = try values.first(.metricsListen, ListenAddress.init(_:))
        page = try values.first(.ui, PageChoice.init) ?? .auto
        callbackAllowances = values.all(.callbackAllow)?.compactMap(CallbackAllowance.init) ?? []
        isReceiversFileNamed = values[.receiversFile] != nil
        receiversFiles = Self.receiversFiles(values, input.environment)
        try checkNames()
        try checkMetrics()
    }

    /// The certificate, with its key, that the server makes if none is configured.
    package var developmentCertificate: String { ownKeys + "/development-tls.pem" }

    /// The certificate of the authority that signed it.
    package var developmentAuthority: String { ownKeys + "/development-ca.pem" }

    /// The URL of the server, given the ports it is bound to; nil if only `base-url` can tell.
    package func baseURL(tlsPort: UInt16?, plainPort: UInt16?) -> BaseURL? {
        if let baseURL { return baseURL }
        if let tlsPort { return try? BaseURL("https://localhost:\(tlsPort)") }
        return plainPort.flatMap { try? BaseURL("http://localhost:\($0)") }
    }

    /// The same before the ports are bound, from the ports in the configuration.
    package var expectedBaseURL: BaseURL? {
        var (tls, plain): (UInt16?, UInt16?)
        for listener in listeners {
            switch listener.endpoint {
            case .tls(_, let port): tls = tls ?? port
            case .plain(_, let port): plain = plain ?? port
            case .unix: break
            }
        }
        return baseURL(tlsPort: tls, plainPort: plain)
    }
}

/// What happens to a push when too many messages wait for a client.
package enum BacklogPolicy: String, Sendable, CaseIterable {
    case refuse
    case dropOldest = "drop-oldest"
}

/// Who seals and opens records after a handshake of TLS 1.3.
enum TLSRecords: String, CaseIterable {
    case own
    case openSSL = "openssl"
}

/// What is kept after its delivery.
package enum HistoryChoice: String, Sendable, CaseIterable {
    case topics
    /// Topics, and accounts whose pushes can be read here.
    case all
    case off
}

/// Who may subscribe over the WebSocket.
package enum RegistrationMode: String, Sendable, CaseIterable {
    case open
    case token
}

/// A target outside the public internet that registrations from the network may call back.
package enum CallbackAllowance: Equatable, Sendable {
    case addresses(AddressBlock)
    case socket(path: String)

    init?(_ text: String) {
        if text.hasPrefix("unix:/") {
            self = .socket(path: String(text.dropFirst(5)))
        } else if let block = AddressBlock(text) {
            self = .addresses(block)
        } else {
            return nil
        }
    }
}

/// Where the status page is wanted.
package enum PageChoice: Equatable, Sendable {
    case auto, off
    case own(Origin)

    init(_ text: String) throws(ConfigurationError) {
        switch text {
        case "auto": self = .auto
        case "off": self = .off
        default: self = .own(try BaseURL(alias: text).origin)
        }
    }
}

/// The configuration in force, without secrets.
extension ServerConfiguration {
    /// A line for each key, with the source of its value.
    package var text: String {
        var lines: [String] = []
        for key in ConfigurationKey.all {
            let settings = values.settings(of: key)
            guard !settings.isEmpty else {
                lines += effective(key).map { value in
                    "\(key.name) = \(Printable.text(value))  # \(SettingSource.fallback)"
                }
                continue
            }
            lines += settings.map { setting in
                let value = Printable.text(key.shown(setting.value))
                return "\(key.name) = \(value)  # \(Printable.text(setting.source.description))"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// `[{"key","values","source","takes_effect"}]`.
    package func write(to writer: inout JSONWriter) {
        writer.array { writer in
            for key in ConfigurationKey.all { write(key, to: &writer) }
        }
    }

    private func write(_ key: ConfigurationKey, to writer: inout JSONWriter) {
        let settings = values.settings(of: key)
        writer.object { writer in
            writer.member("key", key.name)
            writer.name("values")
            writer.array { writer in
                for setting in settings { writer.string(key.shown(setting.value)) }
                if settings.isEmpty { for value in effective(key) { writer.string(value) } }
            }
            writer.member(
                "source", (settings.first?.source ?? SettingSource.fallback).description)
            writer.member("takes_effect", key.effect.rawValue)
        }
    }

    /// The values of a key that is not set.
    private func effective(_ key: ConfigurationKey) -> [String] {
        switch key.name {
        case ConfigurationKey.listen.name: listeners.map(\.description)
        case ConfigurationKey.baseURL.name: [expectedBaseURL?.description ?? key.fallback]
        case ConfigurationKey.tlsCertificate.name, ConfigurationKey.tlsKey.name:
            [listeners.contains(where: \.isEncrypted) ? developmentCertificate : "none"]
        case ConfigurationKey.state.name: [state]
        case ConfigurationKey.keys.name: [keys]
        case ConfigurationKey.node.name: [remoteStore?.node ?? key.fallback]
        case ConfigurationKey.registration.name: [registration.rawValue]
        case ConfigurationKey.receiversFile.name: [receiversFiles.joined(separator: ", else ")]
        default: [key.fallback]
        }
    }
}

/// A reload while the server runs.
extension ServerConfiguration {
    /// The keys that differ from those of the start, and that a running server cannot change.
    package func keysForNextStart(after start: ServerConfiguration) -> [String] {
        // Without files the server would have to make a certificate.
        let lacksFiles = certificate == nil && start.certificate != nil
        let files = [ConfigurationKey.tlsCertificate.name, ConfigurationKey.tlsKey.name]
        return ConfigurationKey.all.filter { key in
            guard values.all(key) != start.values.all(key) else { return false }
            return key.effect == .atStart || (lacksFiles && files.contains(key.name))
        }.map(\.name)
    }

    /// Who may subscribe after a reload. A reload may close registration at any time. It may open
    /// registration only if the server runs with the listeners and the name of this configuration,
    /// because it was checked against those.
    package func registration(
        serving listeners: [ListenAddress], under name: BaseURL?, now: RegistrationMode
    ) -> RegistrationMode {
        guard registration == .open, now == .token else { return registration }
        return listeners == self.listeners && name == baseURL ? .open : .token
    }
}

/// What a reload does with the listeners of a running server.
package struct ListenerChanges: Equatable, Sendable {
    /// An open listener stays, perhaps with another protocol or other proxies.
    package struct Kept: Equatable, Sendable {
        /// Its place in the list of open listeners.
        package let index: Int
        package let address: ListenAddress
    }

    package private(set) var kept: [Kept] = []
    package private(set) var opened: [ListenAddress] = []
    /// The places of those that close, in the list of open listeners.
    package let closed: [Int]

    package init(from open: [ListenAddress], to wanted: [ListenAddress]) {
        var rest = Array(open.enumerated())
        for address in wanted {
            let place =
                rest.firstIndex { $0.element == address }
                ?? rest.firstIndex { $0.element.isSamePlace(as: address) }
            if let place {
                kept.append(Kept(index: rest.remove(at: place).offset, address: address))
            } else {
                opened.append(address)
            }
        }
        closed = rest.map(\.offset)
    }
}
