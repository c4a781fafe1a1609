import Delivery
import EngineHost
import Notifications

/// An engine in the writer's memory.
final class LoadedEngine {
    let row: UInt32
    let owner: String
    var hosted: HostedEngine
    /// Bytes of its journal entries, and of the account as last written.
    var journalSize: Int
    var stateSize: Int
    /// Bytes that its account may have.
    var room = 0
    /// The account is full and is not measured again before this.
    var isFullUntil: StoreTime?
    /// The deadline that listeners were last told.
    var deadline: Double?
    /// Nil until first needed.
    var members: EngineMembers?

    /// The memory of an engine without notifications.
    private static let emptySize = 4 << 10
    /// Below this size the journal may grow whatever the account's size is.
    private static let smallJournal = 64 << 10

    init(
        _ row: UInt32, of owner: String, _ hosted: HostedEngine, journalSize: Int, stateSize: Int
    ) {
        self.row = row
        self.owner = owner
        self.hosted = hosted
        self.journalSize = journalSize
        self.stateSize = stateSize
    }

    /// Roughly its size in memory.
    var size: Int { Self.emptySize + journalSize + stateSize }

    /// The journal may grow as long as the account. So an entry costs the same, however large the
    /// account is.
    var isJournalLong: Bool { journalSize > max(Self.smallJournal, stateSize) }

    /// Whether its account may be too large for one commit.
    func isLarge(for part: Int) -> Bool { stateSize + journalSize > part }

    /// Bytes for a message that must not be shown, besides the account.
    private static let barredSize = 32

    /// Roughly what counts against its room: the account as last written, and barred messages.
    var weight: Int { stateSize + hosted.engine.barredCount * Self.barredSize }

    /// Whether it may have outgrown its room with the changes since the last write. A small excess
    /// is allowed, or each push would write the account.
    var mayBeFull: Bool {
        let weight = weight
        return weight > room || weight + journalSize > room + excess
    }

    /// The same, while its account is being written in parts, which takes a while.
    var isTooFull: Bool { weight + journalSize > room + 2 * excess }

    private var excess: Int { max(room / 16, Self.smallJournal) }

    /// A registration of its account has ended. Nil is one that could not be read, so nobody knows
    /// what it counted for.
    func remove(_ registration: Registration?) {
        if let registration { members?.remove(registration) } else { members = nil }
    }
}
