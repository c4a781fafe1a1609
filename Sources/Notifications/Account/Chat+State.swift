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
        lastPushLevel = .webpush
        if state.version >= 4 {
            titleLevel = try state.choice()
            lastPushLevel = try state.choice()
        }
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
        guard state.version >= 4 else { return }
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
