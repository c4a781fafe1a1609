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
