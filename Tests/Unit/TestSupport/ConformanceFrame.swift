/// A WebSocket frame that a test writes or reads; it need not be valid.
package struct ConformanceFrame: Equatable, Sendable {
    package enum LengthForm: Equatable, Sendable {
        case shortest
        case twoBytes
        case eightBytes
        /// Announces another length than the payload has.
        case claiming(UInt64)
    }

    package var opcode: UInt8
    package var payload: [UInt8]
    package var isFinal = true
    /// RSV1 to RSV3 as a number from 0 to 7.
    package var reserved: UInt8 = 0
    package var lengthForm = LengthForm.shortest
    /// Masked where it must not be, or the reverse.
    package var hasWrongMasking = false

    package init(_ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true) {
        self.opcode = opcode
        self.payload = payload
        self.isFinal = isFinal
    }

    package static func text(_ payload: String, isFinal: Bool = true) -> Self {
        Self(1, Array(payload.utf8), isFinal: isFinal)
    }
    package static func binary(_ payload: [UInt8], isFinal: Bool = true) -> Self {
        Self(2, payload, isFinal: isFinal)
    }
    package static func more(_ payload: String, isFinal: Bool = false) -> Self {
        Self(0, Array(payload.utf8), isFinal: isFinal)
    }
    package static func ping(_ payload: String) -> Self { Self(9, Array(payload.utf8)) }
    package static func pong(_ payload: String) -> Self { Self(10, Array(payload.utf8)) }
    package static func close(_ code: UInt16?, _ reason: [UInt8] = []) -> Self {
        Self(8, (code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []) + reason)
    }

    package func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}

extension ConformanceFrame {
    private static let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    /// The bytes on the wire, from a client (`masked`) or a server.
    package func bytes(masked: Bool) -> [UInt8] {
        let masked = masked != hasWrongMasking
        var bytes = [opcode | reserved << 4 | (isFinal ? 0x80 : 0)]
        let bit: UInt8 = masked ? 0x80 : 0
        let length = UInt64(payload.count)
        switch lengthForm {
        case .shortest where length < 126: bytes.append(bit | UInt8(length))
        case .shortest where length < 0x1_0000, .twoBytes:
            bytes.append(bit | 126)
            bytes += [UInt8(length >> 8), UInt8(length & 0xFF)]
        case .claiming(let claim):
            bytes.append(bit | 127)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: claim >> (56 - 8 * UInt64($0))) }
        case .shortest, .eightBytes:
            bytes.append(bit | 127)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * UInt64($0))) }
        }
        guard masked else { return bytes + payload }
        bytes += Self.key
        for index in payload.indices { bytes.append(payload[index] ^ Self.key[index & 3]) }
        return bytes
    }

    /// Removes one complete frame from the front of `bytes`; nil if there is none.
    package static func take(from bytes: inout ArraySlice<UInt8>) -> (frame: Self, masked: Bool)? {
        guard bytes.count >= 2 else { return nil }
        let first = bytes[bytes.startIndex]
        let second = bytes[bytes.startIndex + 1]
        var rest = bytes.dropFirst(2)
        var length = Int(second & 0x7F)
        if length > 125 {
            let size = length == 126 ? 2 : 8
            guard rest.count >= size else { return nil }
            length = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(size)
        }
        let masked = second & 0x80 != 0
        let key = Array(masked ? rest.prefix(4) : [0, 0, 0, 0])
        if masked { rest = rest.dropFirst(4) }
        guard key.count == 4, rest.count >= length else { return nil }
        var payload = Array(rest.prefix(length))
        if masked { for index in payload.indices { payload[index] ^= key[index & 3] } }
        bytes = rest.dropFirst(length)
        var frame = Self(first & 0x0F, payload, isFinal: first & 0x80 != 0)
        frame.reserved = first >> 4 & 7
        return (frame, masked)
    }
}
