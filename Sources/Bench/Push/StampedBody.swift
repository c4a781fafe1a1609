import Base

/// A body that looks encrypted and says in its first bytes which message it is and when it left.
struct StampedBody {
    struct Stamp {
        let number: UInt32
        let time: Int
    }

    private static let mark: UInt32 = 0x3157_4C42
    /// Mark, number and time, where the salt of an encrypted body stands.
    static let stampLength = 16
    /// Salt, record size, and a key of 65 bytes with its length (RFC 8188 section 2.1).
    private static let headerLength = 16 + 4 + 1 + 65
    private static let encodedLength = 24

    private(set) var bytes: [UInt8]

    init(length: Int) {
        bytes = (0..<max(length, Self.headerLength)).map { UInt8(truncatingIfNeeded: $0 &* 167) }
        for (index, byte) in [0, 0, 16, 0, 65, 4].enumerated() { bytes[16 + index] = UInt8(byte) }
    }

    mutating func stamp(_ number: Int, at time: Int) {
        bytes.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: Self.mark, as: UInt32.self)
            bytes.storeBytes(of: UInt32(number), toByteOffset: 4, as: UInt32.self)
            bytes.storeBytes(of: Int64(time), toByteOffset: 8, as: Int64.self)
        }
    }

    /// The stamp of a body that begins there; nil if none does.
    static func stamp(of message: Span<UInt8>, at start: Int) -> Stamp? {
        guard start >= 0, message.count - start >= stampLength else { return nil }
        return message.withUnsafeBytes { bytes in
            let mark = bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)
            guard mark == Self.mark else { return nil }
            return Stamp(
                number: bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self),
                time: Int(bytes.loadUnaligned(fromByteOffset: start + 8, as: Int64.self)))
        }
    }

    /// The same of a body in base64url.
    static func stamp(ofEncoded message: Span<UInt8>, at start: Int) -> Stamp? {
        guard start >= 0, message.count - start >= encodedLength,
            let bytes = Base64URL.decode(message.extracting(start..<start + encodedLength))
        else { return nil }
        return stamp(of: bytes.span, at: 0)
    }
}

extension Span<UInt8> {
    /// Where the bytes behind the first `text` begin; nil if it is not there.
    func end(of text: StaticString, from start: Int = 0) -> Int? {
        let length = text.utf8CodeUnitCount
        let pattern = UnsafeBufferPointer(start: text.utf8Start, count: length)
        return withUnsafeBufferPointer { bytes in
            var index = start
            while index + length <= bytes.count {
                var matched = 0
                while matched < length, bytes[index + matched] == pattern[matched] { matched += 1 }
                if matched == length { return index + length }
                index += 1
            }
            return nil
        }
    }
}
