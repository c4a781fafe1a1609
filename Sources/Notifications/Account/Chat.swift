package import Base

/// What is known about a chat.
package struct Chat: Equatable, Sendable {
    /// It is stored as its number.
    package enum Kind: UInt8, Sendable {
        case privateChat = 0
        case basicGroup = 1
        case supergroup = 2
        case channel = 3
        case secret = 4
    }

    package var kind: Kind
    package var title = ""
    /// Only a payload at this trust level or above may change the title.
    package var titleLevel = TrustLevel.mtproto
    package var messageGroupID: NotificationGroup.ID = 0
    package var mentionGroupID: NotificationGroup.ID = 0
    package var lastRead = ChatMessageID.none
    /// The newest message that the client has loaded, and the newest one announced by a push.
    package var lastMessage = ChatMessageID.none
    package var lastPushMessage = ChatMessageID.none
    /// The trust level of that push. A stronger push is shown even if a weaker one came before it.
    package var lastPushLevel = TrustLevel.clear
    /// The client that owns the data has listed this chat.
    package var isListed = false
    /// True for groups the user has left and closed secret chats: nothing is shown for them.
    package var isClosed = false
    package var settings: ChatNotificationSettings?
    /// The user has marked it as unread.
    var isMarkedUnread = false
    /// What the user sends there makes no sound at the receivers, unless a client says otherwise.
    var isSilentByDefault = false
    /// The user may post in this channel.
    var mayPost = false
    /// The pinned message for which a notification is shown.
    package var pinnedNotification = ChatMessageID.none
    /// The pinned message itself, if the client has loaded it.
    @Boxed package var pinnedMessage: StoredMessage?
    /// The newest dismissed message. It and everything before it stays dismissed.
    package var maxRemovedMessageID = ChatMessageID.none
    /// Messages that must not be shown: they were deleted before their push arrived, or dismissed
    /// before the client loaded them.
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

    /// Whether TDLib has this chat in one of its lists. Groups and channels are listed from joining
    /// on, other chats once they have a message; a draft does not count.
    var hasPlaceInList: Bool { isListed || !lastMessage.isNone || !isPrivate }

    /// Whether a push has ever been processed for this chat.
    var hasTakenPush: Bool { messageGroupID != 0 || mentionGroupID != 0 || !lastPushMessage.isNone }

    package var isPrivate: Bool { kind == .privateChat || kind == .secret }

    static let deletedLimit = 1024

    /// Longer titles are cut to this number of bytes. TDLib's have at most 128 characters.
    private static let titleLimit = 1_024

    static func title(_ text: String) -> String {
        guard text.utf8.count > titleLimit else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: titleLimit)
        while end.samePosition(in: text.unicodeScalars) == nil {
            end = text.utf8.index(before: end)
        }
        return String(text[..<end])
    }
}

extension Chat: Coded {
    package static var blank: Chat { Chat(kind: .privateChat) }

    package mutating func code(_ coder: inout Coder) {
        coder.choice(&kind)
        coder.text(&title)
        coder.choice(&titleLevel)
        coder.choice(&lastPushLevel)
        coder.number(&messageGroupID)
        coder.number(&mentionGroupID)
        lastRead.code(&coder)
        lastMessage.code(&coder)
        lastPushMessage.code(&coder)
        pinnedNotification.code(&coder)
        maxRemovedMessageID.code(&coder)
        var marks = marks
        coder.byte(&marks)
        coder.require(marks < 1 << 5)
        self.marks = marks
        coder.list(&deleted)
        coder.optional(&settings)
        $pinnedMessage.code(&coder)
    }

    /// What can be true of it, as bits.
    private var marks: UInt8 {
        get {
            [isListed, isClosed, isMarkedUnread, isSilentByDefault, mayPost].reversed().reduce(0) {
                $0 << 1 | ($1 ? 1 : 0)
            }
        }
        set {
            isListed = newValue & 1 != 0
            isClosed = newValue & 2 != 0
            isMarkedUnread = newValue & 4 != 0
            isSilentByDefault = newValue & 8 != 0
            mayPost = newValue & 16 != 0
        }
    }
}

extension ChatNotificationSettings: Coded {
    package static var blank: ChatNotificationSettings { ChatNotificationSettings() }

    package mutating func code(_ coder: inout Coder) {
        coder.muteEnd(&muteUntil)
        coder.optional(&soundID)
        coder.optional(&storySoundID)
        coder.optional(&showsPreview)
        coder.optional(&mutesStories)
        coder.optional(&showsStoryPoster)
        coder.optional(&disablesPinned)
        coder.optional(&disablesMentions)
    }
}

extension ScopeNotificationSettings: Coded {
    package static var blank: ScopeNotificationSettings { ScopeNotificationSettings() }

    package mutating func code(_ coder: inout Coder) {
        coder.muteEnd(&muteUntil)
        coder.number(&soundID)
        coder.number(&storySoundID)
        coder.flag(&showsPreview)
        coder.flag(&usesDefaultMuteStories)
        coder.flag(&mutesStories)
        coder.flag(&showsStoryPoster)
        coder.flag(&disablesPinned)
        coder.flag(&disablesMentions)
    }
}

extension ReactionNotificationSettings {
    mutating func code(_ coder: inout Coder) {
        for index in sources.indices { coder.choice(&sources[index]) }
        coder.number(&soundID)
        coder.flag(&showsPreview)
    }
}
