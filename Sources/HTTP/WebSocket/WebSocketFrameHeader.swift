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
