/// The badge is part of the account, so it survives a restart.
extension Engine {
    /// Sets the number of unread messages. Zero clears what is shown.
    mutating func showBadge(unread: Int64?, missedCalls: Int64?, level: TrustLevel) {
        setBadge(Badge(unread: unread ?? 0, missedCalls: missedCalls))
        guard (unread ?? 0) == 0, (missedCalls ?? 0) == 0 else { return }
        for id in account.groups.ids where account.groups[id]?.notifications.isEmpty == false {
            removeAll(in: id, isForced: true, totalCount: \.notifications.count) {
                $0.level <= level
            }
        }
    }

    /// The badge for a client that joins; empty until a badge was set.
    var badgeUpdates: [Update] {
        guard let badge = account.badge else { return [] }
        return [.unreadBadge(count: badge.unread, missedCalls: badge.missedCalls)]
    }

    mutating func setBadge(_ badge: Badge) {
        isBadgeSet = true
        guard account.source.presentation.showsBadge else { return }
        account.badge = badge
        updates.append(.unreadBadge(count: badge.unread, missedCalls: badge.missedCalls))
    }

    /// Runs `body`, which removes notifications of a chat, and lowers the badge by as many if the
    /// payload did not set the badge itself.
    mutating func loweringBadge(of chatID: ChatID, _ body: (inout Engine) -> Void) {
        let before = notificationCount(of: chatID)
        body(&self)
        guard account.policy == .learn, !isBadgeSet, var badge = account.badge else { return }
        let gone = before - notificationCount(of: chatID)
        guard gone > 0, badge.unread > 0 else { return }
        badge.unread = max(badge.unread - Int64(gone), 0)
        account.badge = badge
        updates.append(.unreadBadge(count: badge.unread, missedCalls: badge.missedCalls))
    }

    private func notificationCount(of chatID: ChatID) -> Int {
        guard let chat = account.chats[chatID] else { return 0 }
        return [chat.messageGroupID, chat.mentionGroupID].reduce(0) {
            $0 + (account.groups[$1]?.notifications.count ?? 0)
        }
    }
}
