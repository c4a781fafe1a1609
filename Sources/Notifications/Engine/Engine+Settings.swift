import Base

/// Finds the settings that apply to a notification.
extension Engine {
    private func scope(of chat: Chat) -> ScopeNotificationSettings {
        account.scopes[chat.scope.rawValue]
    }

    /// The time until which a chat is muted. In TDLib a chat has no settings until the server or
    /// the client has set them, and nothing is muted before that.
    func muteEnd(of chatID: ChatID) -> Int64 {
        guard let chat = account.chats[chatID] else {
            return account.policy == .learn
                ? account.scopes[Chat(chatID).scope.rawValue].muteUntil : 0
        }
        return muteEnd(of: chat)
    }

    func muteEnd(of chat: Chat) -> Int64 {
        guard let settings = chat.settings else {
            return account.policy == .learn ? scope(of: chat).muteUntil : 0
        }
        return settings.muteUntil ?? scope(of: chat).muteUntil
    }

    func disablesPinned(_ chat: Chat) -> Bool {
        chat.settings?.disablesPinned ?? scope(of: chat).disablesPinned
    }

    func disablesMentions(_ chat: Chat) -> Bool {
        chat.settings?.disablesMentions ?? scope(of: chat).disablesMentions
    }

    func soundID(of chatID: ChatID) -> Int64 {
        let chat = account.chats[chatID] ?? Chat(chatID)
        return chat.settings?.soundID ?? scope(of: chat).soundID
    }

    /// A sound chosen here overrides the payload's. TDLib leaves the sound of pushes to the server.
    func soundID(of message: IncomingMessage, under chatID: ChatID) -> Int64 {
        guard account.policy == .learn, message.subject != .account else { return message.soundID }
        let chosen = message.subject == .story ? storySoundID(of: chatID) : soundID(of: chatID)
        return chosen == -1 ? message.soundID : chosen
    }

    private func storySoundID(of chatID: ChatID) -> Int64 {
        let chat = account.chats[chatID] ?? Chat(chatID)
        return chat.settings?.storySoundID ?? scope(of: chat).storySoundID
    }

    /// Whether a story's notification may name its author.
    func showsStoryPoster(_ chatID: ChatID) -> Bool {
        let chat = account.chats[chatID] ?? Chat(chatID)
        return chat.settings?.showsStoryPoster ?? scope(of: chat).showsStoryPoster
    }

    /// `end` is when the mute that applies to messages ends. Stories have settings of their own,
    /// which TDLib leaves to the server.
    func isMuted(
        _ subject: PushMessage.Subject, until end: Int64, at date: Int64, in chat: Chat
    ) -> Bool {
        guard account.policy == .learn else { return end > date }
        switch subject {
        case .message: return end > date
        case .account: return false
        case .story:
            let scope = scope(of: chat)
            return chat.settings?.mutesStories
                ?? (scope.usesDefaultMuteStories ? nil : scope.mutesStories) ?? (end > date)
        }
    }

    /// The user does not want to hear that contacts have joined. TDLib asks the server not to send
    /// these.
    func ignoresContact(_ message: IncomingMessage) -> Bool {
        message.content.kind == .contactRegistered && account.policy == .learn
            && account.boolean(OptionName.ignoresContacts)
    }

    /// A mention shows a preview only if the settings of both the chat and the sender allow it.
    func showsPreview(_ chatID: ChatID, _ settingsChatID: ChatID) -> Bool {
        showsPreview(chatID) && (settingsChatID == chatID || showsPreview(settingsChatID))
    }

    private func showsPreview(_ chatID: ChatID) -> Bool {
        let chat = account.chats[chatID] ?? Chat(chatID)
        if let own = chat.settings?.showsPreview { return own }
        return chat.kind != .secret && scope(of: chat).showsPreview
    }

    mutating func setSettings(_ settings: ChatNotificationSettings, of chatID: ChatID) {
        guard let old = account.chats[chatID] else { return }
        let (hadNoPins, hadNoMentions) = (disablesPinned(old), disablesMentions(old))
        account.chats[chatID]?.settings = settings
        let former = old.settings ?? ChatNotificationSettings()
        if former != settings, let chat = account.chats[chatID] {
            updates.append(
                news("updateChatNotificationSettings", of: chatID) { writer in
                    writer.name("notification_settings")
                    write(settingsOf: chat, to: &writer)
                })
        }
        afterChange(of: chatID, hadNoPins: hadNoPins, hadNoMentions: hadNoMentions)
    }

    mutating func setSettings(
        _ settings: ScopeNotificationSettings, of scope: ScopeNotificationSettings.Scope
    ) {
        let old = account.scopes[scope.rawValue]
        account.scopes[scope.rawValue] = settings
        if settings != old { tellSettings(of: scope) }
        guard
            settings.disablesPinned && !old.disablesPinned
                || settings.disablesMentions != old.disablesMentions
        else { return }
        for group in account.groups.all where group.kind == .mentions {
            guard let chat = account.chats[group.chatID], chat.scope == scope else { continue }
            afterChange(
                of: group.chatID,
                hadNoPins: chat.settings?.disablesPinned ?? old.disablesPinned,
                hadNoMentions: chat.settings?.disablesMentions ?? old.disablesMentions)
        }
    }

