import Base
import Crypto

/// The last line of a backup: a checksum of all that is before it, and a code of that checksum, which
/// only the keys of the installation can make. SQLite does not read so far.
///
///     ⏎bellwire backup sha256 HEXADECIMAL hmac HEXADECIMAL⏎
struct BackupSeal: Equatable, Sendable {
    private static let start = "\nbellwire backup sha256 "
    private static let middle = " hmac "
    private static let digits = 64
    /// Bytes of the line, with the line feed before it.
    static let length = formerLength + middle.utf8.count + digits
    /// Of the line that has no code.
    private static let formerLength = start.utf8.count + digits + 1

    private let digest: [UInt8]
    private let code: [UInt8]

    init(_ digest: Digest, code: Digest) {
        self.digest = digest.hexadecimal
        self.code = code.hexadecimal
    }

    /// Nil if the bytes are not such a line.
    init?(line: [UInt8]) {
        let end = Self.start.utf8.count + Self.digits
        guard line.count == Self.length, line.starts(with: Self.start.utf8),
            line[end...].starts(with: Self.middle.utf8), line.last == UInt8(ascii: "\n")
        else { return nil }
        digest = Array(line[Self.start.utf8.count..<end])
        code = Array(line[(end + Self.middle.utf8.count)...].dropLast())
    }

    var line: [UInt8] {
        Array(Self.start.utf8) + digest + Array(Self.middle.utf8) + code + [UInt8(ascii: "\n")]
    }

    /// Whether the bytes end with the line of an earlier version.
    static func isFormer(line: [UInt8]) -> Bool {
        let end = line.suffix(formerLength)
        return end.starts(with: start.utf8) && end.last == UInt8(ascii: "\n")
    }

    func isOf(_ digest: Digest) -> Bool { self.digest == digest.hexadecimal }

    func hasCode(_ code: Digest) -> Bool {
        self.code.span.isEqualSecretly(to: code.hexadecimal.span)
    }

    /// The code of a file with this checksum.
    static func code(
        of digest: Digest, under keys: OwnKeys
    ) throws(OpenSSLError) -> Digest {
        var hash = try SHA256()
        let bytes = digest.bytes
        return try keys.backup.withSpan { key throws(OpenSSLError) in
            Digest(try hash.hmac(key: key, bytes.span))
        }
    }
}
