/// The content of a close frame (RFC 6455 section 5.5.1).
package struct WebSocketClose: Equatable, Sendable {
    /// Nil if the frame was empty.
    package let code: WebSocketCloseCode?
    package let reason: String

    /// A control frame holds 125 bytes, two of them the code.
    package static let reasonLimit = 123

    package init(code: WebSocketCloseCode?, reason: String = "") {
        self.code = code
        self.reason = reason
    }

    init(payload: Span<UInt8>) throws(WebSocketFailure) {
        guard !payload.isEmpty else {
            self.init(code: nil)
            return
        }
        guard payload.count >= 2 else { throw .shortClose }
        let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.isAllowedInFrame else { throw .closeCode(code.rawValue) }
        let text = payload.extracting(2..<payload.count)
        var validator = UTF8Validator()
        guard validator.check(text), validator.isAtBoundary else { throw .reasonEncoding }
        let reason = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        self.init(code: code, reason: reason)
    }

    /// A longer reason is cut between characters; a reason without a code is left out.
    var payload: [UInt8] {
        guard let code else { return [] }
        var bytes = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
        for scalar in reason.unicodeScalars {
            let utf8 = scalar.utf8
            guard bytes.count + utf8.count <= Self.reasonLimit + 2 else { break }
            bytes.append(contentsOf: utf8)
        }
        return bytes
    }
}

/// Why a connection is closed (RFC 6455 section 7.4 and IANA's register).
package struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let normal = Self(rawValue: 1000)
    package static let goingAway = Self(rawValue: 1001)
    package static let protocolError = Self(rawValue: 1002)
    /// A kind of data that the application does not accept.
    package static let unacceptable = Self(rawValue: 1003)
    package static let invalidPayload = Self(rawValue: 1007)
    package static let messageTooBig = Self(rawValue: 1009)

    /// Whether the code may be in a close frame. 1004 is reserved; 1005, 1006 and 1015 exist only
    /// inside programs; 1016 to 2999 are reserved for later standards.
    package var isAllowedInFrame: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

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

/// How the peer broke RFC 6455. The connection is failed with `code` (section 7.1.7).
package enum WebSocketFailure: Error, Equatable, Sendable {
    case reservedBits
    case reservedOpcode
    case fragmentedControl
    case longControl
    case maskedByServer
    case unmaskedByClient
    /// A length in more bytes than it needs (section 5.2: "the minimal number of bytes").
    case longLengthForm
    case lengthTopBit
    case unexpectedContinuation
    /// A new message began before the last one had ended.
    case interruptedMessage
    case shortClose
    case closeCode(UInt16)
    case textEncoding
    case reasonEncoding
    case messageTooBig

    /// The close code for the peer.
    package var code: WebSocketCloseCode {
        switch self {
        case .textEncoding, .reasonEncoding: .invalidPayload
        case .messageTooBig: .messageTooBig
        case .reservedBits, .reservedOpcode, .fragmentedControl, .longControl, .maskedByServer,
            .unmaskedByClient, .longLengthForm, .lengthTopBit, .unexpectedContinuation,
            .interruptedMessage, .shortClose, .closeCode:
            .protocolError
        }
    }

    /// The name in tests and metrics.
    package var word: String {
        switch self {
        case .reservedBits: "reserved-bits"
        case .reservedOpcode: "reserved-opcode"
        case .fragmentedControl: "fragmented-control"
        case .longControl: "long-control"
        case .maskedByServer: "masked-by-server"
        case .unmaskedByClient: "unmasked-by-client"
        case .longLengthForm: "long-length-form"
        case .lengthTopBit: "length-top-bit"
        case .unexpectedContinuation: "unexpected-continuation"
        case .interruptedMessage: "interrupted-message"
        case .shortClose: "short-close"
        case .closeCode: "close-code"
        case .textEncoding: "text-encoding"
        case .reasonEncoding: "reason-encoding"
        case .messageTooBig: "message-too-big"
        }
    }
}
