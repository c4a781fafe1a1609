import Base
package import Mailbox
package import PushService

/// A client of the API: on the control socket, or with the credential of a device.
package struct APICaller {
    let owner: String
    /// Whether it may also see and change what belongs to other owners.
    let isAdministrator: Bool
    /// The row of the credential; nil on the control socket.
    let credential: UInt32?
    /// The user at the other end of the control socket.
    let userID: UInt32?
    package let pass: Pass
    /// The hash under which its credential is stored.
    let secret: Digest?

    package init(_ caller: ControlCaller, userID: UInt32?) {
        self.userID = userID
        owner = caller.owner
        isAdministrator = caller == .administrator
        credential = nil
        pass = caller.pass
        secret = nil
    }

    package init(_ credential: DeviceCredential) {
        owner = credential.owner
        isAdministrator = false
        self.credential = credential.row
        userID = nil
        pass = .credential(credential.row)
        secret = credential.secret
    }

    package func mayUse(_ owner: String) -> Bool { isAdministrator || owner == self.owner }
}

extension ServiceState {
    /// Why a client that was admitted before is refused now, or nil. Any thread may call it.
    func objection(to caller: APICaller) -> APIRefusal? {
        if let secret = caller.secret {
            return index.credential(secret) == nil ? .unauthorized : nil
        }
        return admission.admit(caller.pass) ? nil : .notAllowed
    }
}

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

    /// The caller whose own things belong to this owner; nil for an owner who has no account here.
    init?(owner: String) {
        if owner == Owner.administrator {
            self = .administrator
        } else if owner.hasPrefix(Self.prefix),
            let user = UInt32(owner.dropFirst(Self.prefix.count))
        {
            self = .user(user)
        } else {
            return nil
        }
    }

    private static let prefix = "uid:"

    /// The owner of new things unless the request names another.
    package var owner: String {
        switch self {
        case .administrator: Owner.administrator
        case .user(let number): "\(Self.prefix)\(number)"
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
