/// Writes frames behind what an output buffer already holds (RFC 6455 section 5.2).
package struct WebSocketEncoder: Sendable {
    /// A fresh, unpredictable masking key for each frame of a client (section 5.3).
    package typealias MaskingKeys = @Sendable () -> UInt32

    private let maskingKeys: MaskingKeys?

    var isMasking: Bool { maskingKeys != nil }

    /// Frames of a server.
    package init() { maskingKeys = nil }

    /// Frames of a client.
    package init(maskingKeys: @escaping MaskingKeys) { self.maskingKeys = maskingKeys }

    package func append(
        _ opcode: WebSocketOpcode, _ payload: Span<UInt8>, isFinal: Bool = true,
        to output: inout [UInt8]
    ) {
        precondition(!opcode.isControl || (isFinal && payload.count <= 125), "long control frame")
        let key = maskingKeys?()
        output.append(addingCapacity: WebSocketFrameHeader.lengthLimit + payload.count) { output in
            output.append(opcode.rawValue | (isFinal ? 0x80 : 0))
            Self.append(length: payload.count, maskBit: key == nil ? 0 : 0x80, to: &output)
            if let key { Self.append(key.byteSwapped, to: &output) }
            output.withUnsafeMutableBufferPointer { bytes, count in
                payload.withUnsafeBufferPointer { payload in
                    _ = bytes.extracting(count...).update(fromContentsOf: payload)
                }
                count += payload.count
            }
            guard let key else { return }
            var mask = WebSocketMask(key: key)
            var bytes = output.mutableSpan
            mask.apply(to: &bytes, in: bytes.count - payload.count..<bytes.count)
        }
    }

    /// One message in frames of at most `frameLength` bytes.
    package func append(
        _ opcode: WebSocketOpcode, _ payload: Span<UInt8>, inFramesOf frameLength: Int,
        to output: inout [UInt8]
    ) {
        precondition(frameLength > 0 && !opcode.isControl)
        var start = 0
        repeat {
            let end = min(start + frameLength, payload.count)
            append(
                start == 0 ? opcode : .continuation, payload.extracting(start..<end),
                isFinal: end == payload.count, to: &output)
            start = end
        } while start < payload.count
    }

    package func append(_ close: WebSocketClose, to output: inout [UInt8]) {
        let payload = close.payload
        append(.close, payload.span, to: &output)
    }

    private static func append(length: Int, maskBit: UInt8, to output: inout OutputSpan<UInt8>) {
        switch length {
        case ...125:
            output.append(maskBit | UInt8(length))
        case ...0xFFFF:
            output.append(maskBit | 126)
            append(UInt16(length), to: &output)
        default:
            output.append(maskBit | 127)
            append(UInt64(length), to: &output)
        }
    }

    /// First byte highest.
    private static func append<Value: FixedWidthInteger>(
        _ value: Value, to output: inout OutputSpan<UInt8>
    ) {
        for shift in stride(from: Value.bitWidth - 8, through: 0, by: -8) {
            output.append(UInt8(truncatingIfNeeded: value >> Value(shift)))
        }
    }
}
