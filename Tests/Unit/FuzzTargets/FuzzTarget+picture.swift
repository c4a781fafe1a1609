import Base
import Pictures

/// What is drawn.
extension FuzzTarget {
    /// Whole files; and, so that check sums hide nothing, what they are about: the header of a PNG, and
    /// behind it what is packed, or rows that were.
    static func readPicture(_ bytes: [UInt8]) {
        for kind in ["jpeg", "png"] { draw(bytes, kind) }
        _ = PictureFile(bytes)
        guard bytes.count > headerSize else { return }
        let rest = Array(bytes.dropFirst(headerSize))
        for packed in [rest, stored(rest)] {
            let chunks =
                chunk("IHDR", Array(bytes.prefix(headerSize))) + chunk("PLTE", [0, 1, 2, 3, 4, 5])
                + chunk("tRNS", [7]) + chunk("IDAT", packed) + chunk("IEND", [])
            draw([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunks, "png")
        }
    }

    private static let headerSize = 13

    private static func draw(_ bytes: [UInt8], _ kind: String) {
        _ = Picture(link: "data:image/\(kind);base64,\(Base64.text(bytes.span))")
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let checked = Array(type.utf8) + data
        var sum = ~UInt32(0)
        for byte in checked {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return big(UInt32(data.count)) + checked + big(~sum)
    }

    /// In the envelope of zlib, and not packed.
    private static func stored(_ data: [UInt8]) -> [UInt8] {
        let count = UInt16(truncatingIfNeeded: data.count)
        var (low, high) = (UInt32(1), UInt32(0))
        for byte in data {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        let lengths = [count, ~count].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        return [0x78, 0x01, 0x01] + lengths + data + big(high << 16 | low)
    }

    private static func big(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
