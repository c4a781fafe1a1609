import Base

/// Pinned messages: one is shown for each chat.
extension Engine {
    /// Whether the shown pin has a higher trust level than the one that would replace it.
    mutating func isPinOutranked(_ level: TrustLevel, in chat: Chat) -> Bool {
        guard level < .mtproto,
            let shown = notification(of: chat.pinnedNotification, in: chat.mentionGroupID),
            shown.level > level
        else { return false }
        outranked += 1
        return true
    }

    /// Removes the notification of the former pin and remembers the new one.
    mutating func replacePin(in chatID: ChatID, with messageID: ChatMessageID) {
        guard let chat = account.chats[chatID], chat.pinnedNotification != messageID else { return }
        account.chats[chatID]?.pinnedNotification = messageID
        let old = notification(of: chat.pinnedNotification, in: chat.mentionGroupID)
        guard let old else { return }
        remove(old.id, from: chat.mentionGroupID, isPermanent: true, isForced: false)
    }

    /// The client has loaded the message whose pin is shown.
    mutating func learnPinned(_ message: LoadedMessage) {
        guard !pins(of: message.id, in: message.chatID).isEmpty else { return }
        account.chats[message.chatID]?.pinnedMessage = message.stored
    }

    /// Looks for the pinned message among the shown ones, and those that were supplied last.
    mutating func findPinned(_ id: ChatMessageID, in chatID: ChatID) {
        guard let chat = account.chats[chatID] else { return }
        if let message = account.recentMessages.message(id, in: chatID) {
            account.chats[chatID]?.pinnedMessage = message
            return
        }
        for groupID in [chat.messageGroupID, chat.mentionGroupID] {
            guard let found = notification(of: id, in: groupID),
                case .newMessage(let message, _) = found.content
            else { continue }
            account.chats[chatID]?.pinnedMessage = message
        }
    }

    /// Updates the notification of a pin after the pinned message has changed.
    mutating func updatePins(of id: ChatMessageID, in chatID: ChatID) {
        for (groupID, notification) in pins(of: id, in: chatID) {
            announceAgain(notification.id, in: groupID, isForced: false)
        }
    }

    /// The notifications about the pinning of a message. A push does not say which message was
    /// pinned, so its notification always matches.
    private func pins(
        of id: ChatMessageID, in chatID: ChatID
    ) -> [(NotificationGroup.ID, Notification)] {
        guard let chat = account.chats[chatID] else { return [] }
        let isKnown = !id.isNone && chat.pinnedMessage?.id == id
        return [chat.messageGroupID, chat.mentionGroupID].flatMap { groupID in
            let group = account.groups[groupID]
            let all = (group?.notifications ?? []) + (group?.pending.map(\.notification) ?? [])
            return all.filter { notification in
                switch notification.content {
                case .newMessage(let pin, _):
                    !pin.pinned.isNone && (id.isNone || pin.pinned == id)
                case .newPushMessage(let push):
                    push.content.flags.contains(.isPinned) && (id.isNone || isKnown)
                default: false
                }
            }.map { (groupID, $0) }
        }
    }

    /// The pinned message, while its pin is shown.
    func pinnedMessage(_ id: ChatMessageID, in chatID: ChatID) -> StoredMessage? {
        guard let message = account.chats[chatID]?.pinnedMessage, message.id == id,
            !pins(of: id, in: chatID).isEmpty
        else { return nil }
        return message
    }
}

/// Notices of the service itself, which are only sent as pushes.
extension Engine {
    private static let memory: Int64 = 7 * 86_400
    private static let limit = 1_000

    mutating func announce(_ id: Int64, text: String, level: TrustLevel) {
        let date = Int64(time: now)
        account.announcements = account.announcements.filter { $0.value > date - Self.memory }
        if id != 0 {
            guard account.announcements[id] == nil else { return }
            if account.announcements.count >= Self.limit { forgetOldestAnnouncement() }
            account.announcements[id] = date
        } else if account.policy == .strict {
            return
        }
        let chatID = ChatID.serviceNotifications
        if account.chats[chatID] == nil {
            guard account.policy == .learn else { return }
            account.chats[chatID] = Chat(chatID, title: "Telegram")
        }
        guard order.limit > 0, muteEnd(of: chatID) <= date else { return }
        let groupID = group(of: chatID, isMention: false)
        let messageID = nextLocalMessage(in: chatID)
        let isAdded = add(
            .newMessage(
                StoredMessage(id: messageID, source: announcement(text, messageID, date)),
                showsPreview: showsPreview(chatID, chatID)),
            to: groupID,
            Arrival(
                date: date, settingsChatID: chatID, soundID: soundID(of: chatID), isSilent: false,
                level: level, due: now + 0.001))
        if isAdded, account.policy == .learn { flushPending(groupID, isForced: true) }
    }

    private mutating func forgetOldestAnnouncement() {
        let oldest = account.announcements.min { ($0.value, $0.key) < ($1.value, $1.key) }
        if let oldest { account.announcements[oldest.key] = nil }
    }

    /// A local identifier behind everything known, between those of the server.
    private mutating func nextLocalMessage(in chatID: ChatID) -> ChatMessageID {
        let last = account.chats[chatID].map { max($0.lastMessage, $0.lastPushMessage) } ?? .none
        let id = ChatMessageID(min(last.rawValue, ChatMessageID.last.rawValue - 1) + 1)
        account.chats[chatID]?.lastMessage = id
        return id
    }

    private func announcement(_ text: String, _ id: ChatMessageID, _ date: Int64) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("@type", "message")
            writer.member("id", Int(id.rawValue))
            writer.name("sender_id")
            writer.sender(.user(ChatID.serviceNotifications.rawValue))
            writer.member("chat_id", Int(ChatID.serviceNotifications.rawValue))
            writer.member("date", Int(date))
            writer.name("content")
            writer.object { writer in
                writer.member("@type", "messageText")
                writer.name("text")
                writer.object { writer in
                    writer.member("@type", "formattedText")
                    writer.member("text", text)
                }
            }
        }
        return writer.bytes
    }
}
