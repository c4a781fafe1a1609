/// What senders name freely must not pile up for ever.
extension Engine {
    /// How many groups and conversations there may be before the oldest are forgotten, how many are
    /// left then, and after how many new ones that is looked at.
    private static let limit = 20_000
    private static let kept = 15_000
    private static let interval = 256

    /// Forgets the groups that are farthest from being seen. TDLib keeps those of its chats.
    mutating func makeRoomForGroup() {
        guard isStarted, account.policy == .learn,
            Int(account.lastGroupID).isMultiple(of: Self.interval)
        else { return }
        let groups = account.groups.all
        guard groups.count >= Self.limit else { return }
        for group in groups.sorted(by: { $0.key < $1.key }).dropFirst(Self.kept)
        where group.kind != .calls && !order.isVisible(group.id) && !queue.holds(group.id) {
            forget(group)
        }
        forgetIdleConversations()
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
        forgetIdleConversations()
    }

    private mutating func forget(_ group: NotificationGroup) {
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

    /// Those that have nothing to show and that nobody has made settings for.
    private mutating func forgetIdleConversations() {
        for (key, id) in account.conversations {
            guard let chat = account.chats[id], chat.messageGroupID == 0, chat.mentionGroupID == 0,
                chat.settings == nil, !account.calls.values.contains(where: { $0.chatID == id })
            else { continue }
            account.conversations[key] = nil
            account.chats[id] = nil
        }
    }
}
