package import PushService

/// A client of the control socket, identified by the kernel.
package enum ControlCaller: Hashable {
    /// The client may see and change everything.
    case administrator
    /// The client may see and change only its own things.
    case user(UInt32)

    /// The kernel reports this user for everybody whom it cannot map into the sandbox
    /// (user_namespaces(7)).
    private static let unnamed: UInt32 = 65_534

    /// Nil for users who have no access.
    package init?(userID: UInt32?, ownUserID: UInt32, allowsLocalUsers: Bool) {
        switch userID {
        case 0, ownUserID: self = .administrator
        case let user? where allowsLocalUsers && user != Self.unnamed: self = .user(user)
        default: return nil
        }
    }

    /// The owner of new things unless the request names another.
    package var owner: String {
        switch self {
        case .administrator: "admin"
        case .user(let number): "uid:\(number)"
        }
    }

    package var pass: Pass {
        switch self {
        case .administrator: .administrator
        case .user(let number): .localUser(number)
        }
    }

    package func mayUse(_ owner: String) -> Bool { self == .administrator || owner == self.owner }
}
