/// By what right a session is here.
package enum Pass: Hashable, Sendable {
    /// Registration is open to whoever comes.
    case open
    /// The credential of a device, by its row.
    case credential(UInt32)
    /// A user of this machine, by the control socket.
    case localUser(UInt32)
    /// By the control socket, too.
    case administrator
}

/// What is connected for longer than a request, and goes when its pass ends.
package protocol PassHolder: AnyObject {
    /// At once: nothing more is taken from it.
    func passEnded()
}
