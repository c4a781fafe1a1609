/// The checksum of PNG (ISO/IEC 15948 section 5.5) and gzip (RFC 1952 section 8).
package enum CRC32 {
    private static let table = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { rest, _ in
            rest >> 1 ^ (rest & 1 == 1 ? 0xEDB8_8320 : 0)
        }
    }

    package static func value(of bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
    }
}
