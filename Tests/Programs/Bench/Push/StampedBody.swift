import Base

/// A body that looks encrypted and carries in its first bytes its number and the time it was sent.
struct StampedBody {
    struct Stamp {
        let number: Int
        let time: Int
    }

    private static let mark: UInt32 = 0x3157_4C42
    private static let markLength = 4
    /// The number has seven bits in each byte, because nchan sends all messages as text, which has
    /// to be UTF-8.
    private static let numberLength = 5
    private static let timeLength = 9
    static let stampLength = markLength + numberLength + timeLength
    private static let encodedLength = 24
    /// Salt, record size, and a key of 65 bytes with its length (RFC 8188 section 2.1).
    private static let headerLength = 16 + 4 + 1 + 65

    private(set) var bytes: [UInt8]

    init(length: Int) {
        bytes = (0..<max(length, Self.headerLength)).map {
            UInt8(truncatingIfNeeded: $0 * 67 & 127)
        }
    }

    mutating func stamp(_ number: Int, at time: Int) {
        bytes.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: Self.mark, as: UInt32.self)
            Self.write(number, to: bytes[Self.markLength..<Self.markLength + Self.numberLength])
            Self.write(time, to: bytes[Self.stampLength - Self.timeLength..<Self.stampLength])
        }
    }

    /// The stamp of a body that starts there; nil if there is none.
    static func stamp(of message: Span<UInt8>, at start: Int) -> Stamp? {
        guard start >= 0, message.count - start >= stampLength else { return nil }
        return message.withUnsafeBytes { bytes in
            let bytes = UnsafeRawBufferPointer(rebasing: bytes[start..<start + stampLength])
            guard bytes.loadUnaligned(as: UInt32.self) == mark else { return nil }
            return Stamp(
                number: read(bytes[markLength..<markLength + numberLength]),
                time: read(bytes[(stampLength - timeLength)...]))
        }
    }

    /// The same for a body in base64url.
    static func stamp(ofEncoded message: Span<UInt8>, at start: Int) -> Stamp? {
        guard start >= 0, message.count - start >= encodedLength,
            let bytes = Base64URL.decode(message.extracting(start..<start + encodedLength))
        else { return nil }
        return stamp(of: bytes.span, at: 0)
    }

    private static func write(_ value: Int, to bytes: Slice<UnsafeMutableRawBufferPointer>) {
        var (bytes, rest) = (bytes, value)
        for index in bytes.indices {
            bytes[index] = UInt8(rest & 127)
            rest >>= 7
        }
    }

    private static func read(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        bytes.reversed().reduce(0) { $0 << 7 | Int($1) }
    }
}

extension Span<UInt8> {
    /// The position after the first `text`; nil if it is not there.
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
