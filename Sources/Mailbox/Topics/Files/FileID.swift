package import Base
import Crypto
import SQLite
import Topics

/// What opens a file that came to a topic. Only those get it who may read the topic.
package struct FileID: RandomName, Confidential {
    package let bits: Bits128

    package init(_ bits: Bits128) { self.bits = bits }

    /// Nil unless it is as `text` writes it.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard let bits = Bits128(base64URL: bytes.span) else { return nil }
        self.bits = bits
    }

    package var text: String { Base64URL.text(bytes.span) }
}

/// By what a file is known on the disk. It is a hash of the id, so that neither the folder nor a
/// backup has what opens the file.
struct FileMark: Hashable, Sendable {
    private let bits: Bits128

    init(of id: FileID, _ hash: inout SHA256) throws(OpenSSLError) {
        let bytes = id.bytes
        let digest = try hash.digest(of: bytes.span)
        bits = Bits128(high: digest.span.word(at: 0), low: digest.span.word(at: 8))
    }

    /// Nil unless there are 16 bytes.
    init?(_ bytes: Span<UInt8>) {
        guard let bits = Bits128(bytes) else { return nil }
        self.bits = bits
    }

    var bytes: [UInt8] { bits.bytes.span.array(0..<16) }

    /// The name of the file.
    var name: String {
        var digits: [UInt8] = []
        bits.appendHexadecimal(to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }
}

/// A file as the quotas see it: what its row says in clear.
struct KeptFile: Sendable {
    static let columns = ["mark", "topic", "owner", "size"]
    static var list: String { columns.joined(separator: ", ") }

    let mark: FileMark
    /// The registration of its topic.
    let device: UInt32
    let owner: UInt32
    let size: Int

    init(_ mark: FileMark, of device: UInt32, owner: UInt32, size: Int) {
        (self.mark, self.device, self.owner, self.size) = (mark, device, owner, size)
    }

    /// Reads `columns`.
    init?(_ row: borrowing some StoredRow & ~Copyable) {
        guard let mark = row.withBytes(0, { FileMark($0) }) else { return nil }
        self.init(
            mark, of: UInt32(clamping: row.integer(1)), owner: UInt32(clamping: row.integer(2)),
            size: Int(row.integer(3)))
    }
}

/// The sealed part of a file's row. It repeats what else the row says, so that nobody can make the
/// row of another file of it.
struct FileRecord: Confidential {
    private var mark: [UInt8] = []
    private var device: UInt32 = 0
    private var size: Int64 = 0
    private(set) var name = ""
    private(set) var type = ""

    init() {}

    init(_ file: KeptFile, name: String, type: String) {
        (mark, device, size) = (file.mark.bytes, file.device, Int64(file.size))
        (self.name, self.type) = (name, type)
    }

    static func place(_ row: Int64) -> Sealer.Place {
        Sealer.Place(table: "topic_file", row: row, column: "sealed")
    }

    func isOf(_ file: KeptFile) -> Bool {
        mark == file.mark.bytes && device == file.device && size == Int64(file.size)
    }
}

extension FileRecord: Coded {
    static var blank: FileRecord { FileRecord() }

    mutating func code(_ coder: inout Coder) {
        coder.data(&mark)
        coder.number(&device)
        coder.number(&size)
        coder.text(&name)
        coder.text(&type)
    }
}
