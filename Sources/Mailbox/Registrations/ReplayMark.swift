package import Base

/// By which the body of a push is known again: the first half of a hash of its endpoint, salt and
/// sender's key.
package struct ReplayMark: Hashable, Sendable, StoredMark {
    package static let lifetime: UInt32 = 30 * 86_400
    static let table = "replay"
    static let length = 16

    let high: UInt64
    let low: UInt64

    package init(_ digest: Digest) { (high, low) = (digest.words.0, digest.words.1) }

    init(_ bytes: Span<UInt8>, at start: Int) {
        high = bytes.word(at: start)
        low = bytes.word(at: start + 8)
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(bigEndian: high)
        bytes.append(bigEndian: low)
    }
}

/// The marks of all bodies that came lately, in memory: a look-up asks no disk.
struct ReplayTable: ~Copyable {
    struct Entry: FlatEntry {
        static let vacant = Entry(key: 0, check: 0)

        let key: UInt64
        let check: UInt64
    }

    private var entries = FlatTable<Entry>()

    func contains(_ mark: ReplayMark) -> Bool {
        entries[Self.key(mark)]?.check == mark.low
    }

    mutating func insert(_ mark: ReplayMark) {
        entries.set(Entry(key: Self.key(mark), check: mark.low))
    }

    mutating func remove(_ mark: ReplayMark) { entries.remove(Self.key(mark)) }

    private static func key(_ mark: ReplayMark) -> UInt64 { max(1, mark.high) }
}
