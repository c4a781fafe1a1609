import Base

/// Reading and writing of settings.
extension Engine {
    mutating func handleSettings(_ type: String, _ request: JSONNode) -> Outcome {
        switch type {
        case "setChatNotificationSettings", "getChatNotificationSettings":
            return handleChatSettings(isWriting: type.hasPrefix("set"), request)
        case "setForumTopicNotificationSettings":
            // The engine knows no forum.
            let isKnown = request.chatID("chat_id").map { account.chats[$0] != nil } == true
            return .badRequest(isKnown ? "The chat is not a forum" : "Chat not found")
        case "setReactionNotificationSettings":
            setReactions(ReactionNotificationSettings(request["notification_settings"]))
            return .ok
        case "resetAllNotificationSettings":
            resetSettings()
            return .ok
        default: break
        }
        guard let scope = ScopeNotificationSettings.Scope(request["scope"]) else {
            return .badRequest("Scope must be non-empty")
        }
        if type.hasPrefix("set") {
            guard let settings = request["notification_settings"], settings.kind == .object else {
                return .badRequest("New notification settings must be non-empty")
            }
            setSettings(ScopeNotificationSettings(settings, now: now), of: scope)
            return .ok
        }
        return .object(answer { account.scopes[scope.rawValue].write(to: &$0, now: now) })
    }

    private mutating func setReactions(_ settings: ReactionNotificationSettings) {
        guard account.reactions != settings else { return }
        account.reactions = settings
        updates.append(
            news("updateReactionNotificationSettings") { writer in
                writer.name("notification_settings")
                settings.write(to: &writer)
            })
    }

    /// Every chat and every kind of chat has its defaults again. In TDLib a chat has settings from
    /// then on, so those for its kind apply to it.
    private mutating func resetSettings() {
        for chatID in account.chats.keys.sorted() {
            setSettings(ChatNotificationSettings(), of: chatID)
            if account.policy == .learn { account.chats[chatID]?.settings = nil }
        }
        for scope in ScopeNotificationSettings.Scope.allCases {
            setSettings(ScopeNotificationSettings(), of: scope)
        }
    }

    private mutating func handleChatSettings(isWriting: Bool, _ request: JSONNode) -> Outcome {
        guard let chatID = request.chatID("chat_id"),
            let chat = account.chats[chatID]
        else {
            return .badRequest(isWriting ? "Wrong chat identifier specified" : "Chat not found")
        }
        if isWriting {
            if chatID.rawValue == account.userID {
                return .badRequest(
                    "Notification settings of the Saved Messages chat can't be changed")
            }
            guard let settings = request["notification_settings"], settings.kind == .object else {
                return .badRequest("New notification settings must be non-empty")
            }
            setSettings(ChatNotificationSettings(settings, now: now), of: chatID)
            return .ok
        }
        return .object(answer { write(settingsOf: chat, to: &$0) })
    }

    func write(settingsOf chat: Chat, to writer: inout JSONWriter) {
        (chat.settings ?? ChatNotificationSettings()).write(
            to: &writer, scope: account.scopes[chat.scope.rawValue], now: now)
    }
}

extension ScopeNotificationSettings.Scope {
    static let typeNames = allCases.map(\.typeName)

    var typeName: String {
        let name = "\(self)"
        return "notificationSettingsScope" + name.prefix(1).uppercased() + name.dropFirst()
    }

    init?(_ node: JSONNode?) {
        let name = node?["@type"]?.text
        guard let scope = Self.allCases.first(where: { $0.typeName == name }) else { return nil }
        self = scope
    }
}

