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
