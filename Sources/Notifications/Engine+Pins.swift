/// One pinned message of a chat is shown at a time.
extension Engine {
    /// The notification of the former pin goes, whatever comes in its place.
    mutating func replacePin(in chatID: ChatID, with messageID: MessageID) {
        guard let chat = account.chats[chatID], chat.pinnedNotification != messageID else { return }
        account.chats[chatID]?.pinnedNotification = messageID
        let old = notification(of: chat.pinnedNotification, in: chat.mentionGroupID)
        guard let old else { return }
        remove(old.id, from: chat.mentionGroupID, isPermanent: true, isForced: false)
    }
}
