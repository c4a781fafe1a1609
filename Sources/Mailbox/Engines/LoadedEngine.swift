import Delivery
import EngineHost
import Notifications

/// An engine in the writer's memory.
final class LoadedEngine {
    let row: UInt32
    let owner: String
    var hosted: HostedEngine
    /// Bytes of what the journal has of it, and of the account as it was written last.
    var journalSize: Int
    var stateSize: Int
    /// Bytes that its account may have.
    var room = 0
    /// It has more, and is not asked again before this.
    var isFullUntil: StoreTime?
    /// What listeners were told last.
    var deadline: Double?
    /// Nil until somebody has asked.
    var members: EngineMembers?

    /// Of one without notifications, in memory.
    private static let emptySize = 4 << 10
    /// Below this the journal may grow whatever the size of the account.
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

    /// About what it takes in memory.
    var size: Int { Self.emptySize + journalSize + stateSize }

    /// So that an entry costs the same however large the account is.
    var isJournalLong: Bool { journalSize > max(Self.smallJournal, stateSize) }

    /// Bytes of a message that shall not come, beside the account.
    private static let barredSize = 32

    /// About what counts against its room: as it was written last, and what is never written.
    var weight: Int { stateSize + hosted.engine.barredCount * Self.barredSize }

    /// Whether it may have outgrown its room: the account may be larger than it was by what was done
    /// since. A bit more is let pass, or each push would have it written.
    var mayBeFull: Bool {
        let weight = weight
        return weight > room || weight + journalSize > room + max(room / 16, Self.smallJournal)
    }

    /// A registration of its account has ended; nil is one that could not be read, and of which
    /// nobody knows what it counted for.
    func remove(_ registration: Registration?) {
        if let registration { members?.remove(registration) } else { members = nil }
    }
}
