import Base

/// The notifications of one account: requests and events in, updates out.
///
/// A value without clock, socket or file. Whoever owns it passes the time in, hands the updates on
/// and keeps `account` safe.
package struct Engine: Sendable, Confidential {
    package internal(set) var account: Account
    var order: GroupOrder
    var queue = UpdateQueue()
    /// Groups with notifications that are held back for a while.
    var delayedGroups: Set<NotificationGroup.ID> = []
    /// How many notifications of a group are shown.
    var sizeLimit: Int
    package internal(set) var isFetching = false
    var presence = Presence()
    var openChats: Set<ChatID> = []
    /// Deleted messages whose push has not come, for as long as TDLib remembers them.
    var barred: [ChatID: Set<ChatMessageID>] = [:]
    package internal(set) var barredCount = 0
    var isStarted = false
    var isClosed = false
    /// The payload that is being applied says how much waits.
    var isBadgeSaid = false
    /// When the registered tokens are due again; nil until the host has asked for them once.
    var nextRefresh: Double?
    /// What the client has been told last.
    var toldPending: (delayed: Bool, unreceived: Bool)?
    var updates: [Update] = []
    /// What is being processed came in clear from somebody who is trusted.
    var isTrusted = false
    /// How often something was refused because what it was about had come better protected.
    var outranked = 0
    var now: Double = 0

    package init(_ account: Account = Account()) {
        self.account = account
        order = GroupOrder(limit: 0)
        sizeLimit = account.groupSizeMax
    }

    /// What happened since the last call, in order.
    package mutating func takeUpdates() -> [Update] {
        defer { updates.removeAll(keepingCapacity: true) }
        return updates
    }

    /// How often, since the last call, a payload was not allowed to touch what came in a better way.
    package mutating func takeOutranked() -> Int {
        defer { outranked = 0 }
        return outranked
    }

    /// Whether and where we and the other clients of the account are in use.
    struct Presence: Sendable {
        var isOnline = false
        var offlineSince: Double = 0
        /// The last time another client was in use; in the future while it is.
        var othersOnlineUntil: Double = 0
    }
}

/// The answer to a request.
package enum Outcome: Equatable, Sendable {
    case ok
    case error(code: Int, message: String)
    /// JSON text of TDLib's answer object.
    case object(String)

    /// The answer to whatever comes after the end.
    static let aborted = Outcome.error(code: 500, message: "Request aborted")

    static func badRequest(_ message: String) -> Outcome { .error(code: 400, message: message) }
}
