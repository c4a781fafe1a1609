/// Secret chats: their coming is told once, their content never.
extension Engine {
    mutating func addSecretChat(_ chatID: ChatID, title: String, date: Int64) {
        var chat = account.chats[chatID] ?? Chat(chatID, title: title)
        chat.isClosed = false
        chat.isListed = true
        account.chats[chatID] = chat
        guard order.limit > 0, muteEnd(of: chatID) <= date else { return }
        let groupID = group(of: chatID, isMention: false)
        // What pushes told of it so far is not shown beside.
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

    /// Its first message, opening it or closing it ends the notice of its creation.
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
        // The last identifier that was given can be given again, as nothing refers to it.
        guard chat.messageGroupID == account.lastGroupID, chat.messageGroupID != 0 else { return }
        account.groups[chat.messageGroupID] = nil
        account.chats[chatID]?.messageGroupID = 0
        account.lastGroupID -= 1
    }
}
