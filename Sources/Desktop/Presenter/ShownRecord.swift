/// A notification of one source; its summary of what does not fit on the screen has the numbers 0,
/// which neither group nor notification has.
///
/// The group belongs to it: an engine may give the number of a notification again, in another group.
package struct ShownKey: Hashable, Sendable {
    package let source: String
    package let group: Int32
    package let notification: Int32

    package init(_ source: String, _ group: Int32, _ notification: Int32) {
        self.source = source
        self.group = group
        self.notification = notification
    }
}

/// Who shows notifications: its unique name on the bus, and when its process began, since names
/// begin anew with each bus.
package struct ServerIdentity: Hashable, Sendable {
    package let owner: String
    /// Zero where nobody can tell.
    package let processStart: UInt64

    package init(owner: String, processStart: UInt64) {
        self.owner = owner
        self.processStart = processStart
    }
}

/// Where a notification stands, as the store keeps it, so that a restart neither doubles nor
/// forgets it.
package struct ShownRecord: Equatable, Sendable {
    /// Words are on the disk.
    package enum Place: String, Sendable, CaseIterable {
        /// To be shown as soon as there is somebody who does.
        case waiting = "waiting"
        /// Handed over; kept before that, so that a kill in between is known.
        case showing = "showing"
        case shown = "shown"
        /// In the engine's list, but not, or no longer, on the screen.
        case listed = "listed"
        /// One of those that the summary counts.
        case summarised = "summarised"
        /// The user has dealt with it; the engine has not confirmed that yet.
        case dismissed = "dismissed"
    }

    package let key: ShownKey
    package var place: Place
    /// Nothing has sounded for it so far, and it may.
    package var maySound: Bool
    /// The number that the server gave it; 0 before that.
    package var serverID: UInt32
    /// Whose number that is.
    package var server: ServerIdentity?
    /// What the user did with it besides dismissing it.
    package var request: EngineRequest?

    package init(
        key: ShownKey, place: Place, maySound: Bool = false, serverID: UInt32 = 0,
        server: ServerIdentity? = nil
    ) {
        self.key = key
        self.place = place
        self.maySound = maySound
        self.serverID = serverID
        self.server = server
    }
}

/// What a store remembers of the screen.
package struct ShownHistory: Equatable, Sendable {
    package var records: [ShownRecord]
    /// The highest notification that was ever kept of each source's groups, also of those forgotten
    /// since.
    package var highest: [String: [Int32: Int32]]
    /// Of how many groups of a source that is remembered.
    static let groupLimit = 20_000

    package init(records: [ShownRecord] = [], highest: [String: [Int32: Int32]] = [:]) {
        self.records = records
        self.highest = highest
    }
}

/// Keeps the records. What it has taken survives the end of the process; that of the machine ends
/// the screen as well.
package protocol ShownStore: AnyObject {
    func history() throws -> ShownHistory

    /// One transaction. Each record takes the place of the one with its key, and raises `highest`.
    func commit(kept: [ShownRecord], forgotten: [ShownKey]) throws

    /// The next notification of the source may have any number.
    func forgetHighest(of source: String) throws
}
