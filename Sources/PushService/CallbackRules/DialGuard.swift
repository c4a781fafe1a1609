package import Base

/// Who asked for a callback. That decides where it may go.
package enum CallbackRights: Equatable, Sendable {
    /// A caller on the network.
    case anyone
    /// A user of this machine, as the kernel reported it on the control socket.
    case localUser(UInt32)

    package init(userID: UInt32?) { self = userID.map(Self.localUser) ?? .anyone }
}

package enum DialRefusal: String, Error, Sendable {
    case notInternet = "the address is not on the public internet"
    case wrapped = "the IPv6 address contains an IPv4 address"
    case port = "the port belongs to another protocol"
    case clear = "the address is not on this machine, and the request would go there unencrypted"
    case ownListener = "the address belongs to this server"
}

/// Decides which addresses a callback may connect to.
///
/// It judges the address itself, just before each new connection, because a name may no longer
/// resolve to the address of a moment ago.
package struct DialGuard: Sendable {
    /// Allowed to every caller, besides the internet.
    package var allowed: [AddressBlock] = []
    /// Where this server itself listens.
    package var listeners: [(address: IPAddress, port: UInt16)] = []

    package init() {}

    /// `isMapped`: an IPv6 address that wraps an IPv4 one, which `IPAddress` treats as equal.
    /// `isOurs`: whether this machine has the address.
    package func refusal(
        of address: IPAddress, isMapped: Bool = false, port: UInt16, for rights: CallbackRights,
        isEncrypted: Bool, isOurs: (IPAddress) -> Bool
    ) -> DialRefusal? {
        guard Self.isUsual(port) else { return .port }
        guard !isMapped else { return .wrapped }
        guard isEncrypted || address.isLoopback else { return .clear }
        guard isReachable(address, for: rights) else { return .notInternet }
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

    private func isReachable(_ address: IPAddress, for rights: CallbackRights) -> Bool {
        if address.isGlobalUnicast || allowed.contains(where: { $0.contains(address) }) {
            return true
        }
        // A user of this machine can connect to these without the server.
        return rights != .anyone && (address.isLoopback || address.isPrivate)
    }

    private static func isWildcard(_ address: IPAddress) -> Bool {
        address.high == 0 && (address.low == 0 || address.v4 == 0)
    }
}
