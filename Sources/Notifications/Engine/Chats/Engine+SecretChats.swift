/// Secret chats: one notice says that the chat exists; its messages are never shown.
extension Engine {
    mutating func addSecretChat(_ chatID: ChatID, title: String, date: Int64) {
        var chat = account.chats[chatID] ?? Chat(chatID, title: title)
        chat.isClosed = false
        chat.isListed = true
        account.chats[chatID] = chat
        guard order.limit > 0, muteEnd(of: chatID) <= date else { return }
        let groupID = group(of: chatID, isMention: false)
        // The notice replaces what pushes have announced so far.
        removeTemporary(in: groupID)
        guard let group = account.groups[groupID], group.notifications.isEmpty,
            group.pending.isEmpty
        else { return }
        account.groups[groupID]?.kind = .secretChat
        account.groups[groupID]?.totalCount = 0
        let isAdded = add(
            .newSecretChat, to: groupID,
            Arrival(
                date: date, settingsChatID: chatID, soundID: soundID(of: chatID), isSilent: false,
                level: .mtproto, due: now + 0.001))
        if isAdded { flushPending(groupID, isForced: true) }
    }

    /// The first message ends the notice of the chat's creation, and so does opening or closing the
    /// chat.
    mutating func closeSecretChatNotice(_ chatID: ChatID) {
        guard let chat = account.chats[chatID], chat.kind == .secret,
            let group = account.groups[chat.messageGroupID], group.kind == .secretChat
        else { return }
        removeAll(in: group.id, isForced: true, totalCount: nil) { $0.content == .newSecretChat }
        account.groups[group.id]?.kind = .messages
    }

    mutating func removeSecretChat(_ chatID: ChatID) {
        closeSecretChatNotice(chatID)
        guard let chat = account.chats[chatID] else { return }
        removeAll(in: chat.messageGroupID, isForced: true, totalCount: { _ in 0 }) { _ in true }
        account.chats[chatID]?.isClosed = true
        // The last identifier can be used again, because nothing refers to it.
        guard chat.messageGroupID == account.lastGroupID, chat.messageGroupID != 0 else { return }
        account.groups[chat.messageGroupID] = nil
        account.chats[chatID]?.messageGroupID = 0
        account.lastGroupID -= 1
    }
}
