import Base

/// Limits on how far senders can make an account grow.
extension Engine {
    /// When this many groups or conversations exist, the oldest are forgotten until `kept` are
    /// left. This is checked once for every `interval` new ones.
    private static let limit = 20_000
    private static let kept = 15_000
    private static let interval = 256
    /// Includes chats that no longer have a group.
    private static let chatLimit = 2 * limit

    /// Requests that change nothing, so a journal need not have them.
    package static func isQuestion(_ type: String) -> Bool {
        ["get", "bellwire.get", "test"].contains(where: type.hasPrefix)
            || ["setAlarm", "setLogVerbosityLevel"].contains(type)
    }

    /// False for requests that only read or that shrink the account. A client may always make
    /// those.
    package static func mayGrow(by type: String) -> Bool {
        if isQuestion(type) { return false }
        switch type {
        case "removeNotification", "removeNotificationGroup", "viewMessages", "openChat",
            "closeChat", "setChatDraftMessage", "clearAllDraftMessages",
            "toggleChatIsMarkedAsUnread", "toggleChatDefaultDisableNotification",
            "readAllChatMentions", "readAllChatReactions", "readAllChatPollVotes",
            "resetAllNotificationSettings", "setReactionNotificationSettings",
            "setForumTopicNotificationSettings", "addSavedNotificationSound",
            "removeSavedNotificationSound", "close", "logOut", "destroy",
            "bellwire.removeChat", "bellwire.removeSecretChat", "bellwire.setFetching",
            "bellwire.setOnline", "bellwire.release", "bellwire.actionTaken",
            "bellwire.rawPushTaken", "bellwire.heard", "bellwire.setRaw", "bellwire.pause":
            return false
        default: return true
        }
    }

    /// Shrinks the account for a host that has run out of room and will store it again: forgets
    /// half of the groups known only from pushes, chats with nothing to show, and everything a
    /// restart would drop.
    package mutating func makeRoom() {
        let groups = account.groups.all.sorted { $0.key < $1.key }
        let isLearn = account.policy == .learn
        for (place, group) in groups.enumerated() {
            let isLeft = account.chats[group.chatID]?.isClosed == true && group.isEmpty
            if isLeft || isLearn && place >= groups.count / 2 { forgetHidden(group) }
        }
        forgetIdleChats()
        account.names = account.names.filter { [groups = account.groups] _, named in
            groups[named.groupID]?.notification(named.notificationID) != nil
        }
        account.recentMessages = RecentMessages()
        (barred, barredCount) = ([:], 0)
    }

    /// Forgets the groups that would be shown last. TDLib keeps the groups of its chats.
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

    /// The next identifier; after the last one it starts again at 1. Nobody keeps these identifiers
    /// for long.
    func following(_ id: Int32) -> Int32 { id < Coder.lastCount ? id + 1 : 1 }

    /// Identifiers start again after a thousand million notifications. The notifications that still
    /// have an old one are removed, so that new ones sort behind everything.
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

    /// Makes room for a chat that a push names by number.
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

    /// Forgets chats that show nothing and have no settings: conversations, chats known only from
    /// pushes, and chats the client has left.
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
        openChats = openChats.filter { !idle.contains($0.key) }
        drafts.subtract(idle)
    }
}

extension NotificationGroup {
    fileprivate var isEmpty: Bool {
        notifications.isEmpty && pending.isEmpty && sleeping.isEmpty
    }
}
