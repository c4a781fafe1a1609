import PushService

/// Whoever is at the other end of the control socket, as the kernel names him.
enum ControlCaller: Equatable {
    /// Sees and changes everything.
    case administrator
    /// Sees and changes what is his own.
    case user(UInt32)

    /// As whom the kernel shows everybody whom it cannot name in a sandbox (user_namespaces(7)).
    private static let unnamed: UInt32 = 65_534

    /// Nil for users to whom this service is not open.
    init?(userID: UInt32?, ownUserID: UInt32, allowsLocalUsers: Bool) {
        switch userID {
        case 0, ownUserID: self = .administrator
        case let user? where allowsLocalUsers && user != Self.unnamed: self = .user(user)
        default: return nil
        }
    }

    /// To whom new things belong unless something else is said.
    var owner: String {
        switch self {
        case .administrator: "admin"
        case .user(let number): "uid:\(number)"
        }
    }

    var pass: Pass {
        switch self {
        case .administrator: .administrator
        case .user(let number): .localUser(number)
        }
    }

    func mayUse(_ owner: String) -> Bool { self == .administrator || owner == self.owner }
}
