import Foundation

/// A database whose maker was killed while it began to use the WAL: its first page is written, and
/// the journal that takes this back is still there.
package enum InterruptedDatabase {
    private static let page = Data("SQLite format 3\0".utf8) + [0x10, 0, 2, 2, 0, 64, 32, 32]
    /// No pages, a random number, no pages before, sectors of 512 bytes, pages of 4,096.
    private static let journal =
        Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
        + [0, 0, 0, 0, 1, 0x88, 0x56, 0x4b, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0x10, 0]

    package static func make(at path: String) throws {
        for (end, start, size) in [("", page, 4_096), ("-journal", journal, 512)] {
            let data = start + Data(count: size - start.count)
            try data.write(to: URL(filePath: path + end))
        }
    }
}
