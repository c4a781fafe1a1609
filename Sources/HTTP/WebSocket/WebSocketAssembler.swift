/// Assembles messages from pieces of frames (RFC 6455 section 5.4).
///
/// Its memory grows with the bytes received, never with the length that a header announces.
struct WebSocketAssembler: Sendable {
    private let limit: Int
    /// The opcode of the current message; nil between messages.
    private var opcode: WebSocketOpcode?
    private var gathered: [UInt8] = []
    private var text = UTF8Validator()

    init(limit: Int) { self.limit = limit }

    /// Begins a data frame, before its payload.
    @inline(__always)
    mutating func begin(_ header: WebSocketFrameHeader) throws(WebSocketFailure) {
        if header.opcode == .continuation {
            guard opcode != nil else { throw .unexpectedContinuation }
        } else {
            guard opcode == nil else { throw .interruptedMessage }
            opcode = header.opcode
        }
        guard header.payloadLength <= limit - gathered.count else { throw .messageTooBig }
    }

    /// Adds the next unmasked piece; returns the message if `endsMessage`.
    @inline(__always)
    mutating func add(
        _ range: Range<Int>, of bytes: Span<UInt8>, endsMessage: Bool
    ) throws(WebSocketFailure) -> WebSocketEvent? {
        let isText = opcode == .text
        if isText {
            guard text.check(bytes.extracting(range)), text.isAtBoundary || !endsMessage else {
                throw .textEncoding
            }
        }
        guard endsMessage else {
            gather(range, of: bytes)
            return nil
        }
        opcode = nil
        guard !gathered.isEmpty else {
            return isText ? .text(.inPlace(range)) : .binary(.inPlace(range))
        }
        gather(range, of: bytes)
        let message = gathered
        gathered = []
        return isText ? .text(.gathered(message)) : .binary(.gathered(message))
    }

    private mutating func gather(_ range: Range<Int>, of bytes: Span<UInt8>) {
        gathered.append(contentsOf: bytes.extracting(range))
    }
}
