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
    /// The origins, or else the names, of what the user has removed.
    private(set) var dismissed: [String] = []
    private var isByUser = false
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

    /// What the host calls the pushes that the user has removed since the last call, each once. One
    /// that is several notifications counts when the last of them is gone.
    package mutating func takeDismissed() -> [String] {
        guard !dismissed.isEmpty else { return [] }
        defer { dismissed.removeAll() }
        let gone = Set(dismissed)
        let rest = account.groups.notifications { !$0.origin.isEmpty && gone.contains($0.origin) }
        var known = Set(rest.map(\.notification.origin))
        return dismissed.filter { known.insert($0).inserted }
    }

    /// What `body` removes, the user removes.
    mutating func byUser(_ body: (inout Engine) -> Outcome) -> Outcome {
        isByUser = true
        defer { isByUser = false }
        return body(&self)
    }

    mutating func forgetName(of notification: Notification) {
        let isNamed =
            !notification.name.isEmpty
            && account.names[notification.name]?.notificationID == notification.id
        if isNamed { account.names[notification.name] = nil }
        guard isByUser else { return }
        if !notification.origin.isEmpty {
            dismissed.append(notification.origin)
        } else if isNamed {
            dismissed.append(notification.name)
        }
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

/// Starting, the passing of time, and the end.
extension Engine {
    /// Announces everything that was stored to the client.
    package mutating func start(now: Double) {
        self.now = now
        guard !isStarted else { return }
        beginCountingAnew()
        wake()
        isStarted = true
        order = GroupOrder(limit: account.groupCountMax)
        sizeLimit = account.groupSizeMax
        for group in account.groups.all { _ = order.place(group.key) }
        if order.limit > 0 { updates.append(.activeNotifications(activeGroups)) }
        sendPending()
    }

    /// The visible groups, as the client should show them.
    package var activeGroups: [Update.ActiveGroup] {
        order.visible.compactMap { account.groups[$0.id] }.map { group in
            Update.ActiveGroup(
                id: group.id, kind: group.kind, chatID: group.chatID, totalCount: group.totalCount,
                notifications: Array(group.shown(limit: sizeLimit)),
                chatTitle: title(of: group.chatID, for: group.shown(limit: sizeLimit)))
        }
    }

    /// The updates for a client that joins others. Updates waiting to be merged go to those others
    /// first, so that nobody gets them twice.
    package mutating func welcome() -> [Update] {
        flushAll()
        let groups = order.limit > 0 ? activeGroups : []
        let isDelayed = !queue.isEmpty || !delayedGroups.isEmpty
        return [
            .activeNotifications(groups), .havePending(delayed: isDelayed, unreceived: isFetching),
        ]
            + badgeUpdates
    }

    /// Whether the engine has started and not ended.
    package var isRunning: Bool { isStarted }

    /// When `advance` has something to do next.
    package var nextDeadline: Double? {
        var deadline = Double.infinity
        // This is called after every push, when usually nothing waits.
        if let due = queue.nextDue { deadline = min(deadline, due) }
        if !delayedGroups.isEmpty, let nextPending { deadline = min(deadline, nextPending) }
        if !account.calls.isEmpty, let nextCall { deadline = min(deadline, nextCall) }
        if let sessionEnd { deadline = min(deadline, sessionEnd) }
        if !account.owed.isEmpty, let end = account.owed.nextExpiry {
            deadline = min(deadline, end)
        }
        if !account.devices.isEmpty, let nextRefresh { deadline = min(deadline, nextRefresh) }
        return deadline == .infinity ? nil : deadline
    }

    private var nextPending: Double? {
        delayedGroups.compactMap { account.groups[$0]?.pending.lazy.map(\.due).min() }.min()
    }

    private var nextCall: Double? { account.calls.values.lazy.compactMap(\.deadline).min() }

    /// Performs everything that is due.
    package mutating func advance(to now: Double) {
        self.now = now
        guard isStarted else { return }
        if !delayedGroups.isEmpty { flushDelayed() }
        if !queue.isEmpty { flushDue() }
        endCalls()
        endSession()
        if !account.owed.isEmpty { expireActions() }
        if let nextRefresh, nextRefresh <= now { refreshDevices() }
    }

    private mutating func flushDelayed() {
        for id in delayedGroups.sorted() {
            let due = account.groups[id]?.pending.lazy.map(\.due).min()
            if let due, due <= now { flushPending(id, isForced: false) }
        }
    }

    private mutating func flushDue() {
        let ready = queue.entries.filter { $0.value.due <= now }.keys
        for key in ready.compactMap({ account.groups[$0]?.key }).sorted().reversed() {
            flush(key.id)
        }
    }

    /// Shows everything that still waits. The engine makes no updates afterwards.
    package mutating func close(now: Double) {
        advance(to: now)
        flushEverything()
        isStarted = false
        isClosed = true
    }

    mutating func flushEverything() {
        for id in delayedGroups.sorted() { flushPending(id, isForced: false) }
        flushAll()
    }

    /// Removes everything shown, and forgets the account.
    package mutating func logOut() {
        flushEverything()
        for key in order.visible { enqueueDisappearance(of: key.id) }
        flushAll()
        isFetching = false
        sendPending()
        account = Account()
        order = GroupOrder(limit: 0)
        isStarted = false
        isClosed = true
    }
}

/// Updates that wait until an application has acknowledged them.
extension Engine {
    /// Sends the update now, and keeps it until an application has acknowledged it.
    mutating func sendNotice(_ update: Update) {
        updates.append(update)
        account.owed.add(update, at: now)
    }

    /// Keeps a payload as received, besides processing it. The caller has checked `Owed.hasRoom`.
    package mutating func keepRaw(_ payload: [UInt8], encoding: String, now: Double) -> Outcome {
        advance(to: now)
        if isClosed { return .aborted }
        let push = RawPush(payload: payload, encoding: encoding, received: Int64(time: now))
        updates.append(.rawPush(account.owed.add(push, at: now)))
        return .ok
    }

    /// The waiting updates for a client that joins. A viewer gets only what the user chose, and
    /// only if no application is there to do it.
    package func owedUpdates(for role: OwedRole) -> [Update] {
        account.owed.items.compactMap { item in
            switch item.content {
            case .action(let action): .notificationAction(action)
            case .notice(let update): role == .viewer ? nil : update
            case .raw(let push): role == .rawFetcher ? .rawPush(push) : nil
            }
        }
    }

    /// Sends them all, for a host with a single client that has just started.
    package mutating func sendOwed() {
        updates += badgeUpdates + owedUpdates(for: .fetcher)
    }

    mutating func expireActions() {
        for id in account.owed.expire(at: now) { updates.append(.actionExpired(id: id)) }
    }

    mutating func handleOwed(_ type: String, _ request: JSONNode) -> Outcome {
        if type == "bellwire.setRaw" {
            account.owed.keepRaw(request.flag("active"))
            return .ok
        }
        let name: StaticString = type == "bellwire.heard" ? "through" : "id"
        guard let id = request[name]?.integer else { return .badRequest("Identifier is invalid") }
        switch type {
        case "bellwire.heard": account.owed.removeNotices(through: id)
        case "bellwire.actionTaken": account.owed.remove(id, where: \.isAction)
        default: account.owed.remove(id, where: \.isRaw)
        }
        return .ok
    }
}

/// What kind of client asks for the waiting updates.
package enum OwedRole: Sendable { case viewer, fetcher, rawFetcher }
