import CLinux

/// What a watch waits for. With no interest it reports a broken connection, once.
package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let readable = Interest(rawValue: 1)
    package static let writable = Interest(rawValue: 2)

    /// This is cheaper than set operations, and it is used at every event.
    package init(readable: Bool, writable: Bool) {
        rawValue = (readable ? 1 : 0) | (writable ? 2 : 0)
    }

    package var isReadable: Bool { rawValue & 1 != 0 }

    /// Wakes only one of several loops that watch the same listening socket. It cannot be changed
    /// later.
    static let exclusive = Interest(rawValue: 4)

    /// A half-closed peer is reported only to readers, and a broken connection once if there is no
    /// interest; otherwise both would be reported without end.
    var mask: UInt32 {
        if contains(.exclusive) { return clinux_readable | clinux_exclusive }
        if isEmpty { return clinux_once }
        return (contains(.readable) ? clinux_readable | clinux_peer_closed : 0)
            | (contains(.writable) ? clinux_writable : 0)
    }
}

/// What the kernel reports for a descriptor.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let readable = Readiness(rawValue: clinux_readable)
    package static let writable = Readiness(rawValue: clinux_writable)
    /// The peer sends no more; it may still read.
    package static let peerClosed = Readiness(rawValue: clinux_peer_closed)
    package static let hangUp = Readiness(rawValue: clinux_hang_up)
    package static let error = Readiness(rawValue: clinux_error)

    package var isReadable: Bool { rawValue & clinux_readable != 0 }
    package var isWritable: Bool { rawValue & clinux_writable != 0 }

    /// A broken connection counts as readable and writable, as far as that was asked for: the next
    /// call then returns the error, and handlers need not check `hangUp` and `error`.
    init(mask: UInt32, interest: Interest) {
        self.init(rawValue: mask)
        guard mask & (clinux_hang_up | clinux_error) != 0 else { return }
        if interest.contains(.readable) { insert(.readable) }
        if interest.contains(.writable) { insert(.writable) }
    }
}