extension ChatNotificationSettings {
    init(_ node: JSONNode, now: Double) {
        if !node.flag("use_default_mute_for") {
            muteUntil = muteEnd(node["mute_for"]?.integer ?? 0, now: now)
        }
        if !node.flag("use_default_sound") { soundID = node["sound_id"]?.integer ?? 0 }
        if !node.flag("use_default_show_preview") { showsPreview = node.flag("show_preview") }
        if !node.flag("use_default_mute_stories") { mutesStories = node.flag("mute_stories") }
        if !node.flag("use_default_story_sound") {
            storySoundID = node["story_sound_id"]?.integer ?? 0
        }
        if !node.flag("use_default_show_story_poster") {
            showsStoryPoster = node.flag("show_story_poster")
        }
        if !node.flag("use_default_disable_pinned_message_notifications") {
            disablesPinned = node.flag("disable_pinned_message_notifications")
        }
        if !node.flag("use_default_disable_mention_notifications") {
            disablesMentions = node.flag("disable_mention_notifications")
        }
    }

    /// Writes the scope's value where the chat uses the scope's.
    func write(to writer: inout JSONWriter, scope: ScopeNotificationSettings, now: Double) {
        writer.object { writer in
            writer.member("@type", "chatNotificationSettings")
            writer.member("use_default_mute_for", muteUntil == nil)
            writer.member("mute_for", restOfMute(until: muteUntil ?? scope.muteUntil, now: now))
            writer.member("use_default_sound", soundID == nil)
            writer.member("sound_id", int64: soundID ?? scope.soundID)
            writer.member("use_default_show_preview", showsPreview == nil)
            writer.member("show_preview", showsPreview ?? scope.showsPreview)
            writer.member("use_default_mute_stories", mutesStories == nil)
            writer.member("mute_stories", mutesStories ?? scope.mutesStories)
            writer.member("use_default_story_sound", storySoundID == nil)
            writer.member("story_sound_id", int64: storySoundID ?? scope.storySoundID)
            writer.member("use_default_show_story_poster", showsStoryPoster == nil)
            writer.member("show_story_poster", showsStoryPoster ?? scope.showsStoryPoster)
            writer.member(
                "use_default_disable_pinned_message_notifications", disablesPinned == nil)
            writer.member(
                "disable_pinned_message_notifications", disablesPinned ?? scope.disablesPinned)
            writer.member("use_default_disable_mention_notifications", disablesMentions == nil)
            writer.member(
                "disable_mention_notifications", disablesMentions ?? scope.disablesMentions)
        }
    }
}

extension ScopeNotificationSettings {
    init(_ node: JSONNode, now: Double) {
        muteUntil = muteEnd(node["mute_for"]?.integer ?? 0, now: now)
        soundID = node["sound_id"]?.integer ?? 0
        showsPreview = node.flag("show_preview")
        usesDefaultMuteStories = node.flag("use_default_mute_stories")
        mutesStories = node.flag("mute_stories")
        storySoundID = node["story_sound_id"]?.integer ?? 0
        showsStoryPoster = node.flag("show_story_poster")
        disablesPinned = node.flag("disable_pinned_message_notifications")
        disablesMentions = node.flag("disable_mention_notifications")
    }

    func write(to writer: inout JSONWriter, now: Double) {
        writer.object { writer in
            writer.member("@type", "scopeNotificationSettings")
            writer.member("mute_for", restOfMute(until: muteUntil, now: now))
            writer.member("sound_id", int64: soundID)
            writer.member("show_preview", showsPreview)
            writer.member("use_default_mute_stories", usesDefaultMuteStories)
            writer.member("mute_stories", mutesStories)
            writer.member("story_sound_id", int64: storySoundID)
            writer.member("show_story_poster", showsStoryPoster)
            writer.member("disable_pinned_message_notifications", disablesPinned)
            writer.member("disable_mention_notifications", disablesMentions)
        }
    }
}

/// How many more seconds a mute lasts; `Int32.max` for ever.
func muteTime(until end: Int64, now: Double) -> Int {
    end == muteForever ? Int(Int32.max) : max(Int(end - Int64(time: now)), 0)
}

/// As TDLib reports it: a mute for ever also has a number of seconds left.
private func restOfMute(until end: Int64, now: Double) -> Int {
    let end = end == muteForever ? max(Int64(Int32.max), Int64(time: now) + longestMute + 1) : end
    return max(Int(end - Int64(time: now)), 0)
}
