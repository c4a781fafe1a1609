import Base

/// Makes files that are pictures, as large as a test wants them.
package enum PNGFile {
    /// 8 bits for red, green and blue, packed without being made shorter (RFC 1951 section 3.2.4).
    package static func colours(width: Int, height: Int, _ pixels: [UInt8]) -> [UInt8] {
        var rows: [UInt8] = []
        for row in 0..<height { rows += [0] + pixels[row * width * 3..<(row + 1) * width * 3] }
        var packed: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: rows.count, by: 65_535) {
            let part = rows[start..<min(start + 65_535, rows.count)]
            let length = UInt16(part.count)
            packed.append(start + part.count == rows.count ? 1 : 0)
            for number in [length, ~length] {
                packed += [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]
            }
            packed += part
        }
        packed += bytes(adler32(rows))
        let head = bytes(UInt32(width)) + bytes(UInt32(height)) + [8, 2, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", head) + chunk("IDAT", packed) + chunk("IEND", [])
    }

    /// A picture of one colour.
    package static func plain(_ colour: [UInt8], width: Int = 8, height: Int = 8) -> [UInt8] {
        colours(
            width: width, height: height,
            [[UInt8]](repeating: colour, count: width * height).flatMap(\.self))
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let checked = Array(type.utf8) + data
        return bytes(UInt32(data.count)) + checked + bytes(CRC32.value(of: checked[...]))
    }

    private static func adler32(_ data: [UInt8]) -> UInt32 {
        var (low, high) = (1 as UInt32, 0 as UInt32)
        for byte in data {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }
}
