/// The header of a frame, checked in the order of its bytes (RFC 6455 section 5.2).
struct WebSocketFrameHeader: Equatable, Sendable {
    let opcode: WebSocketOpcode
    let isFinal: Bool
    let payloadLength: Int
    /// First byte lowest, as in memory; zero for unmasked frames.
    let maskingKey: UInt32
    /// The length of the header itself.
    let length: Int

    /// Reads the header at `start`; nil if it is incomplete.
    @inline(__always)
    static func parse(
        _ bytes: Span<UInt8>, from start: Int, for role: WebSocketRole
    ) throws(WebSocketFailure) -> Self? {
        guard start < bytes.count else { return nil }
        let first = bytes[start]
        guard first & 0x70 == 0 else { throw .reservedBits }
        guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else { throw .reservedOpcode }
        let isFinal = first & 0x80 != 0
        guard isFinal || !opcode.isControl else { throw .fragmentedControl }

        guard start + 1 < bytes.count else { return nil }
        let second = bytes[start + 1]
        switch role {
        case .server: guard second & 0x80 != 0 else { throw .unmaskedByClient }
        case .client: guard second & 0x80 == 0 else { throw .maskedByServer }
        }
        let short = Int(second & 0x7F)
        guard short <= 125 || !opcode.isControl else { throw .longControl }

        let keyStart = start + 2 + (short < 126 ? 0 : short == 126 ? 2 : 8)
        let end = keyStart + (role == .server ? 4 : 0)
        guard keyStart <= bytes.count else { return nil }
        let payloadLength = short < 126 ? short : try long(bytes, start + 2..<keyStart)
        guard end <= bytes.count else { return nil }
        let maskingKey =
            role == .client
            ? 0 : bytes.bytes.unsafeLoadUnaligned(fromByteOffset: keyStart, as: UInt32.self)
        return Self(
            opcode: opcode, isFinal: isFinal, payloadLength: payloadLength,
            maskingKey: UInt32(littleEndian: maskingKey), length: end - start)
    }

    private static func long(
        _ bytes: Span<UInt8>, _ range: Range<Int>
    ) throws(WebSocketFailure) -> Int {
        var value: UInt64 = 0
        for index in range { value = value << 8 | UInt64(bytes[index]) }
        guard let length = Int(exactly: value) else { throw .lengthTopBit }
        guard length > (range.count == 2 ? 125 : 0xFFFF) else { throw .longLengthForm }
        return length
    }
}

/// The kind of a frame (RFC 6455 section 5.2); all other values are reserved.
package enum WebSocketOpcode: UInt8, Sendable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    package var isControl: Bool { rawValue & 0x8 != 0 }
}

package enum WebSocketRole: Sendable, CaseIterable {
    case server
    case client
}

/// The client's masking (RFC 6455 section 5.3) of a payload that may come in pieces.
struct WebSocketMask: Sendable {
    /// The lowest byte is for the next byte of the payload.
    private var key: UInt32

    init(key: UInt32) { self.key = key }

    /// Masks or unmasks in place, eight bytes at a time.
    @inline(__always)
    mutating func apply(to bytes: inout MutableSpan<UInt8>, in range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        let word = UInt64(littleEndian: UInt64(key) << 32 | UInt64(key))
        let key = key
        bytes.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            var position = base + range.lowerBound
            let end = base + range.upperBound
            while end - position >= 8 {
                let masked = position.loadUnaligned(as: UInt64.self) ^ word
                position.storeBytes(of: masked, as: UInt64.self)
                position += 8
            }
            var rest = key
            while position < end {
                let masked = position.load(as: UInt8.self) ^ UInt8(truncatingIfNeeded: rest)
                position.storeBytes(of: masked, as: UInt8.self)
                rest = rest >> 8 | rest << 24
                position += 1
            }
        }
        let shift = UInt32(range.count & 3) * 8
        self.key = key &>> shift | key &<< (32 &- shift)
    }
}

/// Appends frames to an output buffer (RFC 6455 section 5.2).
package struct WebSocketEncoder: Sendable {
    /// Returns a new, unpredictable masking key for each frame of a client (section 5.3).
    package typealias MaskingKeys = @Sendable () -> UInt32

    private let maskingKeys: MaskingKeys?

    var isMasking: Bool { maskingKeys != nil }

    /// An encoder for the frames of a server.
    package init() { maskingKeys = nil }

    /// An encoder for the frames of a client.
    package init(maskingKeys: @escaping MaskingKeys) { self.maskingKeys = maskingKeys }

    package func append(
        _ opcode: WebSocketOpcode, _ payload: Span<UInt8>, isFinal: Bool = true,
        to output: inout [UInt8]
    ) {
        append(opcode, isFinal: isFinal, expecting: payload.count, to: &output) { output in
            output.append(contentsOf: payload)
        }
    }

    /// Writes a frame whose payload `write` appends in place. `expected` is its approximate length,
    /// for which room for the header is left.
    package func append(
        _ opcode: WebSocketOpcode, isFinal: Bool = true, expecting expected: Int,
        to output: inout [UInt8], _ write: (inout [UInt8]) -> Void
    ) {
        let start = output.count
        let room = headerLength(expected)
        output.append(addingCapacity: room) { header in
            for _ in 0..<room { header.append(0) }
        }
        write(&output)
        let length = output.count - start - room
        precondition(
            !opcode.isControl || (isFinal && length <= 125), "the control frame is too long")
        // The length must be in its shortest form.
        let needed = headerLength(length)
        if needed != room {
            let header = repeatElement(UInt8(0), count: needed)
            output.replaceSubrange(start..<start + room, with: header)
        }
        var frame = output.mutableSpan
        frame[start] = opcode.rawValue | (isFinal ? 0x80 : 0)
        store(length: length, at: start + 1, in: &frame)
        if let key = maskingKeys?() { mask(&frame, from: start + needed, key) }
    }

    package func append(_ close: WebSocketClose, to output: inout [UInt8]) {
        let payload = close.payload
        append(.close, payload.span, to: &output)
    }

    /// The length of the header before a payload of `length` bytes.
    private func headerLength(_ length: Int) -> Int {
        (length <= 125 ? 2 : length <= 0xFFFF ? 4 : 10) + (isMasking ? Self.keyLength : 0)
    }

    private func store(length: Int, at position: Int, in frame: inout MutableSpan<UInt8>) {
        let maskBit: UInt8 = isMasking ? 0x80 : 0
        guard length > 125 else { return frame[position] = maskBit | UInt8(length) }
        let count = length <= 0xFFFF ? 2 : 8
        frame[position] = maskBit | (count == 2 ? 126 : 127)
        for index in 0..<count {
            let shift = 8 * (count - 1 - index)
            frame[position + 1 + index] = UInt8(truncatingIfNeeded: length >> shift)
        }
    }

    /// The payload begins at `start`; the key is right before it.
    private func mask(_ frame: inout MutableSpan<UInt8>, from start: Int, _ key: UInt32) {
        for index in 0..<Self.keyLength {
            frame[start - Self.keyLength + index] = UInt8(truncatingIfNeeded: key >> (8 * index))
        }
        var mask = WebSocketMask(key: key)
        mask.apply(to: &frame, in: start..<frame.count)
    }

    private static let keyLength = 4
}
