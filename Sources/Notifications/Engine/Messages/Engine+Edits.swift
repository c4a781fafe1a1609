/// Notifications that change, and messages that must not come.
extension Engine {
    /// Other words for a message that is still known from a push only.
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
            // Who wrote it is as the first push said, unless that came in a weaker way.
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

    /// TDLib looks at them only while somebody wants notifications.
    private func sleepingNotification(
        of id: ChatMessageID, in groupID: NotificationGroup.ID
    ) -> Notification? {
        guard order.limit > 0 || account.policy == .learn, !id.isNone else { return nil }
        return account.groups[groupID]?.sleeping.last { $0.messageID == id }
    }

    /// A weaker push has told of the same message: what it said gives way.
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

    /// Gives a notification another content; its id, date and sound stay. It is as well protected as
    /// the best of all that ever was in it.
    mutating func change(
        _ id: Notification.ID, in groupID: NotificationGroup.ID, to content: Notification.Content,
        level: TrustLevel, isForced: Bool
    ) {
        guard let group = account.groups[groupID] else { return }
        if let index = group.firstIndex(of: id) {
            account.groups[groupID]?.notifications[index].become(content, level, isTrusted)
            retell(id, in: groupID, isForced: isForced)
        } else if let index = group.pending.firstIndex(where: { $0.notification.id == id }) {
            account.groups[groupID]?.pending[index].notification
                .become(content, level, isTrusted)
        } else if let index = group.sleeping.firstIndex(where: { $0.id == id }) {
            account.groups[groupID]?.sleeping[index].become(content, level, isTrusted)
        }
    }

    /// Tells a notification anew, if it is shown.
    mutating func retell(
        _ id: Notification.ID, in groupID: NotificationGroup.ID, isForced: Bool
    ) {
        guard let group = account.groups[groupID], let index = group.firstIndex(of: id),
            index + sizeLimit >= group.notifications.count, order.isVisible(groupID)
        else { return }
        enqueue(.edit(group.notifications[index]), for: groupID)
        if isForced { flush(groupID) }
    }

    /// A deleted message goes, and does not come if it has not come yet.
    mutating func delete(_ id: ChatMessageID, in chatID: ChatID, level: TrustLevel) {
        removeMessage(id, in: chatID, level: level, isForced: true)
        guard let chat = account.chats[chatID], id > chat.lastPushMessage else { return }
        if account.policy == .learn {
            bar(id, in: chatID)
        } else if chat.hasTakenPush {
            if barred[chatID, default: []].insert(id).inserted { barredCount += 1 }
        }
    }

    /// Keeps a message from being shown, should it come or come again.
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
