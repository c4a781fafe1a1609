import Base

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
