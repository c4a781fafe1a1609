package import Notifications

/// A notification of one source. Its summary has the numbers 0, which neither groups nor
/// notifications have.
///
/// The group is part of the key: an engine may use the id of a notification again in another group.
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

/// A notification server: its unique bus name, and when its process started, because unique names
/// repeat on a new bus.
package struct ServerIdentity: Hashable, Sendable {
    package let owner: String
    /// Zero if unknown.
    package let processStart: UInt64

    package init(owner: String, processStart: UInt64) {
        self.owner = owner
        self.processStart = processStart
    }
}

/// The stored state of a notification, so that a restart neither doubles nor loses it.
package struct ShownRecord: Equatable, Sendable {
    /// The words are stored.
    package enum Place: String, Sendable, CaseIterable {
        /// It is to be shown as soon as there is a server.
        case waiting = "waiting"
        /// The call is running. It is stored before the call, so that the next process knows of it.
        case showing = "showing"
        case shown = "shown"
        /// It is in the engine's list but not on the screen, or no longer there.
        case listed = "listed"
        /// It is counted in the summary.
        case summarised = "summarised"
        /// The user dealt with it, but the engine has not confirmed that yet.
        case dismissed = "dismissed"
        /// The user closed it here, and the engine keeps it for other screens.
        case aside = "aside"
    }

    package let key: ShownKey
    package var place: Place
    /// It may sound and has not done so yet.
    package var maySound = false
    /// The id that the server gave; 0 before that.
    package var serverID: UInt32 = 0
    /// The server that gave the id.
    package var server: ServerIdentity?
    /// The user's request other than dismissing it.
    package var request: EngineRequest?
    /// The last press on a button that sends a request. It is stored unless there is a request.
    package var press: ButtonPress?
}

/// What a store knows of the screen.
package struct ShownHistory: Equatable, Sendable {
    package var records: [ShownRecord]
    /// The highest notification ever stored in each group of each source, even if it was forgotten
    /// since.
    package var highest: [String: [Int32: Int32]]
    /// The most groups of a source for which that is stored.
    static let groupLimit = 20_000

    package init(records: [ShownRecord] = [], highest: [String: [Int32: Int32]] = [:]) {
        self.records = records
        self.highest = highest
    }
}
