package import Base

/// Where the server listens, and which proxies it trusts to name the client.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    package enum Endpoint: Hashable, Sendable {
        case tls(IPAddress, port: UInt16)
        case plain(IPAddress, port: UInt16)
        case unix(path: String)
    }

    package let endpoint: Endpoint
    /// Each connection begins with the PROXY protocol.
    package let expectsProxyProtocol: Bool
    /// Proxies whose X-Forwarded-For is trusted.
    package let trustedProxies: [IPAddress]

    /// The default.
    static let usual = ["127.0.0.1:8443", "[::1]:8443"]

    /// Only this machine can connect.
    package var isLocal: Bool {
        switch endpoint {
        case .tls(let address, _), .plain(let address, _): address.isLoopback
        case .unix: true
        }
    }

    package var isEncrypted: Bool {
        if case .tls = endpoint { true } else { false }
    }

    /// A TCP port, not a socket in a folder.
    package var isPort: Bool {
        if case .unix = endpoint { false } else { true }
    }

    package var port: UInt16? {
        switch endpoint {
        case .tls(_, let port), .plain(_, let port): port
        case .unix: nil
        }
    }

    package var hasProxies: Bool { expectsProxyProtocol || !trustedProxies.isEmpty }

    /// Only programs on this machine are clients. A client behind a proxy may come from anywhere.
    package var isForThisMachine: Bool { isLocal && !hasProxies }

    /// The address as the configuration writes it, without the proxies.
    package var description: String {
        switch endpoint {
        case .tls(let address, let port): Self.text(address, port)
        case .plain(let address, let port): "http://" + Self.text(address, port)
        case .unix(let path): "unix:" + path
        }
    }

    private static func text(_ address: IPAddress, _ port: UInt16) -> String {
        address.v4 == nil ? "[\(address)]:\(port)" : "\(address):\(port)"
    }

    /// The address of a socket that is already open.
    package init(_ endpoint: Endpoint) {
        self.endpoint = endpoint
        expectsProxyProtocol = false
        trustedProxies = []
    }

    /// The same address, whether or not it uses TLS.
    package func isSamePlace(as other: ListenAddress) -> Bool {
        switch (endpoint, other.endpoint) {
        case (.unix(let path), .unix(let other)): path == other
        case (.tls(let address, let port), .tls(let other, let otherPort)),
            (.tls(let address, let port), .plain(let other, let otherPort)),
            (.plain(let address, let port), .tls(let other, let otherPort)),
            (.plain(let address, let port), .plain(let other, let otherPort)):
            address == other && port == otherPort
        default: false
        }
    }

    package init(_ text: String) throws(ConfigurationError) {
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let first = words.first else { throw ConfigurationError("is empty") }
        let endpoint = try Self.endpoint(first)
        var expectsProxyProtocol = false
        var trustedProxies: [IPAddress] = []
        for word in words.dropFirst() {
            if word == Self.proxyProtocol {
                expectsProxyProtocol = true
            } else if word.hasPrefix(Self.trustedProxies) {
                trustedProxies += try Self.addresses(word.dropFirst(Self.trustedProxies.count))
            } else {
                throw ConfigurationError(
                    "contains \(word), which is neither proxy-protocol nor trusted-proxies=ADDRESS")
            }
        }
        self.endpoint = endpoint
        self.expectsProxyProtocol = expectsProxyProtocol
        self.trustedProxies = trustedProxies
        guard case .plain = endpoint, !isLocal, trustedProxies.isEmpty else { return }
        throw ConfigurationError(
            "would send secrets unencrypted: use TLS, or name the proxy with trusted-proxies")
    }

    private static let proxyProtocol = "proxy-protocol"
    private static let trustedProxies = "trusted-proxies="

    /// Whether a word belongs to the address before it.
    static func continuesAddress(_ word: some StringProtocol) -> Bool {
        word == proxyProtocol || word.hasPrefix(trustedProxies)
    }

    private static func endpoint(_ text: String) throws(ConfigurationError) -> Endpoint {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/"), path.utf8.count > 1 else {
                throw ConfigurationError("needs a path that begins with /")
            }
            // The size of sun_path on Linux, with its final zero.
            guard path.utf8.count < 108 else {
                throw ConfigurationError("is too long for a Unix socket")
            }
            return .unix(path: path)
        }
        if text.hasPrefix("http://") {
            let (address, port) = try addressAndPort(text.dropFirst(7))
            return .plain(address, port: port)
        }
        let (address, port) = try addressAndPort(text[...])
        return .tls(address, port: port)
    }

    private static func addressAndPort(
        _ text: Substring
    ) throws(ConfigurationError) -> (IPAddress, UInt16) {
        guard let colon = text.lastIndex(of: ":") else { throw ConfigurationError("has no port") }
        let digits = Array(text[text.index(after: colon)...].utf8)
        var host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = host.dropFirst().dropLast() }
        guard let port = UInt16(decimalDigits: digits.span),
            let address = IPAddress(String(host)), isBracketed || !host.contains(":")
        else {
            throw ConfigurationError("is not ADDRESS:PORT with a numeric address")
        }
        return (address, port)
    }

    private static func addresses(_ text: Substring) throws(ConfigurationError) -> [IPAddress] {
        var addresses: [IPAddress] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let address = IPAddress(String(part)) else {
                throw ConfigurationError("contains \(part), which is not the address of a proxy")
            }
            addresses.append(address)
        }
        return addresses
    }
}

/// Says in a sentence for the administrator what a listener allows to whom.
package struct Entrance: Equatable, Sendable {
    package let place: String
    /// Who can connect, and which of them may subscribe.
    package let sentence: String
    /// Whether people from other machines may subscribe without a credential.
    package let isOpenToStrangers: Bool

    package init(_ listener: ListenAddress, _ registration: RegistrationMode, _ baseURL: BaseURL?) {
        let publicURL = baseURL.flatMap { $0.origin.isLoopback ? nil : $0 }
        let isForThisMachine = listener.isForThisMachine && publicURL == nil
        place = listener.description
        isOpenToStrangers = registration == .open && !isForThisMachine
        let who = Self.visitors(of: listener, publicURL)
        let may =
            switch registration {
            case .token: "only devices added with bellwire device add may subscribe"
            case .open where isForThisMachine: "all of them may subscribe without a credential"
            case .open: "EVERYBODY may subscribe without a credential"
            }
        sentence = "\(who) can connect, and \(may)"
    }

    private static func visitors(of listener: ListenAddress, _ publicURL: BaseURL?) -> String {
        if !listener.isLocal { return "everybody who reaches this address over the network" }
        if listener.hasProxies { return "everybody who reaches the proxy in front of this server" }
        let locals =
            if case .unix = listener.endpoint {
                "programs on this machine that have access to the folder of this socket"
            } else {
                "programs on this machine"
            }
        return publicURL.map { "\(locals), and clients that a proxy forwards from \($0)," }
            ?? locals
    }
}

extension ServerConfiguration {
    /// One for each listener, as far as can be known before it is open.
    package var entrances: [Entrance] {
        listeners.map { Entrance($0, registration, expectedBaseURL) }
    }

    package var controlSentence: String {
        let others =
            values.isOn(.localUsers)
            ? "other users of this machine may add their own devices"
            : "other users of this machine have no rights"
        return "root and the user of the service are administrators, and \(others)"
    }

    package var metricsSentence: String {
        values[.metricsTokenFile] == nil
            ? "all programs on this machine may read metrics"
            : "everybody who sends the token may read metrics"
    }
}
