/// Delays messages, so that a user who reads them elsewhere is not disturbed here.
extension Engine {
    mutating func setOnline(isOnline: Bool, othersOnlineSince: Double?) {
        if presence.isOnline, !isOnline { presence.offlineSince = now }
        presence.isOnline = isOnline
        if let othersOnlineSince { presence.othersOnlineUntil = othersOnlineSince }
        guard isOnline else { return }
        recordActivity()
        for id in delayedGroups.sorted() { flushPending(id, isForced: false) }
    }

    /// When a message of the given date has to be shown.
    func dueTime(of date: Int64, in chatID: ChatID, isQuietChange: Bool) -> Double {
        let wait = max(minimumDelay(in: chatID, isQuietChange: isQuietChange), presenceDelay)
        let passed = max(now - (Double(date) + 1), 0)
        return now + max(wait - passed, 0.001)
    }

    /// Changes of a chat's title, photo or members can wait. In an open chat nothing has to.
    private func minimumDelay(in chatID: ChatID, isQuietChange: Bool) -> Double {
        if isQuietChange { return 3 }
        return openChats[chatID] != nil && presence.isOnline ? 1 : 0
    }

    private var presenceDelay: Double {
        let timeout = seconds(OptionName.onlineCloudTimeout)
        let areOthersOnline = presence.othersOnlineUntil > now
        let wereOthersOnlineSince =
            presence.othersOnlineUntil > presence.offlineSince
            && presence.othersOnlineUntil > now - timeout
        if !presence.isOnline, areOthersOnline || wereOthersOnlineSince {
            return seconds(OptionName.cloudDelay)
        }
        return areOthersOnline ? seconds(OptionName.defaultDelay) : 0
    }

    private func seconds(_ name: String) -> Double {
        guard case .integer(let milliseconds) = option(name) else { return 0 }
        return Double(milliseconds) / 1000
    }

    /// Call it for an account whose client is fetching from the start.
    package mutating func beginFetching() { isFetching = true }

    /// While the client fetches messages, updates wait longer so that the fetched messages can be
    /// merged in. A client that went away (`isAbandoned`) has fetched nothing, so temporary
    /// notifications stay.
    mutating func setFetching(_ isActive: Bool, isAbandoned: Bool = false) {
        guard isFetching != isActive else { return }
        isFetching = isActive
        if !isActive {
            if !isAbandoned { removeTemporary() }
            flushAll()
        }
        sendPending()
    }
}
