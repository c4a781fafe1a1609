/// One pinned message of a chat is shown at a time.
extension Engine {
    /// Whether the pin that is shown came in a better way than one that would take its place.
    mutating func isPinOutranked(_ level: TrustLevel, in chat: Chat) -> Bool {
        guard level < .mtproto,
            let shown = notification(of: chat.pinnedNotification, in: chat.mentionGroupID),
            shown.level > level
        else { return false }
        outranked += 1
        return true
    }

    /// The notification of the former pin goes, whatever comes in its place.
    mutating func replacePin(in chatID: ChatID, with messageID: MessageID) {
        guard let chat = account.chats[chatID], chat.pinnedNotification != messageID else { return }
        account.chats[chatID]?.pinnedNotification = messageID
        let old = notification(of: chat.pinnedNotification, in: chat.mentionGroupID)
        guard let old else { return }
        remove(old.id, from: chat.mentionGroupID, isPermanent: true, isForced: false)
    }
}
