/// Reads frames from bytes that come in pieces of any size (RFC 6455 section 5).
///
/// It does no I/O: the caller owns the buffer, which is unmasked in place and may be reused once
/// `next` has returned nil. Partial headers, control frames and messages are kept here between two
/// buffers.
package struct WebSocketDecoder: Sendable {
    private let role: WebSocketRole
    private var partialHeader = InlineArray<14, UInt8>(repeating: 0)
    private var partialLength: UInt8 = 0
    private var frame: Frame?
    private var assembler: WebSocketAssembler
    private var control: [UInt8] = []
    private var failure: WebSocketFailure?

    /// A message over `messageLimit` bytes is refused as soon as a header announces it.
    package init(role: WebSocketRole, messageLimit: Int) {
        self.role = role
        assembler = WebSocketAssembler(limit: messageLimit)
    }

    /// Returns the next event at `position` and advances it; nil when all bytes are used up. After
    /// the first failure every call throws it again.
    package mutating func next(
        in bytes: inout MutableSpan<UInt8>, at position: inout Int
    ) throws(WebSocketFailure) -> WebSocketEvent? {
        if let failure { throw failure }
        do throws(WebSocketFailure) {
            while let frame = try currentFrame(bytes.span, &position) {
                if let event = try readPayload(of: frame, &bytes, &position) { return event }
                guard position < bytes.count else { return nil }
            }
            return nil
        } catch {
            failure = error
            throw error
        }
    }
}

extension WebSocketDecoder {
    private struct Frame: Sendable {
        let opcode: WebSocketOpcode
        let isFinal: Bool
        var missing: Int
        var mask: WebSocketMask
    }

    /// The current frame, or the one whose complete header is here.
    @inline(__always)
    private mutating func currentFrame(
        _ bytes: Span<UInt8>, _ position: inout Int
    ) throws(WebSocketFailure) -> Frame? {
        if let frame { return frame }
        guard let header = try readHeader(bytes, &position) else { return nil }
        if !header.opcode.isControl { try assembler.begin(header) }
        return Frame(
            opcode: header.opcode, isFinal: header.isFinal, missing: header.payloadLength,
            mask: WebSocketMask(key: header.maskingKey))
    }

    @inline(__always)
    private mutating func readHeader(
        _ bytes: Span<UInt8>, _ position: inout Int
    ) throws(WebSocketFailure) -> WebSocketFrameHeader? {
        if partialLength == 0,
            let header = try WebSocketFrameHeader.parse(bytes, from: position, for: role)
        {
            position += header.length
            return header
        }
        return try readPartialHeader(bytes, &position)
    }

    @inline(never)
    private mutating func readPartialHeader(
        _ bytes: Span<UInt8>, _ position: inout Int
    ) throws(WebSocketFailure) -> WebSocketFrameHeader? {
        while position < bytes.count {
            partialHeader[Int(partialLength)] = bytes[position]
            partialLength += 1
            position += 1
            let known = partialHeader.span.extracting(0..<Int(partialLength))
            if let header = try WebSocketFrameHeader.parse(known, from: 0, for: role) {
                partialLength = 0
                return header
            }
        }
        return nil
    }

    /// Reads as much of the frame's payload as there is; returns an event if that completes one.
    @inline(__always)
    private mutating func readPayload(
        of begun: Frame, _ bytes: inout MutableSpan<UInt8>, _ position: inout Int
    ) throws(WebSocketFailure) -> WebSocketEvent? {
        var rest = begun
        let range = position..<position + min(rest.missing, bytes.count - position)
        position = range.upperBound
        rest.missing -= range.count
        if role == .server { rest.mask.apply(to: &bytes, in: range) }
        let isComplete = rest.missing == 0
        frame = isComplete ? nil : rest
        guard rest.opcode.isControl else {
            return try assembler.add(
                range, of: bytes.span, endsMessage: isComplete && rest.isFinal)
        }
        return try readControl(rest, range, of: bytes.span)
    }

    @inline(never)
    private mutating func readControl(
        _ frame: Frame, _ range: Range<Int>, of bytes: Span<UInt8>
    ) throws(WebSocketFailure) -> WebSocketEvent? {
        var payload = WebSocketPayload.inPlace(range)
        if frame.missing > 0 || !control.isEmpty {
            for index in range { control.append(bytes[index]) }
            guard frame.missing == 0 else { return nil }
            payload = .gathered(control)
            control = []
        }
        switch frame.opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong(payload)
        default:
            return try payload.withSpan(in: bytes) { payload throws(WebSocketFailure) in
                .close(try WebSocketClose(payload: payload))
            }
        }
    }
}

package enum WebSocketEvent: Equatable, Sendable {
    case text(WebSocketPayload)
    case binary(WebSocketPayload)
    case ping(WebSocketPayload)
    case pong(WebSocketPayload)
    case close(WebSocketClose)
}

/// The bytes of a message: in the caller's buffer, or collected from several pieces.
package enum WebSocketPayload: Equatable, Sendable {
    case inPlace(Range<Int>)
    case gathered([UInt8])

    /// `buffer` is the one that was decoded, before it is reused.
    package func withSpan<Result: ~Copyable, Failure>(
        in buffer: Span<UInt8>, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch self {
        case .inPlace(let range): try body(buffer.extracting(range))
        case .gathered(let bytes): try body(bytes.span)
        }
    }
}
