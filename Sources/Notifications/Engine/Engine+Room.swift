/// What senders name freely must not pile up for ever.
extension Engine {
    /// How many groups and conversations there may be before the oldest are forgotten, how many are
    /// left then, and after how many new ones that is looked at.
    private static let limit = 20_000
    private static let kept = 15_000
    private static let interval = 256
    /// Chats, with those that have no group any more.
    private static let chatLimit = 2 * limit

    /// Requests that ask, or that leave less than there was. A client may always make them.
    package static func mayGrow(by type: String) -> Bool {
        if type.hasPrefix("get") || type.hasPrefix("bellwire.get") { return false }
        switch type {
        case "removeNotification", "removeNotificationGroup", "viewMessages", "openChat",
            "closeChat", "setChatDraftMessage", "close", "logOut", "destroy",
            "bellwire.removeChat", "bellwire.removeSecretChat", "bellwire.setFetching",
            "bellwire.setOnline", "bellwire.release", "bellwire.actionTaken",
            "bellwire.rawPushTaken", "bellwire.heard", "bellwire.setRaw", "bellwire.pause":
            return false
        default: return true
        }
    }

    /// Makes the account smaller for a host that has no room for it, and that keeps it anew then: of
    /// what only pushes told of, half of the groups go, and what nothing is shown of. What a start
    /// would forget goes now.
    package mutating func makeRoom() {
        let groups = account.groups.all.sorted { $0.key < $1.key }
        let isLearn = account.policy == .learn
        for (place, group) in groups.enumerated() {
            let isLeft = account.chats[group.chatID]?.isClosed == true && group.isEmpty
            if isLeft || isLearn && place >= groups.count / 2 { forgetHidden(group) }
        }
        forgetIdleChats()
        account.names = account.names.filter { !$0.value.isTombstone }
        (barred, barredCount) = ([:], 0)
    }

    /// Forgets the groups that are farthest from being seen. TDLib keeps those of its chats.
    mutating func makeRoomForGroup() {
        guard isStarted, account.policy == .learn,
            Int(account.lastGroupID).isMultiple(of: Self.interval)
        else { return }
        let groups = account.groups.all
        guard groups.count >= Self.limit else { return }
        for group in groups.sorted(by: { $0.key < $1.key }).dropFirst(Self.kept) {
            forgetHidden(group)
        }
        forgetIdleChats()
    }

    /// The next of identifiers that nobody keeps for long: behind the last one they begin anew.
    func following(_ id: Int32) -> Int32 { id < StateReader.lastCount ? id + 1 : 1 }

    /// After a thousand million notifications their identifiers begin anew. What has one of the
    /// former goes, or nothing that comes would be behind it.
    mutating func beginNotificationsAnew() {
        for id in account.groups.ids {
            removeAll(in: id, isForced: true, totalCount: { _ in 0 }) { _ in true }
            account.groups[id]?.sleeping = []
        }
        account.lastNotificationID = 0
    }

    mutating func makeRoomForConversation() {
        guard account.conversations.count >= Self.limit,
            Int(account.lastConversation).isMultiple(of: Self.interval)
        else { return }
        forgetIdleChats()
    }

    /// For one that a push names by its number.
    mutating func makeRoomForChat() {
        guard account.chats.count >= Self.chatLimit,
            account.chats.count.isMultiple(of: Self.interval)
        else { return }
        forgetIdleChats()
    }

    private mutating func forgetHidden(_ group: NotificationGroup) {
        guard group.kind != .calls, !order.isVisible(group.id), !queue.holds(group.id) else {
            return
        }
        for notification in group.notifications { forgetName(of: notification) }
        order.forget(group.id)
        delayedGroups.remove(group.id)
        account.groups[group.id] = nil
        if group.kind == .mentions {
            account.chats[group.chatID]?.mentionGroupID = 0
        } else {
            account.chats[group.chatID]?.messageGroupID = 0
        }
    }

    /// Those that have nothing to show and that nobody has made settings for: conversations, what only
    /// pushes told of, and what the client has left.
    private mutating func forgetIdleChats() {
        let calling = Set(account.calls.values.map(\.chatID))
        let conversations = Set(account.conversations.values)
        let idle = Set(
            account.chats.lazy.filter { [account] id, chat in
                chat.messageGroupID == 0 && chat.mentionGroupID == 0 && chat.settings == nil
                    && !calling.contains(id)
                    && (chat.isClosed || conversations.contains(id)
                        || account.policy == .learn && !chat.isListed)
            }.map(\.key))
        guard !idle.isEmpty else { return }
        account.chats = account.chats.filter { !idle.contains($0.key) }
        account.conversations = account.conversations.filter { !idle.contains($0.value) }
        openChats.subtract(idle)
    }
}

extension NotificationGroup {
    fileprivate var isEmpty: Bool {
        notifications.isEmpty && pending.isEmpty && sleeping.isEmpty
    }
}
