/// The scope of an address (RFC 6890, and IANA's registries that continue it).
extension IPAddress {
    /// Whether it belongs to one machine on the internet. Addresses that wrap another one do not
    /// count: 6to4, Teredo and NAT64 would lead to wherever the inner address points.
    package var isGlobalUnicast: Bool {
        if v4 != nil { return !Self.special4.contains { $0.contains(self) } }
        return high >> 61 == 1 && !Self.special6.contains { $0.contains(self) }
    }

    /// Networks of an organisation or a home (RFC 1918, RFC 4193).
    package var isPrivate: Bool { Self.privateBlocks.contains { $0.contains(self) } }

    private static let privateBlocks = blocks(
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")

    private static let special4 =
        privateBlocks
        + blocks(
            "0.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24",
            "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
            "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4")

    /// Special blocks inside 2000::/3; nothing else is global unicast. The first one contains
    /// Teredo, the second is 6to4.
    private static let special6 = blocks("2001::/23", "2002::/16", "2001:db8::/32", "3fff::/20")

    private static func blocks(_ texts: String...) -> [AddressBlock] {
        texts.map { text in
            guard let block = AddressBlock(text) else {
                preconditionFailure("\(text) is not a block of addresses")
            }
            return block
        }
    }
}
