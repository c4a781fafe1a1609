/// Edits of notifications, and messages that must not appear.
extension Engine {
    /// Changes the text of a message that is known only from a push.
    mutating func edit(_ message: IncomingMessage, level: TrustLevel) -> Outcome {
        guard let chatID = chatID(message.chat), let chat = account.chats[chatID] else {
            return .ok
        }
        for groupID in [chat.messageGroupID, chat.mentionGroupID] {
            let known =
                notification(of: message.messageID, in: groupID)
                ?? sleepingNotification(of: message.messageID, in: groupID)
            guard let found = known, case .newPushMessage(let old) = found.content
            else { continue }
            guard found.level <= level else {
                outranked += 1
                continue
            }
            var new = pushMessage(message, in: groupID, chatID)
            // The sender stays as the first push named it, unless that push was weaker.
            if found.level == level || account.policy == .strict {
                new.sender = old.sender
                new.senderName = old.senderName
                new.isOutgoing = old.isOutgoing
            }
            (new.isMention, new.isPin) = (old.isMention, old.isPin)
            new.isScheduled = old.isScheduled
            change(
                found.id, in: groupID, to: .newPushMessage(new), level: level, isForced: true)
        }
        return .ok
    }

    /// TDLib considers them only while notifications are switched on.
    private func sleepingNotification(
        of id: ChatMessageID, in groupID: NotificationGroup.ID
    ) -> Notification? {
        guard order.limit > 0 || account.policy == .learn, !id.isNone else { return nil }
        return account.groups[groupID]?.sleeping.last { $0.messageID == id }
    }

    /// Replaces what a weaker push said about the same message.
    mutating func giveWay(
        to message: IncomingMessage, in groupID: NotificationGroup.ID,
        _ settingsChatID: ChatID, _ level: TrustLevel
    ) -> Bool {
        guard let weaker = notification(of: message.messageID, in: groupID),
            weaker.level < level, weaker.isTemporary
        else { return false }
        let push = pushMessage(message, in: groupID, settingsChatID)
        change(weaker.id, in: groupID, to: .newPushMessage(push), level: level, isForced: true)
        return true
    }

    /// Replaces the content of a notification; id, date and sound stay. The trust level is never
    /// lowered.
    mutating func change(
        _ id: Notification.ID, in groupID: NotificationGroup.ID, to content: Notification.Content,
        level: TrustLevel, isForced: Bool
    ) {
        guard let group = account.groups[groupID] else { return }
        if let index = group.firstIndex(of: id) {
            account.groups[groupID]?.notifications[index].become(content, level, isTrusted)
            announceAgain(id, in: groupID, isForced: isForced)
        } else if let index = group.pending.firstIndex(where: { $0.notification.id == id }) {
            account.groups[groupID]?.pending[index].notification
                .become(content, level, isTrusted)
        } else if let index = group.sleeping.firstIndex(where: { $0.id == id }) {
            account.groups[groupID]?.sleeping[index].become(content, level, isTrusted)
        }
    }

    /// Announces a notification again, if it is shown.
    mutating func announceAgain(
        _ id: Notification.ID, in groupID: NotificationGroup.ID, isForced: Bool
    ) {
        guard let group = account.groups[groupID], let index = group.firstIndex(of: id),
            index + sizeLimit >= group.notifications.count, order.isVisible(groupID)
        else { return }
        enqueue(.edit(group.notifications[index]), for: groupID)
        if isForced { flush(groupID) }
    }

    /// Removes a deleted message, or bars it if its push has not arrived yet.
    mutating func delete(_ id: ChatMessageID, in chatID: ChatID, level: TrustLevel) {
        removeMessage(id, in: chatID, level: level, isForced: true)
        guard let chat = account.chats[chatID], id > chat.lastPushMessage else { return }
        if account.policy == .learn {
            bar(id, in: chatID)
        } else if chat.hasTakenPush {
            if barred[chatID, default: []].insert(id).inserted { barredCount += 1 }
        }
    }

    /// Keeps a message from being shown later.
    mutating func bar(_ id: ChatMessageID, in chatID: ChatID) {
        guard let chat = account.chats[chatID], !id.isNone, !chat.deleted.contains(id) else {
            return
        }
        account.chats[chatID]?.deleted.append(id)
        if chat.deleted.count >= Chat.deletedLimit { account.chats[chatID]?.deleted.removeFirst() }
    }
}

extension Notification {
    fileprivate mutating func become(_ content: Content, _ level: TrustLevel, _ isTrusted: Bool) {
        self.content = content
        self.level = max(self.level, level)
        self.isTrusted = isTrusted && self.level == .clear
    }
}
