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
