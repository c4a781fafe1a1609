package import Base

/// Recognises a repeated push body: the start of a hash of its endpoint, salt and sender's key. It
/// counts for the registration that received it.
package struct ReplayMark: Hashable, Sendable, StoredMark {
    package static let lifetime: UInt32 = 30 * 86_400
    static let table = "replay"
    static let length = 16

    let key: UInt64
    let check: UInt32
    let device: UInt32

    package init(_ digest: Digest, device: UInt32) {
        key = max(1, digest.words.0)
        check = UInt32(truncatingIfNeeded: digest.words.1 >> 32)
        self.device = device
    }

    /// In the marks of earlier versions, hash bytes are in the device's place. They count for no
    /// device.
    init(_ bytes: Span<UInt8>, at start: Int) {
        key = max(1, bytes.word(at: start))
        check = bytes.halfWord(at: start + 8)
        device = bytes.halfWord(at: start + 12)
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(bigEndian: key)
        bytes.append(bigEndian: check)
        bytes.append(bigEndian: device)
    }
}

/// The marks of recent bodies, in memory, so that a look-up needs no disk.
struct ReplayTable: ~Copyable {
    /// The marks of one registration: enough for a push every 26 seconds for a month, in at most
    /// 4.2 MB.
    static let limit = 100_000
    /// The marks of one owner, and of all owners, have room for this many registrations with a full
    /// share.
    private static let ofOwner = 10
    private static let ofAll = 40

    enum Answer: Equatable, Sendable {
        case new, repeated
        /// It is not remembered, because its registration has too many marks: a repetition counts
        /// as new.
        case unmarked
    }

    struct Entry: FlatEntry {
        static let vacant = Entry(key: 0, check: 0, device: 0, owner: 0)

        let key: UInt64
        let check: UInt32
        let device: UInt32
        /// The owner still pays for it after the registration has ended.
        let owner: UInt32
    }

    private let limit: Int
    private var entries = FlatTable<Entry>()
    private var shares = FlatTable<MarkShare>()
    private var owners = FlatTable<MarkShare>()

    init(limit: Int = Self.limit) { self.limit = limit }

    func check(_ mark: ReplayMark, owner: UInt32) -> Answer {
        if entries[mark.key]?.check == mark.check { return .repeated }
        let hasRoom =
            shares.count(of: mark.device) < limit
            && owners.count(of: owner) < limit * Self.ofOwner
            && entries.count < limit * Self.ofAll
        return hasRoom ? .new : .unmarked
    }

    mutating func insert(_ mark: ReplayMark, owner: UInt32) {
        remove(mark)
        entries.set(
            Entry(key: mark.key, check: mark.check, device: mark.device, owner: owner))
        shares.add(to: mark.device)
        owners.add(to: owner)
    }

    mutating func remove(_ mark: ReplayMark) {
        guard let removed = entries.remove(mark.key) else { return }
        shares.subtract(from: removed.device)
        owners.subtract(from: removed.owner)
    }
}
