/// The closing handshake (RFC 6455 section 7): each side sends one close frame, then the server ends
/// the connection and the client waits for that.
struct WebSocketClosing: Sendable {
    enum State: Equatable, Sendable {
        case open
        /// Our close frame is out, the peer's is not in.
        case asked(until: Duration)
        /// Nothing more is read or written; a client still waits for the server's end.
        case finished(until: Duration)
    }

    private(set) var state = State.open

    /// Whether we may still send; after a close frame no other may follow (section 5.5.1).
    var isOpen: Bool { state == .open }

    var isFinished: Bool { if case .finished = state { true } else { false } }

    /// When waiting ends and the connection is cut.
    var deadline: Duration? {
        switch state {
        case .open: nil
        case .asked(let until), .finished(let until): until
        }
    }

    /// We want to close. Answers whether a close frame is to be sent.
    mutating func ask(until deadline: Duration) -> Bool {
        guard isOpen else { return false }
        state = .asked(until: deadline)
        return true
    }

    /// The peer's close frame came, or it broke the protocol. Answers whether ours is to be sent.
    mutating func finish(until deadline: Duration) -> Bool {
        defer { state = .finished(until: deadline) }
        return isOpen
    }
}
