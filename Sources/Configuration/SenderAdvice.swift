package import Base

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
