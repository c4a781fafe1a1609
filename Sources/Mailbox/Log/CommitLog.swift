/// Where the writers of several stores write down each commit before it counts, so that the stores
/// stay alike.
package protocol CommitLog: AnyObject, Sendable {
    /// Writes an entry down, if `last` is still the last one. Only the writer's thread calls it, and
    /// it may block for some seconds.
    func append(_ entry: CommitEntry, after last: Int64) -> CommitAnswer
    /// Writes an entry without changes, whatever was last: its writer was too late for long, and
    /// asks the others to wait until it has written. Nobody knows whether that is done.
    func ask(_ entry: CommitEntry)
    /// The next entries that have arrived, in order and without a gap; empty if there are none.
    /// Those up to `last` are not asked for again. Only the writer's thread calls it.
    func entries(after last: Int64) -> [NumberedEntry]
    /// `arrived` is called on any thread whenever entries have arrived.
    func follow(_ arrived: @escaping @Sendable () -> Void)
    /// Whether the store has everything that was in the log a second ago. Any thread may ask.
    var isCurrent: Bool { get }
    /// Entries that come next were removed from the log: only a copy of another store leads on.
    var isTooFarBehind: Bool { get }
    /// Whether this store does now what only one of them has to do. Any thread may ask.
    var isLead: Bool { get }
    /// Tells the other stores something that nobody keeps. Any thread may call it.
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
    /// Others have written since: nothing was written, and their entries come first.
    case outdated
    /// Neither yes nor no.
    case unknown
}

/// What a commit changes.
package struct CommitEntry: Equatable, Sendable {
    /// No other entry has it: its writer recognises it by that if the answer was lost.
    package let name: UInt64
    /// The last position and the last order of acceptance that were given.
    package let position: Int64
    package let sequence: Int64
    /// SQLite's form of changed rows. What is sealed in them is sealed here.
    package let changes: [UInt8]
    /// What engines tell clients of other nodes, sealed.
    package let news: [UInt8]
    /// The number of the schema that its writer has. SQLite would skip tables that it does not know.
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

/// A log that several stores share, and who this store is among them.
package struct LogSource: Sendable {
    package let log: any CommitLog
    /// The store's name in the log.
    package let node: String
    /// What the stores have in common.
    package let origin: StoreOrigin

    package init(log: any CommitLog, node: String, origin: StoreOrigin) {
        self.log = log
        self.node = node
        self.origin = origin
    }
}
