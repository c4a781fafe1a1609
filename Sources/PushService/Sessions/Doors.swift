package import Configuration

/// What the configuration says of who may come in; a reload may change it.
package struct Doors: Equatable, Sendable {
    package let registration: RegistrationMode
    /// Users of this machine who do not administer may have devices, by the control socket.
    package let allowsLocalUsers: Bool

    package init(registration: RegistrationMode, allowsLocalUsers: Bool) {
        self.registration = registration
        self.allowsLocalUsers = allowsLocalUsers
    }

    /// Whether a pass that was good once is so still.
    package func admit(_ pass: Pass) -> Bool {
        switch pass {
        case .open: registration == .open
        case .localUser: allowsLocalUsers
        case .credential, .administrator: true
        }
    }
}
