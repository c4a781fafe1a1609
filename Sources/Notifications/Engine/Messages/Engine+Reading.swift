/// What the user has read elsewhere, or here.
extension Engine {
    /// Notifications of what has been read go. TDLib spares those of chats in none of its lists.
    mutating func markRead(
        _ chatID: ChatID, upTo last: ChatMessageID, level: TrustLevel, isForced: Bool? = nil
    ) {
        guard let chat = account.chats[chatID], last > chat.lastRead,
            level == .mtproto || !holdsBack(chat, upTo: last, level)
        else { return }
        account.chats[chatID]?.lastRead = last
        let isRemoving = account.policy == .learn || chat.hasPlaceInList
        if isRemoving {
            removeRead(chat, upTo: last, level, isForced ?? (account.policy == .learn))
        }
        updates.append(.chatReadInbox(chatID: chatID, lastRead: last))
        if isRemoving { openGate(of: chatID) }
    }

    /// Whether something came in a better way than this would take away. Then it takes nothing, or
    /// who may would come too late.
    private mutating func holdsBack(
        _ chat: Chat, upTo last: ChatMessageID, _ level: TrustLevel
    ) -> Bool {
        let isBetter = { (notification: Notification) in
            notification.level > level && !notification.messageID.isNone
                && notification.messageID <= last
        }
        let group = account.groups[chat.messageGroupID]
        let pinned = notification(of: chat.pinnedNotification, in: chat.mentionGroupID)
        guard
            group?.notifications.contains(where: isBetter) == true
                || group?.sleeping.contains(where: isBetter) == true
                || pinned.map(isBetter) == true
        else { return false }
        outranked += 1
        return true
    }

    private mutating func removeRead(
        _ chat: Chat, upTo last: ChatMessageID, _ level: TrustLevel, _ isForced: Bool
    ) {
        let isStrict = account.policy == .strict
        let before = account.groups[chat.messageGroupID]
        // To TDLib a chat with no unread message has nothing that a push told of, either.
        let isNothingUnread =
            isStrict
            && before?.notifications.contains { !$0.isTemporary && $0.messageID > last } == false
        let isRead = { (notification: Notification) in
            notification.level <= level
                && (isNothingUnread && notification.isTemporary
                    || !notification.messageID.isNone && notification.messageID <= last)
        }
        removeAll(
            in: chat.messageGroupID, isForced: isForced,
            totalCount: {
                let removed = (before?.notifications.count ?? 0) - $0.notifications.count
                return isStrict ? $0.notifications.count : max($0.totalCount - removed, 0)
            }, where: isRead)
        removeSleeping(in: chat.messageGroupID, where: isRead)
        guard !chat.pinnedNotification.isNone, chat.pinnedNotification <= last,
            let pinned = notification(of: chat.pinnedNotification, in: chat.mentionGroupID)
        else { return }
        remove(pinned.id, from: chat.mentionGroupID, isPermanent: true, isForced: isForced)
    }
}
