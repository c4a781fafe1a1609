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
