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
