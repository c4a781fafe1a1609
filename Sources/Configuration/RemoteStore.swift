import Base

/// A store that several nodes share: where its servers are, and how this node uses them.
package struct RemoteStore: Equatable, Sendable {
    /// As `nats://` or `tls://`, each with its port, perhaps with a user and a password.
    package let servers: [String]
    package let isEncrypted: Bool
    /// The CA certificates to trust for the servers; nil for the system's.
    package let authorities: String?
    /// The file with the credentials of this node.
    package let credentials: String?
    /// The file with the credentials was configured, so it must exist.
    package let isCredentialsNamed: Bool
    /// The name of this node, which no other node has. It may contain dots.
    package let node: String
    /// How many servers keep each message.
    package let replicas: Int
    /// Servers that confirm a write before it is on the disk are good enough.
    package let acceptsUnsynced: Bool
    /// Versions of servers that lose confirmed writes are good enough, too.
    package let acceptsUnsafe: Bool

    static let usualReplicas = 3
    static let replicaCounts = 1...5
    /// The name that systemd gives the credential.
    static let credentialName = "nats.creds"

    /// Nil for the store of SQLite.
    init?(_ values: SettingValues, _ input: ConfigurationInput) throws(ConfigurationError) {
        guard let text = values[.store], text != "sqlite" else {
            try Self.checkUnused(values)
            return nil
        }
        let servers = try Self.servers(text)
        self.servers = servers.map(\.description)
        isEncrypted = servers.contains(where: \.isEncrypted)
        authorities = values[.storeAuthorities]
        isCredentialsNamed = values[.storeCredentials] != nil
        credentials =
            values[.storeCredentials]
            ?? input.environment["CREDENTIALS_DIRECTORY"].map { "\($0)/\(Self.credentialName)" }
        // `??` would widen what is thrown.
        if let name = values[.node] {
            node = name
        } else {
            node = try Self.usualNode(input.hostName)
        }
        replicas = values[.storeReplicas].flatMap { Int($0) } ?? Self.usualReplicas
        acceptsUnsynced = values.isOn(.storeUnsynced)
        acceptsUnsafe = values.isOn(.natsUnsafeServers)
        guard isEncrypted || authorities == nil else {
            throw ConfigurationError(
                "store-authorities needs tls://", in: values.source(.storeAuthorities),
                hint: "write tls:// instead of nats:// in store")
        }
    }

    /// Reads what `lines` has. Nil if that is no store of this kind.
    package init?(lines: String, environment: [String: String]) throws(ConfigurationError) {
        let input = ConfigurationInput(
            environment: environment.merging(["HOME": "/"]) { given, _ in given },
            file: ConfigurationInput.File(path: "", bytes: Array(lines.utf8)))
        guard let store = try ServerConfiguration(input).remoteStore else { return nil }
        self = store
    }

    /// All of it as lines of a configuration, with passwords.
    package var lines: String {
        var lines = [
            "store = \(servers.joined(separator: ", "))", "store-replicas = \(replicas)",
            "node = \(node)",
        ]
        if let authorities { lines.append("store-authorities = \(authorities)") }
        if let credentials, isCredentialsNamed {
            lines.append("store-credentials = \(credentials)")
        }
        if acceptsUnsynced { lines.append("store-unsynced = yes") }
        if acceptsUnsafe { lines.append("nats-unsafe-servers = yes") }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Whether a value of `store` names the same servers, whoever signs in there.
    package func isAt(_ text: String) -> Bool {
        func places(_ text: String) -> Set<String>? {
            guard let servers = try? Self.servers(text) else { return nil }
            return Set(servers.map { "\($0.host):\($0.port)" })
        }
        return places(text) == places(servers.joined(separator: ","))
    }

    /// Several servers are separated by commas.
    static func servers(_ text: String) throws(ConfigurationError) -> [StoreServer] {
        var servers: [StoreServer] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let word = part.drop { $0 == " " }
            let server = try StoreServer(String(word))
            guard !servers.contains(where: { $0.host == server.host && $0.port == server.port })
            else { throw ConfigurationError("names the same server twice") }
            servers.append(server)
        }
        guard servers.allSatisfy({ $0.isEncrypted == servers.first?.isEncrypted }) else {
            throw ConfigurationError("has both nats:// and tls://: write tls:// for all servers")
        }
        return servers
    }

    /// A name must be one line in logs and lists, and is compared byte by byte.
    static func isNode(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isIn(0x03FF_6000_0000_0000, 0x07FF_FFFE_87FF_FFFE) }
    }

    /// Machines that were never named are all called `localhost`.
    private static func usualNode(_ hostName: String) throws(ConfigurationError) -> String {
        guard isNode(hostName), hostName != "localhost" else {
            throw ConfigurationError(
                "this machine has no name that a node can have", hint: "name the node: --node NAME")
        }
        return hostName
    }

    private static func checkUnused(_ values: SettingValues) throws(ConfigurationError) {
        for key in ConfigurationKey.ofCluster where values[key] != nil {
            throw ConfigurationError(
                "\(key.name) needs a store on other servers", in: values.source(key),
                hint: "write store = tls://HOST:PORT, or leave \(key.name) out")
        }
    }
}

