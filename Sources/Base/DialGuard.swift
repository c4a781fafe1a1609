/// Why an address must not be connected to.
package enum DialRefusal: String, Error, Sendable {
    case notInternet = "the address is not on the public internet"
    case wrapped = "the IPv6 address contains an IPv4 address"
    case port = "the port belongs to another protocol"
    case clear = "the address is not on this machine, and the request would go there unencrypted"
    case ownListener = "the address belongs to this server"
}

/// Decides which addresses a request may connect to that somebody else asks for.
///
/// The guard judges the address itself, just before each new connection, because a name may no
/// longer resolve to the address of a moment ago.
package struct DialGuard: Sendable {
    /// Allowed to everybody, besides the internet.
    package var allowed: [AddressBlock] = []
    /// Where this program itself listens.
    package var listeners: [(address: IPAddress, port: UInt16)] = []
    /// Who reaches private addresses may send to them unencrypted. Loopback addresses never need
    /// encryption.
    package var sendsClearInside = false

    package init() {}

    /// `reachesInside`: loopback and private addresses are allowed, too. `isMapped`: an IPv6 address
    /// that wraps an IPv4 one, which `IPAddress` treats as equal. `isOurs`: whether this machine has
    /// the address.
    package func refusal(
        of address: IPAddress, isMapped: Bool = false, port: UInt16, reachesInside: Bool,
        isEncrypted: Bool, isOurs: (IPAddress) -> Bool
    ) -> DialRefusal? {
        guard Self.isUsual(port) else { return .port }
        guard !isMapped else { return .wrapped }
        let isClearAllowed =
            address.isLoopback || sendsClearInside && reachesInside && address.isPrivate
        guard isEncrypted || isClearAllowed else { return .clear }
        guard isReachable(address, reachesInside) else { return .notInternet }
        let isOwn = listeners.contains { listener in
            guard listener.port == port else { return false }
            return listener.address == address
                || (Self.isWildcard(listener.address) && isOurs(address))
        }
        return isOwn ? .ownListener : nil
    }

    /// Ports below 1024 belong to other protocols, which might misread an HTTP request.
    package static func isUsual(_ port: UInt16) -> Bool {
        port == 443 || port == 80 || port >= 1_024
    }

    private func isReachable(_ address: IPAddress, _ reachesInside: Bool) -> Bool {
        address.isGlobalUnicast || allowed.contains { $0.contains(address) }
            || reachesInside && (address.isLoopback || address.isPrivate)
    }

    private static func isWildcard(_ address: IPAddress) -> Bool {
        address.high == 0 && (address.low == 0 || address.v4 == 0)
    }
}
