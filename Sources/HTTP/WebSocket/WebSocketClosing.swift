/// The closing handshake (RFC 6455 section 7): each side sends one close frame, then the server
/// ends the connection and the client waits for that.
struct WebSocketClosing: Sendable {
    enum State: Equatable, Sendable {
        case open
        /// We have sent our close frame and wait for the peer's.
        case asked(until: Duration)
        /// Nothing more is read or written; a client still waits for the server to end the
        /// connection.
        case finished(until: Duration)
    }

    private(set) var state = State.open

    /// Whether we may still send: nothing may follow a close frame (section 5.5.1).
    var isOpen: Bool { state == .open }

    var isFinished: Bool { if case .finished = state { true } else { false } }

    /// When to stop waiting and cut the connection.
    var deadline: Duration? {
        switch state {
        case .open: nil
        case .asked(let until), .finished(let until): until
        }
    }

    /// We want to close. Returns whether to send a close frame.
    mutating func ask(until deadline: Duration) -> Bool {
        guard isOpen else { return false }
        state = .asked(until: deadline)
        return true
    }

    /// The peer's close frame came, or it broke the protocol. Returns whether to send ours.
    mutating func finish(until deadline: Duration) -> Bool {
        defer { state = .finished(until: deadline) }
        return isOpen
    }
}
