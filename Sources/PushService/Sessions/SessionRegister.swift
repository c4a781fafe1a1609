package import Configuration
import System

/// The sessions of one loop, whatever protocol they speak, each with its pass.
///
/// Only its loop uses it, except for `end`.
// Unchecked: it is used only on the loop's thread.
package final class SessionRegister: @unchecked Sendable {
    let loop: EventLoop
    private let presence: DevicePresence
    @exclusivity(unchecked) private var sessions: [Pass: [ObjectIdentifier: any PassHolder]] = [:]

    init(on loop: EventLoop, _ presence: DevicePresence) {
        self.loop = loop
        self.presence = presence
    }

    /// Call this in the same loop turn as the check of the pass, so that a later `end` finds it.
    package func enter(_ session: any PassHolder, with pass: Pass) {
        sessions[pass, default: [:]][ObjectIdentifier(session)] = session
        if case .credential(let credential) = pass { presence.came(credential) }
    }

    /// Does nothing for a session that has left.
    package func leave(_ session: any PassHolder, with pass: Pass) {
        guard sessions[pass]?.removeValue(forKey: ObjectIdentifier(session)) != nil else { return }
        if sessions[pass]?.isEmpty == true { sessions[pass] = nil }
        if case .credential(let credential) = pass { presence.left(credential) }
    }

    /// The sessions of one kind.
    func all<Session: PassHolder>(_ kind: Session.Type) -> [Session] {
        sessions.values.flatMap { $0.values.compactMap { $0 as? Session } }
    }

    /// Ends all sessions whose pass is over. Any thread may call it.
    func end(where isOver: @escaping @Sendable (Pass) -> Bool) {
        loop.post {
            for pass in self.sessions.keys.filter(isOver) {
                let ended = self.sessions.removeValue(forKey: pass) ?? [:]
                if case .credential(let credential) = pass {
                    self.presence.forget([credential])
                }
                for session in ended.values { session.passEnded() }
            }
        }
    }

    /// Call this after the loop has ended, when no other thread uses the register.
    func forgetAll() { sessions = [:] }
}

/// Why a session was let in.
package enum Pass: Hashable, Sendable {
    /// Registration is open to everybody.
    case open
    /// The credential of a device, by its row.
    case credential(UInt32)
    /// A user of this machine, by the control socket.
    case localUser(UInt32)
    /// An administrator, by the control socket.
    case administrator

    /// The row of the device's credential.
    var credential: UInt32? {
        if case .credential(let row) = self { row } else { nil }
    }
}

/// A long-lived connection that ends when its pass ends.
package protocol PassHolder: AnyObject {
    /// Must end the session at once: nothing more is read from it.
    func passEnded()
}

/// Whom the configuration lets in; a reload may change it.
package struct AdmissionRules: Equatable, Sendable {
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
