package import Base
package import WebPush

/// The address under which senders and clients reach this server, normalized: a canonical origin,
/// and a path without a trailing slash.
package struct BaseURL: Hashable, Sendable, CustomStringConvertible {
    package let origin: Origin
    /// Empty, or starts with a slash.
    package let path: String

    package var description: String { origin.description + path }

    /// Telegram's token has no room for a longer endpoint, and reads it up to the first comma.
    static let endpointLimit = 1000
    /// `/wpush/v1/` and 28 bytes in base64url.
    static let endpointTail = 10 + 38

    package init(_ text: String) throws(ConfigurationError) {
        let url = try Self.parts(text)
        guard url.origin.scheme == "https" || url.origin.isLoopback else {
            throw ConfigurationError("begins with http:, which is for this machine only")
        }
        (origin, path) = url
        guard !description.contains(",") else {
            throw ConfigurationError("has a comma, which endpoints must not have")
        }
        guard description.utf8.count + Self.endpointTail <= Self.endpointLimit else {
            throw ConfigurationError("makes endpoints longer than \(Self.endpointLimit) bytes")
        }
    }

    /// Another name of the server: an origin without a path.
    package init(alias text: String) throws(ConfigurationError) {
        (origin, path) = try Self.parts(text)
        guard path.isEmpty else { throw ConfigurationError("has a path, but an origin has none") }
    }

    private static func parts(
        _ text: String
    ) throws(ConfigurationError) -> (origin: Origin, path: String) {
        guard let origin = Origin(url: text) else {
            throw ConfigurationError("is not an https:// or http:// address")
        }
        let rest = text.place(of: "://").map { text[$0.upperBound...] } ?? ""
        var path = rest.drop { $0 != "/" && $0 != "?" && $0 != "#" && $0 != "\\" }
        while path.last == "/" { path = path.dropLast() }
        guard path.utf8.allSatisfy(isPathByte) else {
            throw ConfigurationError("has more than a scheme, host, port and path")
        }
        return (origin, String(path))
    }

    /// `pchar` and the slash (RFC 3986 section 3.3).
    private static func isPathByte(_ byte: UInt8) -> Bool {
        byte.isIn(0x2FFF_FFF2_0000_0000, 0x47FF_FFFE_87FF_FFFF)
    }
}

extension Origin {
    package var isLoopback: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        let literal = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        return IPAddress(literal)?.isLoopback ?? false
    }
}

/// The settings that senders need before they push to an address that is not public.
///
/// They refuse such addresses, so that nobody can use them to reach their own network.
package struct SenderAdvice {
    private let baseURL: BaseURL
    /// The addresses of the base URL that senders refuse.
    private let refused: [IPAddress]
    private let isThisMachine: Bool

    /// What Synapse refuses by default; others refuse nearly the same.
    private static let blocks = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "::1/128",
        "2001:db8::/32", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
    ].compactMap(AddressBlock.init)

    /// Nil if senders need no settings: the address is public and leads to another machine.
    package init?(_ baseURL: BaseURL, addresses: [IPAddress], ownAddresses: Set<IPAddress>) {
        var known = Set<IPAddress>()
        let addresses = addresses.filter { known.insert($0).inserted }
        refused = addresses.filter { address in
            Self.blocks.contains { $0.contains(address) }
        }
        isThisMachine = addresses.contains { $0.isLoopback || ownAddresses.contains($0) }
        self.baseURL = baseURL
        guard !refused.isEmpty || isThisMachine else { return nil }
    }

    private var ranges: [String] { refused.map { "\($0)/\($0.v4 == nil ? 128 : 32)" } }

    package var text: String {
        let place = isThisMachine ? "this machine" : "another machine"
        guard !refused.isEmpty else {
            return """
                base-url leads to \(place) by a public address. Homeservers and other senders that run
                here need no extra setting.

                """
        }
        let list = refused.map(\.description).joined(separator: ", ")
        return """
            base-url leads to \(place) by an address that is not public, \(list). Senders
            refuse such addresses unless you allow them:

              Synapse, in homeserver.yaml:

                ip_range_whitelist:
            \(ranges.map { "      - '\($0)'" }.joined(separator: "\n"))

              MollySocket, in its configuration file:

                allowed_endpoints = ['\(baseURL.origin)']

              Nextcloud, in config/config.php:

                'allow_local_remote_servers' => true,

            """
    }

    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("this_machine", isThisMachine)
            writer.name("refused_addresses")
            writer.array { writer in for address in refused { writer.string("\(address)") } }
            guard !refused.isEmpty else { return }
            writer.name("synapse")
            writer.object { writer in
                writer.name("ip_range_whitelist")
                writer.array { writer in for range in ranges { writer.string(range) } }
            }
            writer.name("mollysocket")
            writer.object { writer in
                writer.name("allowed_endpoints")
                writer.array { writer in writer.string("\(baseURL.origin)") }
            }
            writer.name("nextcloud")
            writer.object { writer in
                writer.member("allow_local_remote_servers", true)
            }
        }
    }
}
