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

/// Checks UTF-8 that comes in pieces. It fails at the first invalid byte (RFC 3629 section 4:
/// shortest form, no surrogates, at most U+10FFFF).
struct UTF8Validator: Sendable {
    /// How many continuation bytes the current character still needs, and the range of the next
    /// one.
    private var missing = 0
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Whether the text may end here.
    var isAtBoundary: Bool { missing == 0 }

    mutating func check(_ bytes: Span<UInt8>) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                index = Self.endOfASCII(bytes, from: index)
                guard index < bytes.count else { return true }
                guard begin(bytes[index]) else { return false }
            } else {
                let byte = bytes[index]
                guard byte >= lowest, byte <= highest else { return false }
                missing -= 1
                (lowest, highest) = (0x80, 0xBF)
            }
            index += 1
        }
        return true
    }

    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lowest) = (2, 0xA0)
        case 0xED: (missing, highest) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lowest) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, highest) = (3, 0x8F)
        default: return false
        }
        return true
    }

    /// Checks eight bytes at a time, or four times eight.
    private static func endOfASCII(_ bytes: Span<UInt8>, from start: Int) -> Int {
        bytes.withUnsafeBytes { bytes in
            var index = start
            while index + 32 <= bytes.count {
                let bits =
                    word(bytes, index) | word(bytes, index + 8) | word(bytes, index + 16)
                    | word(bytes, index + 24)
                guard bits & highBits == 0 else { break }
                index += 32
            }
            while index + 8 <= bytes.count, word(bytes, index) & highBits == 0 { index += 8 }
            while index < bytes.count, bytes[index] < 0x80 { index += 1 }
            return index
        }
    }

    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The caller guarantees that eight bytes follow.
    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
    }
}