    private mutating func tellSettings(of scope: ScopeNotificationSettings.Scope) {
        updates.append(
            news("updateScopeNotificationSettings") { writer in
                writer.name("scope")
                writer.object { $0.member("@type", scope.typeName) }
                writer.name("notification_settings")
                account.scopes[scope.rawValue].write(to: &writer, now: now)
            })
    }

    /// Messages the user has removed are not counted when mentions are switched on again.
    private mutating func recountMentions(in chat: Chat) {
        guard let group = account.groups[chat.mentionGroupID],
            group.totalCount != group.notifications.count
        else { return }
        account.groups[group.id]?.totalCount = group.notifications.count
        notificationsLeft(group.id, added: [], removed: [], isForced: false)
    }

    /// Removes pins or mentions that the changed settings no longer allow.
    private mutating func afterChange(of chatID: ChatID, hadNoPins: Bool, hadNoMentions: Bool) {
        guard let chat = account.chats[chatID] else { return }
        if !hadNoPins, disablesPinned(chat) { replacePin(in: chatID, with: .none) }
        if hadNoMentions, !disablesMentions(chat) { recountMentions(in: chat) }
        guard !hadNoMentions, disablesMentions(chat),
            let group = account.groups[chat.mentionGroupID]
        else { return }
        let pinned = account.chats[chatID]?.pinnedNotification
        let gone = group.notifications.filter { !$0.isTemporary && $0.messageID != pinned }
        for (index, notification) in gone.enumerated() {
            remove(
                notification.id, from: group.id, isPermanent: false,
                isForced: index == gone.count - 1)
        }
    }
}

/// Sources that limit how often they ring.
extension Engine {
    /// Whether a message may ring. If the source rings once only, this call uses that up.
    mutating func mayRing(_ message: IncomingMessage) -> Bool {
        if isSilenced { return false }
        let key: String
        switch account.source.notifyMode {
        case .applePushNotification, .disabled: return true
        case .sendOnlyOne: key = ""
        case .sendOnePerConversation: key = self.key(of: message.chat)
        }
        if account.source.rung.count >= SourceState.rungLimit { account.source.rung = [] }
        return account.source.rung.insert(key).inserted
    }

    /// Neither messages nor calls of this source ring.
    var isSilenced: Bool { account.source.notifyMode == .disabled || account.source.sessionEnded }

    /// Another client of the account is in use, so nothing rings here.
    var isPaused: Bool { account.source.isPaused(at: now) }

    /// Counts a message that must not ring, unless the source is silenced altogether.
    mutating func count(in groupID: NotificationGroup.ID) {
        guard !isSilenced else { return }
        account.groups[groupID]?.totalCount += 1
        guard let group = account.groups[groupID], order.isVisible(groupID) else { return }
        enqueue(group, added: [], removed: [])
        flush(groupID)
    }

    /// Sets how the source may ring, and defaults for what its payloads omit.
    mutating func setSource(_ request: JSONNode) -> Outcome {
        do throws(SourceChange.Invalid) {
            apply(try SourceChange(request))
            return .ok
        } catch { return .badRequest(error.message) }
    }

    private func key(of chat: ChatReference) -> String {
        switch chat {
        case .id(let id): String(id.rawValue)
        case .conversation(let key): key
        }
    }

    /// A chat the user has looked at may ring again.
    mutating func openGate(of chatID: ChatID) {
        guard !account.source.rung.isEmpty else { return }
        account.source.rung.remove("")
        account.source.rung.remove(String(chatID.rawValue))
        let key = account.conversations.first { $0.value == chatID }?.key
        if let key { account.source.rung.remove(key) }
    }

    mutating func recordActivity() {
        account.source.lastActivity = now
        account.source.sessionEnded = false
    }

    /// Nil for a session that never ends, has ended, or has not begun.
    var sessionEnd: Double? {
        guard let timeout = account.source.sessionTimeout, account.source.lastActivity > 0,
            !account.source.sessionEnded
        else { return nil }
        return account.source.lastActivity + Double(timeout)
    }

    /// Whether the account counts as in use, and until when.
    package func session(now: Double) -> (isOnline: Bool, until: Double?) {
        let end = sessionEnd
        let isOnline = end.map { $0 > now } ?? (account.source.sessionTimeout == nil)
        return (isOnline && now >= account.source.pausedUntil, end)
    }

    /// Why clients are told of the end of a session.
    package static let endOfSession = "session_ended"

    /// Ends the session after long inactivity: the source is silent until the user returns.
    mutating func endSession() {
        guard let end = sessionEnd, end <= now else { return }
        account.source.sessionEnded = true
        sendNotice(.fetchRequired(reason: Self.endOfSession, details: []))
    }
}
