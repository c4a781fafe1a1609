/// What the user has read elsewhere, or here.
extension Engine {
    /// Notifications of what has been read go. TDLib spares those of a private chat that it has no
    /// message of.
    mutating func markRead(
        _ chatID: ChatID, upTo last: MessageID, level: TrustLevel, isForced: Bool? = nil
    ) {
        guard let chat = account.chats[chatID], last > chat.lastRead else { return }
        account.chats[chatID]?.lastRead = last
        account.chats[chatID]?.unreadCount = 0
        let isRemoving = account.policy == .learn || !chat.isPrivate || !chat.lastMessage.isNone
        if isRemoving {
            removeRead(chat, upTo: last, level, isForced ?? (account.policy == .learn))
        }
        updates.append(.chatReadInbox(chatID: chatID, lastRead: last, unreadCount: 0))
        if isRemoving { openGate(of: chatID) }
    }

    private mutating func removeRead(
        _ chat: Chat, upTo last: MessageID, _ level: TrustLevel, _ isForced: Bool
    ) {
        let isStrict = account.policy == .strict
        removeAll(
            in: chat.messageGroupID, isForced: isForced,
            totalCount: {
                [before = account.groups[chat.messageGroupID]?.notifications.count ?? 0] in
                // With nothing unread the count is that of what stays.
                isStrict
                    ? $0.notifications.count
                    : max($0.totalCount - (before - $0.notifications.count), 0)
            },
            where: { $0.messageID <= last && !$0.messageID.isNone && $0.level <= level })
        guard !chat.pinnedNotification.isNone, chat.pinnedNotification <= last,
            let pinned = notification(of: chat.pinnedNotification, in: chat.mentionGroupID)
        else { return }
        remove(pinned.id, from: chat.mentionGroupID, isPermanent: true, isForced: isForced)
    }
}
