import Base

/// The hosts that NO_PROXY names: a list of domains, addresses and networks, or `*` for all.
struct ProxyExceptions {
    private let entries: [Substring]

    init(_ list: String) {
        entries = list.split { $0 == "," || $0.isWhitespace }
    }

    /// This machine never is behind a proxy.
    func include(_ host: String, port: UInt16) -> Bool {
        let name = Self.name(host[...])
        let address = IPAddress(host)
        if name == "localhost" || address?.isLoopback == true { return true }
        return entries.contains { entry in
            if entry == "*" { return true }
            if let address { return Self.includes(entry, address, port) }
            return Self.includes(entry, name, port)
        }
    }

    /// A domain stands for itself and all below it, with or without a dot in front.
    private static func includes(_ entry: Substring, _ name: String, _ port: UInt16) -> Bool {
        var domain = entry.drop { $0 == "*" }.drop { $0 == "." }
        if let colon = domain.lastIndex(of: ":") {
            guard UInt16(domain[domain.index(after: colon)...]) == port else { return false }
            domain = domain[..<colon]
        }
        let wanted = Self.name(domain)
        return !wanted.isEmpty && (name == wanted || name.hasSuffix("." + wanted))
    }

    private static func includes(
        _ entry: Substring, _ address: IPAddress, _ port: UInt16
    ) -> Bool {
        let literal = String(entry.filter { $0 != "[" && $0 != "]" })
        if IPAddress(literal) == address { return true }
        if let place = HostAndPort(String(entry), defaultPort: port), place.port == port {
            return IPAddress(place.host) == address
        }
        let parts = literal.split(separator: "/")
        guard parts.count == 2, let network = IPAddress(String(parts[0])),
            let length = UInt8(parts[1]), (network.v4 == nil) == (address.v4 == nil)
        else { return false }
        return network.sharesPrefix(Int(length) + (network.v4 == nil ? 0 : 96), with: address)
    }

    private static func name(_ host: Substring) -> String {
        (host.hasSuffix(".") ? host.dropLast() : host).lowercased()
    }
}

extension IPAddress {
    fileprivate func sharesPrefix(_ length: Int, with other: IPAddress) -> Bool {
        guard (0...128).contains(length) else { return false }
        let highMask: UInt64 = length >= 64 ? .max : ~(.max >> UInt64(length))
        let lowMask: UInt64 = length <= 64 ? 0 : ~(.max >> UInt64(length - 64))
        // A shift by all 64 bits gives zero, and so the whole mask.
        return (high ^ other.high) & highMask == 0 && (low ^ other.low) & lowMask == 0
    }
}
