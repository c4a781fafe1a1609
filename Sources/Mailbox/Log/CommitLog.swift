import Base
package import Crypto

/// The log into which several stores write each commit before it counts, so that the stores stay
/// alike.
package protocol CommitLog: AnyObject, Sendable {
    /// Appends an entry, if `last` is still the last one. Only the writer's thread calls it, and it
    /// may block for some seconds.
    func append(_ entry: CommitEntry, after last: Int64) -> CommitAnswer
    /// Appends an entry without changes, whichever entry was last. With it a store asks the others
    /// for something, such as to wait until it has written. The entry may get lost.
    func ask(_ entry: CommitEntry)
    /// The entries after `last` that have arrived, in order and without a gap; empty if there are
    /// none. Entries up to `last` are not asked for again. Only the writer's thread calls it.
    func entries(after last: Int64) -> [NumberedEntry]
    /// `arrived` is called on any thread whenever entries have arrived.
    func follow(_ arrived: @escaping @Sendable () -> Void)
    /// Whether the store has everything that was in the log a second ago. Any thread may ask.
    var isCurrent: Bool { get }
    /// Whether the next entries were removed from the log: then the store has to be replaced by a
    /// copy of another one.
    var isTooFarBehind: Bool { get }
    /// Whether this store does now what only one of them has to do. Any thread may ask.
    var isLead: Bool { get }
    /// Tells the other stores something that no store keeps. It may get lost. Any thread may call
    /// it.
    func tell(_ bytes: [UInt8])
    /// `hear` is called on any thread with what other stores tell, and perhaps with what this one
    /// told.
    func listen(_ hear: @escaping @Sendable ([UInt8]) -> Void)
    /// A block of row numbers that no other store gets; nil if that fails. It may block for some
    /// seconds.
    func takeNumbers() -> NumberBlock?
}

package enum CommitAnswer: Equatable, Sendable {
    case appended(Int64)
    /// Other stores have written since `last`. Nothing was appended; their entries come first.
    case outdated
    /// The entry may be in the log, or not.
    case unknown
}

/// What a commit changes.
package struct CommitEntry: Equatable, Sendable {
    /// No other entry has this name. The writer recognises its entry by it if the answer was lost.
    package let name: UInt64
    /// The last position and the last order of acceptance that were given.
    package let position: Int64
    package let sequence: Int64
    /// SQLite's form of changed rows. Sealed columns are sealed in it, too.
    package let changes: [UInt8]
    /// What engines tell clients of other nodes, sealed.
    package let news: [UInt8]
    /// The number of the schema of its writer. SQLite would skip tables that a store does not have.
    package let schema: Int

    package init(
        name: UInt64, position: Int64, sequence: Int64, changes: [UInt8], news: [UInt8] = [],
        schema: Int
    ) {
        self.schema = schema
        self.name = name
        self.position = position
        self.sequence = sequence
        self.changes = changes
        self.news = news
    }
}

package struct NumberedEntry: Equatable, Sendable {
    /// Later entries have higher numbers.
    package let number: Int64
    package let entry: CommitEntry

    package init(number: Int64, entry: CommitEntry) {
        self.number = number
        self.entry = entry
    }
}

/// A log that several stores share, and the name of this store in it.
package struct LogSource: Sendable {
    package let log: any CommitLog
    /// The store's name in the log.
    package let node: String
    /// What the stores have in common.
    package let origin: StoreOrigin
    package let peers: any StorePeers

    package init(
        log: any CommitLog, node: String, origin: StoreOrigin, peers: any StorePeers
    ) {
        self.log = log
        self.node = node
        self.origin = origin
        self.peers = peers
    }
}

/// What a store begins with, and what stores that stay alike have in common.
package struct StoreOrigin: Equatable, Sendable {
    /// When the store's time began: milliseconds since 1970.
    package let wall: Int64
    /// `OwnKeys`.
    package let sealedKeys: [UInt8]

    package init(wall: Int64, sealedKeys: [UInt8]) {
        self.wall = wall
        self.sealedKeys = sealedKeys
    }

    /// Makes random keys, and seals them.
    package init(wall: Int64, masterKey: MasterKey) throws(StoreFault) {
        try self.init(wall: wall, keys: OwnKeys(), masterKey: masterKey)
    }

    /// Seals the keys.
    package init(wall: Int64, keys: OwnKeys, masterKey: MasterKey) throws(StoreFault) {
        self.wall = wall
        sealedKeys = try keys.sealed(under: masterKey)
    }
}

/// Numbers that only one store gives.
package struct NumberBlock: Equatable, Sendable {
    static let length: UInt32 = 1 << 16
    static let last: UInt32 = 4_000_000_000

    /// Blocks are counted from 1.
    package let number: UInt32

    package init(number: UInt32) { self.number = number }

    /// Nil for a block beyond the last number.
    var numbers: ClosedRange<UInt32>? {
        let (end, isTooLarge) = number.multipliedReportingOverflow(by: Self.length)
        guard number > 0, !isTooLarge, end <= Self.last else { return nil }
        return end - Self.length + 1...end
    }
}

extension CommitEntry {
    /// The entry changes nothing, and asks the other stores to wait for its writer.
    var asks: Bool { changes.isEmpty && news.isEmpty }

    /// The entry changes nothing. All stores compare what they contain after it.
    var compares: Bool { changes.isEmpty && news == Self.comparison }
    static let comparison = Array("compare".utf8)

    /// A store that writes to the log. It is another writer each time it is opened.
    struct Writer: Hashable {
        fileprivate let number: UInt64
    }

    var writer: Writer { Writer(number: name >> EntryNames.bits) }
}

/// The names of the entries of one writer: its number, and one for each entry. Both begin at
/// random, and no name is given twice.
struct EntryNames {
    fileprivate static let bits: UInt64 = 40
    private static let numbers: UInt64 = 1 << bits - 1

    let writer: CommitEntry.Writer
    private var number: UInt64

    init(startingAt random: UInt64) {
        number = random & Self.numbers
        writer = CommitEntry.Writer(number: random >> Self.bits)
    }

    mutating func next() -> UInt64 {
        number = (number + 1) & Self.numbers
        return writer.number << Self.bits | number
    }
}

/// The number of an entry, with a digest by which the entry is told from every other one.
package struct EntryMark: Equatable, Sendable {
    package let number: Int64
    /// In hexadecimal digits.
    package let digest: String

    package init(number: Int64, digest: String) { (self.number, self.digest) = (number, digest) }

    package init(_ entry: CommitEntry, at number: Int64) throws(OpenSSLError) {
        self.number = number
        digest = try entry.digest
    }
}

extension CommitEntry {
    /// The digest of the whole entry.
    fileprivate var digest: String {
        get throws(OpenSSLError) {
            var head: [UInt8] = []
            head.append(bigEndian: name)
            head.append(bigEndian: UInt64(bitPattern: position))
            head.append(bigEndian: UInt64(bitPattern: sequence))
            head.append(bigEndian: UInt64(schema))
            head.append(bigEndian: UInt64(changes.count))
            var hash = try SHA256()
            try hash.begin()
            try hash.update(head.span)
            try hash.update(changes.span)
            try hash.update(news.span)
            return String(decoding: Digest(try hash.finish()).hexadecimal, as: UTF8.self)
        }
    }
}
