package import Configuration

/// Whom the configuration lets in; a reload may change it.
package struct Doors: Equatable, Sendable {
    package let registration: RegistrationMode
    /// Users of this machine who are not administrators may add devices through the control socket.
    package let allowsLocalUsers: Bool

    package init(registration: RegistrationMode, allowsLocalUsers: Bool) {
        self.registration = registration
        self.allowsLocalUsers = allowsLocalUsers
    }

    /// Whether a session with this pass may stay.
    package func admit(_ pass: Pass) -> Bool {
        switch pass {
        case .open: registration == .open
        case .localUser: allowsLocalUsers
        case .credential, .administrator: true
        }
    }
}
