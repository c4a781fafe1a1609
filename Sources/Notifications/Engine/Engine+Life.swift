/// Start, time and end.
extension Engine {
    /// Brings everything that was kept back to the client.
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
        tellPending()
    }

    /// Everything visible, as the client's list shall be.
    package var activeGroups: [Update.ActiveGroup] {
        order.visible.compactMap { account.groups[$0.id] }.map { group in
            Update.ActiveGroup(
                id: group.id, kind: group.kind, chatID: group.chatID, totalCount: group.totalCount,
                notifications: Array(group.shown(limit: sizeLimit)),
                chatTitle: title(of: group.chatID, for: group.shown(limit: sizeLimit)))
        }
    }

    /// What a client is told that joins others. What waits to be merged with more is told to those
    /// first, so that nobody hears of it twice.
    package mutating func welcome() -> [Update] {
        flushAll()
        let groups = order.limit > 0 ? activeGroups : []
        let isDelayed = !queue.isEmpty || !delayedGroups.isEmpty
        return [
            .activeNotifications(groups), .havePending(delayed: isDelayed, unreceived: isFetching),
        ]
            + badgeUpdates
    }

    /// Between start and end.
    package var isRunning: Bool { isStarted }

    /// The next moment at which something is due on its own.
    package var nextDeadline: Double? {
        var deadline = Double.infinity
        // Asked for after each push, when mostly nothing waits.
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

    /// Does what has become due.
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

    /// Shows everything that still waits; after that the engine says nothing any more.
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

    /// Forgets the account; what is shown goes.
    package mutating func logOut() {
        flushEverything()
        for key in order.visible { enqueueDisappearance(of: key.id) }
        flushAll()
        isFetching = false
        tellPending()
        account = Account()
        order = GroupOrder(limit: 0)
        isStarted = false
        isClosed = true
    }
}
