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
