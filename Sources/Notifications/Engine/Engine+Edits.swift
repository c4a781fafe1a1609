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
                found.id, in: groupID, to: .newPushMessage(new), of: message.origin, level: level,
                isForced: true)
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
        change(
            weaker.id, in: groupID, to: .newPushMessage(push), of: message.origin, level: level,
            isForced: true)
        return true
    }

    /// Replaces the content of a notification by that of `origin`, if it is of another push; id, date
    /// and sound stay. The trust level is never lowered.
    mutating func change(
        _ id: Notification.ID, in groupID: NotificationGroup.ID, to content: Notification.Content,
        of origin: String? = nil, level: TrustLevel, isForced: Bool
    ) {
        guard let group = account.groups[groupID] else { return }
        if let index = group.firstIndex(of: id) {
            account.groups[groupID]?.notifications[index]
                .become(content, of: origin, level, isTrusted)
            announceAgain(id, in: groupID, isForced: isForced)
        } else if let index = group.pending.firstIndex(where: { $0.notification.id == id }) {
            account.groups[groupID]?.pending[index].notification
                .become(content, of: origin, level, isTrusted)
        } else if let index = group.sleeping.firstIndex(where: { $0.id == id }) {
            account.groups[groupID]?.sleeping[index].become(content, of: origin, level, isTrusted)
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
    fileprivate mutating func become(
        _ content: Content, of origin: String?, _ level: TrustLevel, _ isTrusted: Bool
    ) {
        self.content = content
        self.origin = origin ?? self.origin
        self.level = max(self.level, level)
        self.isTrusted = isTrusted && self.level == .clear
    }
}

/// Messages that the client has loaded itself. They replace those known from pushes.
extension Engine {
    mutating func addMessage(_ message: LoadedMessage) -> Outcome {
        guard var chat = account.chats[message.chatID] else { return .badRequest("Chat not found") }
        let isOld = message.id <= chat.lastMessage
        let wasPushed = message.id <= chat.lastPushMessage
        chat.lastMessage = max(chat.lastMessage, message.id)
        account.chats[message.chatID] = chat
        account.recentMessages.add(message)
        learnPinned(message)
        if message.isOutgoing || isOld || message.id <= chat.lastRead || chat.isClosed {
            return .ok
        }
        closeSecretChatNotice(message.chatID)
        let isMention =
            !chat.isPrivate
            && (message.isPin
                ? !disablesPinned(chat) : message.isMention && !disablesMentions(chat))
        let settingsChatID =
            isMention ? message.sender?.chatID ?? message.chatID : message.chatID
        if muteEnd(of: settingsChatID) > message.date {
            if message.isPin, isMention { replacePin(in: message.chatID, with: .none) }
            return .ok
        }
        guard order.limit > 0 else { return .ok }
        let groupID = group(of: message.chatID, isMention: isMention)
        guard isActive(message.id, chat, groupID) else { return .ok }
        if message.isPin, isMention { replacePin(in: message.chatID, with: message.id) }
        removeTemporary(in: groupID)
        if message.isPin { findPinned(message.pinned, in: message.chatID) }
        hold(message, in: groupID, settingsChatID, isQuiet: message.isSilent || wasPushed)
        return .ok
    }

    /// Adds it to the pending notifications of the group.
    private mutating func hold(
        _ message: LoadedMessage, in groupID: NotificationGroup.ID, _ settingsChatID: ChatID,
        isQuiet: Bool
    ) {
        let content = Notification.Content.newMessage(
            message.stored,
            showsPreview: showsPreview(message.chatID, settingsChatID))
        let due =
            message.id.isFromServer
            ? dueTime(
                of: message.date, in: message.chatID, isQuietChange: message.isQuietChange)
            : now + 0.001
        _ = add(
            content, to: groupID,
            Arrival(
                date: message.date, settingsChatID: settingsChatID,
                soundID: isQuiet ? 0 : soundID(of: settingsChatID), isSilent: message.isSilent,
                level: .mtproto, due: due))
    }

    /// False if the user has removed the message or a later one.
    private func isActive(
        _ id: ChatMessageID, _ chat: Chat, _ groupID: NotificationGroup.ID
    ) -> Bool {
        (groupID == chat.mentionGroupID || id > chat.maxRemovedMessageID)
            && !chat.deleted.contains(id)
    }

    mutating func editMessage(_ message: LoadedMessage) {
        guard let chat = account.chats[message.chatID] else { return }
        for groupID in [chat.messageGroupID, chat.mentionGroupID] {
            guard let found = notification(of: message.id, in: groupID) else { continue }
            var showsPreview = showsPreview(message.chatID, message.chatID)
            if case .newMessage(_, let old) = found.content { showsPreview = old }
            let content = Notification.Content.newMessage(
                message.stored, showsPreview: showsPreview)
            change(found.id, in: groupID, to: content, level: .mtproto, isForced: false)
        }
        account.recentMessages.change(message)
        learnPinned(message)
        updatePins(of: message.id, in: message.chatID)
    }

    mutating func deleteMessages(_ ids: [ChatMessageID], in chatID: ChatID) {
        account.recentMessages.remove(ids, from: chatID)
        for id in ids { removeMessage(id, in: chatID, level: .mtproto, isForced: false) }
    }

    /// Removes messages known only from pushes, because the real ones have arrived.
    mutating func removeTemporary(in groupID: NotificationGroup.ID) {
        removeAll(
            in: groupID, isForced: false,
            totalCount: { [account] in
                let before = account.groups[groupID]?.notifications.count ?? 0
                return max($0.totalCount - (before - $0.notifications.count), 0)
            },
            where: \.isTemporary)
    }

    mutating func removeTemporary() {
        for group in account.groups.all where group.notifications.contains(where: \.isTemporary) {
            let chat = account.chats[group.chatID]
            // This is done only in chats that the client has loaded; the others have only pushes.
            if chat?.lastMessage.isNone == false { removeTemporary(in: group.id) }
        }
    }
}
