import Base

/// The last line of a backup: a checksum of all that is before it. SQLite does not read so far.
///
///     ⏎bellwire backup sha256 HEXADECIMAL⏎
enum BackupSeal {
    private static let start = "\nbellwire backup sha256 "
    /// Bytes of the line, with the line feed before it.
    static let length = start.utf8.count + 64 + 1

    static func line(_ digest: Digest) -> [UInt8] {
        Array(start.utf8) + hexadecimal(digest) + [UInt8(ascii: "\n")]
    }

    /// Nil if the bytes are not such a line.
    static func digits(in line: [UInt8]) -> [UInt8]? {
        guard line.count == length, line.starts(with: start.utf8),
            line.last == UInt8(ascii: "\n")
        else { return nil }
        return Array(line[start.utf8.count..<length - 1])
    }

    /// The digits as the line has them.
    static func hexadecimal(_ digest: Digest) -> [UInt8] {
        digest.bytes.flatMap { byte in
            [byte >> 4, byte & 15].map { $0 < 10 ? UInt8(ascii: "0") + $0 : 87 + $0 }
        }
    }
}
