/// What is known about a chat.
package struct Chat: Equatable, Sendable {
    /// Stored by number.
    package enum Kind: UInt8, Sendable {
        case privateChat = 0
        case basicGroup = 1
        case supergroup = 2
        case channel = 3
        case secret = 4
    }

    package var kind: Kind
    package var title = ""
    /// How the title came: nothing weaker may change it.
    package var titleLevel = TrustLevel.mtproto
    package var messageGroupID: NotificationGroup.ID = 0
    package var mentionGroupID: NotificationGroup.ID = 0
    package var lastRead = ChatMessageID.none
    /// The newest message that the client has loaded, and the newest that a push told about.
    package var lastMessage = ChatMessageID.none
    package var lastPushMessage = ChatMessageID.none
    /// How that push came: what is weaker holds nothing better back.
    package var lastPushLevel = TrustLevel.clear
    /// The client that owns the data named it as one of its own.
    package var isListed = false
    /// Left groups and closed secret chats show nothing.
    package var isClosed = false
    package var settings: ChatNotificationSettings?
    /// The message whose pinning is being shown.
    package var pinnedNotification = ChatMessageID.none
    /// What was pinned last, as the client has it.
    @Boxed package var pinnedMessage: StoredMessage?
    /// Of the dismissed messages the last: it and everything before it never returns.
    package var maxRemovedMessageID = ChatMessageID.none
    /// Messages that shall not be shown: deleted before their push came, or dismissed before the
    /// message itself did.
    package var deleted: [ChatMessageID] = []

    package init(kind: Kind, title: String = "", titleLevel: TrustLevel = .mtproto) {
        self.kind = kind
        self.title = title
        self.titleLevel = titleLevel
    }

    package init(_ id: ChatID, title: String = "", titleLevel: TrustLevel = .mtproto) {
        self.title = title
        self.titleLevel = titleLevel
        switch id.kind {
        case .user: kind = .privateChat
        case .basicGroup: kind = .basicGroup
        case .channel: kind = .supergroup
        case .secret: kind = .secret
        }
    }

    package var scope: ScopeNotificationSettings.Scope {
        switch kind {
        case .privateChat, .secret: .privateChats
        case .basicGroup, .supergroup: .groupChats
        case .channel: .channelChats
        }
    }

    /// Whether TDLib has the chat in one of its lists: groups and channels from the day of joining,
    /// others by their messages. A draft alone does not count.
    var hasPlaceInList: Bool { isListed || !lastMessage.isNone || !isPrivate }

    /// Whether a push has ever been taken here.
    var hasTakenPush: Bool { messageGroupID != 0 || mentionGroupID != 0 || !lastPushMessage.isNone }

    package var isPrivate: Bool { kind == .privateChat || kind == .secret }

    static let deletedLimit = 1024

    /// Bytes of a title that are kept: TDLib's have 128 characters.
    private static let titleLimit = 1_024

    /// The beginning of a title that is too long.
    static func title(_ text: String) -> String {
        guard text.utf8.count > titleLimit else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: titleLimit)
        while end.samePosition(in: text.unicodeScalars) == nil {
            end = text.utf8.index(before: end)
        }
        return String(text[..<end])
    }
}