/// The address of one server of the cluster's store: `nats://` or `tls://`, perhaps a user and a
/// password, a host and perhaps a port.
struct StoreServer: Equatable, Sendable, CustomStringConvertible {
    let isEncrypted: Bool
    /// `USER:PASSWORD` or a token; nil if there is none.
    let user: String?
    /// In lower case; an IPv6 address in brackets.
    let host: String
    let port: UInt16

    /// The port of NATS.
    private static let usualPort: UInt16 = 4222

    init(_ text: String) throws(ConfigurationError) {
        let rest: Substring
        if text.hasPrefix("nats://") {
            (isEncrypted, rest) = (false, text.dropFirst(7))
        } else if text.hasPrefix("tls://") {
            (isEncrypted, rest) = (true, text.dropFirst(6))
        } else {
            throw ConfigurationError("is neither sqlite nor nats://HOST:PORT nor tls://HOST:PORT")
        }
        let place: Substring
        if let at = rest.lastIndex(of: "@") {
            user = try Self.user(rest[..<at])
            place = rest[rest.index(after: at)...]
        } else {
            user = nil
            place = rest
        }
        (host, port) = try Self.hostAndPort(place)
    }

    var description: String {
        "\(isEncrypted ? "tls" : "nats")://" + (user.map { $0 + "@" } ?? "") + "\(host):\(port)"
    }

    /// The client takes the text as it stands, so it must mean the same to everybody.
    private static func user(_ text: Substring) throws(ConfigurationError) -> String {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy(\.isUnreserved)
        }
        guard isPlain, parts.count <= 2 else {
            throw ConfigurationError(
                "has a user or password with other characters than letters, digits and - . _ ~")
        }
        return String(text)
    }

    private static func hostAndPort(
        _ text: Substring
    ) throws(ConfigurationError) -> (String, UInt16) {
        let end = text.first == "[" ? text.firstIndex(of: "]").map(text.index(after:)) : nil
        let host = text[..<(end ?? text.firstIndex(of: ":") ?? text.endIndex)]
        guard isHost(host) else { throw ConfigurationError("has no host, or a wrong one") }
        let rest = text[host.endIndex...]
        if rest.isEmpty { return (host.lowercased(), usualPort) }
        let digits = Array(rest.dropFirst().utf8)
        guard rest.first == ":", let port = UInt16(decimalDigits: digits.span), port > 0 else {
            throw ConfigurationError("has more than a host and a port")
        }
        return (host.lowercased(), port)
    }

    private static func isHost(_ text: Substring) -> Bool {
        guard text.first == "[" else {
            return !text.isEmpty && text.utf8.allSatisfy(\.isUnreserved)
        }
        let address = IPAddress(String(text.dropFirst().dropLast()))
        return text.last == "]" && address != nil && address?.v4 == nil
    }
}

extension UInt8 {
    /// A letter, a digit, or one of `-._~` (RFC 3986 section 2.3).
    fileprivate var isUnreserved: Bool { isIn(0x03FF_6000_0000_0000, 0x47FF_FFFE_87FF_FFFE) }
}
