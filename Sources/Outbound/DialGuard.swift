package import Base

/// Who asked for a request of ours, which decides where it may go.
package enum CallbackRights: Equatable, Sendable {
    /// Whoever reaches the service over a network.
    case anyone
    /// A user of this machine, as the kernel named him on the control socket.
    case localUser(UInt32)

    package init(userID: UInt32?) { self = userID.map(Self.localUser) ?? .anyone }
}

/// Why an address is not connected to.
package enum DialRefusal: String, Error, Sendable {
    case notInternet = "the address is not on the public internet"
    case wrapped = "the address contains another address"
    case port = "the port belongs to another protocol"
    case clear = "the address is not on this machine, and the request would go there unencrypted"
    case ownListener = "the address is the one of this server"
}

/// Where requests that others ask us for may go. A value of rules: it dials nothing.
///
/// It is asked about the address that is really dialled, at each new connection: what a name stood
/// for a moment ago does not count.
package struct DialGuard: Sendable {
    /// What is allowed to everybody beside the internet.
    package var allowed: [AddressBlock] = []
    /// Where this service itself listens.
    package var listeners: [(address: IPAddress, port: UInt16)] = []

    package init() {}

    /// `isMapped`: the address is of version 6 and wraps one of version 4, which `IPAddress` would
    /// take for the same. `isOurs`: whether this machine has the address.
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

    /// Ports below 1024 are those of protocols that a request might speak to by mistake.
    package static func isUsual(_ port: UInt16) -> Bool {
        port == 443 || port == 80 || port >= 1_024
    }

    private func isReachable(_ address: IPAddress, for rights: CallbackRights) -> Bool {
        if address.isGlobalUnicast || allowed.contains(where: { $0.contains(address) }) {
            return true
        }
        // A user of this machine can connect there without our help.
        return rights != .anyone && (address.isLoopback || address.isPrivate)
    }

    private static func isWildcard(_ address: IPAddress) -> Bool {
        address.high == 0 && (address.low == 0 || address.v4 == 0)
    }
}
