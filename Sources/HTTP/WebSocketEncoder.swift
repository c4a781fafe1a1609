/// Writes frames behind what an output buffer already holds (RFC 6455 section 5.2).
package struct WebSocketEncoder: Sendable {
    /// A fresh, unpredictable masking key for each frame of a client (section 5.3).
    package typealias MaskingKeys = @Sendable () -> UInt32

    private let maskingKeys: MaskingKeys?

    /// Frames of a server.
    package init() { maskingKeys = nil }

    /// Frames of a client.
    package init(maskingKeys: @escaping MaskingKeys) { self.maskingKeys = maskingKeys }

    package func append(
        _ opcode: WebSocketOpcode, _ payload: Span<UInt8>, isFinal: Bool = true,
        to output: inout [UInt8]
    ) {
        precondition(!opcode.isControl || (isFinal && payload.count <= 125), "long control frame")
        output.append(opcode.rawValue | (isFinal ? 0x80 : 0))
        appendLength(payload.count, to: &output)
        let key = maskingKeys?()
        if let key { Self.append(key.littleEndian, to: &output) }
        let start = output.count
        payload.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        guard let key else { return }
        var mask = WebSocketMask(key: key)
        var span = output.mutableSpan
        mask.apply(to: &span, in: start..<start + payload.count)
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

    private func appendLength(_ length: Int, to output: inout [UInt8]) {
        let maskBit: UInt8 = maskingKeys == nil ? 0 : 0x80
        switch length {
        case ...125:
            output.append(maskBit | UInt8(length))
        case ...0xFFFF:
            output.append(maskBit | 126)
            Self.append(UInt16(length).bigEndian, to: &output)
        default:
            output.append(maskBit | 127)
            Self.append(UInt64(length).bigEndian, to: &output)
        }
    }

    private static func append(_ value: some FixedWidthInteger, to output: inout [UInt8]) {
        withUnsafeBytes(of: value) { output.append(contentsOf: $0) }
    }
}
