import Base

/// The notifications of one account: requests and events go in, updates come out.
///
/// It is a value without clock, socket or file. The owner passes the time in, hands the updates on
/// and stores `account`.
package struct Engine: Sendable, Confidential {
    package internal(set) var account: Account
    var order: GroupOrder
    var queue = UpdateQueue()
    /// Groups with notifications that are delayed.
    var delayedGroups: Set<NotificationGroup.ID> = []
    /// How many notifications of a group are shown.
    var sizeLimit: Int
    package internal(set) var isFetching = false
    var presence = Presence()
    /// How often each open chat was opened.
    var openChats: [ChatID: Int] = [:]
    /// The chats that have a draft.
    var drafts: Set<ChatID> = []
    /// Deleted messages whose push has not arrived, for as long as TDLib remembers them.
    var barred: [ChatID: Set<ChatMessageID>] = [:]
    package internal(set) var barredCount = 0
    var isStarted = false
    var isClosed = false
    /// The payload being applied has set the badge.
    var isBadgeSet = false
    /// When registered tokens have to be refreshed; nil until the host has done so once.
    var nextRefresh: Double?
    /// The last `havePending` sent to the client.
    var sentPending: (delayed: Bool, unreceived: Bool)?
    var updates: [Update] = []
    /// The payload being applied came in clear from a trusted sender.
    var isTrusted = false
    /// How often a payload was refused because its target came at a higher trust level.
    var outranked = 0
    var now: Double = 0

    package init(_ account: Account = Account()) {
        self.account = account
        order = GroupOrder(limit: 0)
        sizeLimit = account.groupSizeMax
    }

    /// Returns the updates since the last call, in order.
    package mutating func takeUpdates() -> [Update] {
        defer { updates.removeAll(keepingCapacity: true) }
        return updates
    }

    /// How often, since the last call, a payload was refused because its target came at a higher
    /// trust level.
    package mutating func takeOutranked() -> Int {
        defer { outranked = 0 }
        return outranked
    }

    /// Whether this client and the other clients of the account are in use.
    struct Presence: Sendable {
        var isOnline = false
        var offlineSince: Double = 0
        /// The last time another client was in use; in the future while one is.
        var othersOnlineUntil: Double = 0
    }
}

/// The answer to a request.
package enum Outcome: Equatable, Sendable {
    case ok
    case error(code: Int, message: String)
    /// JSON text of TDLib's answer object.
    case object(String)

    /// The answer to every request after the end.
    static let aborted = Outcome.error(code: 500, message: "Request aborted")

    static func badRequest(_ message: String) -> Outcome { .error(code: 400, message: message) }
}
