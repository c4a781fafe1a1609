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

extension Chat {
    func write(to state: inout StateWriter) {
        state.byte(kind.rawValue)
        state.text(title)
        state.byte(titleLevel.rawValue)
        state.byte(lastPushLevel.rawValue)
        for id in [messageGroupID, mentionGroupID] { state.number(id) }
        for id in [
            lastRead, lastMessage, lastPushMessage, pinnedNotification, maxRemovedMessageID,
        ] {
            state.number(id.rawValue)
        }
        state.flag(isListed)
        state.flag(isClosed)
        state.list(deleted) { $0.number($1.rawValue) }
        state.optional(settings) { $1.write(to: &$0) }
        state.optional(pinnedMessage) { $1.write(to: &$0) }
    }

    init(from state: inout StateReader) throws(StateReader.Damage) {
        self.init(kind: try state.choice(), title: try state.text())
        titleLevel = try state.choice()
        lastPushLevel = try state.choice()
        messageGroupID = try state.number()
        mentionGroupID = try state.number()
        lastRead = ChatMessageID(try state.number())
        lastMessage = ChatMessageID(try state.number())
        lastPushMessage = ChatMessageID(try state.number())
        pinnedNotification = ChatMessageID(try state.number())
        maxRemovedMessageID = ChatMessageID(try state.number())
        isListed = try state.flag()
        isClosed = try state.flag()
        deleted = try state.list { state throws(StateReader.Damage) in
            ChatMessageID(try state.number())
        }
        settings = try state.optional { state throws(StateReader.Damage) in
            try ChatNotificationSettings(from: &state)
        }
        pinnedMessage = try state.optional { state throws(StateReader.Damage) in
            try StoredMessage(from: &state)
        }
    }
}

extension Chat {
    /// What is true of few chats, as bits.
    var marks: UInt8 {
        get {
            [isMarkedUnread, isSilentByDefault, mayPost].reversed().reduce(0) {
                $0 << 1 | ($1 ? 1 : 0)
            }
        }
        set {
            isMarkedUnread = newValue & 1 != 0
            isSilentByDefault = newValue & 2 != 0
            mayPost = newValue & 4 != 0
        }
    }
}

extension ChatNotificationSettings {
    fileprivate func write(to state: inout StateWriter) {
        state.optional(muteUntil) { $0.muteEnd($1) }
        state.optional(soundID) { $0.number($1) }
        state.optional(storySoundID) { $0.number($1) }
        for flag in [
            showsPreview, mutesStories, showsStoryPoster, disablesPinned, disablesMentions,
        ] {
            state.optional(flag) { $0.flag($1) }
        }
    }

    fileprivate init(from state: inout StateReader) throws(StateReader.Damage) {
        func flag(_ state: inout StateReader) throws(StateReader.Damage) -> Bool? {
            try state.optional { state throws(StateReader.Damage) in try state.flag() }
        }
        muteUntil = try state.optional { state throws(StateReader.Damage) in try state.muteEnd() }
        soundID = try state.optional { state throws(StateReader.Damage) in try state.number() }
        storySoundID = try state.optional { state throws(StateReader.Damage) in
            try state.number()
        }
        showsPreview = try flag(&state)
        mutesStories = try flag(&state)
        showsStoryPoster = try flag(&state)
        disablesPinned = try flag(&state)
        disablesMentions = try flag(&state)
    }
}

extension ScopeNotificationSettings {
    func write(to state: inout StateWriter) {
        state.muteEnd(muteUntil)
        state.number(soundID)
        state.number(storySoundID)
        for flag in [
            showsPreview, usesDefaultMuteStories, mutesStories, showsStoryPoster, disablesPinned,
            disablesMentions,
        ] {
            state.flag(flag)
        }
    }

    init(from state: inout StateReader) throws(StateReader.Damage) {
        muteUntil = try state.muteEnd()
        soundID = try state.number()
        storySoundID = try state.number()
        showsPreview = try state.flag()
        usesDefaultMuteStories = try state.flag()
        mutesStories = try state.flag()
        showsStoryPoster = try state.flag()
        disablesPinned = try state.flag()
        disablesMentions = try state.flag()
    }
}

extension ReactionNotificationSettings {
    func write(to state: inout StateWriter) {
        for source in sources { state.byte(source.rawValue) }
        state.number(soundID)
        state.flag(showsPreview)
    }

    init(from state: inout StateReader) throws(StateReader.Damage) {
        for index in sources.indices { sources[index] = try state.choice() }
        soundID = try state.number()
        showsPreview = try state.flag()
    }
}
