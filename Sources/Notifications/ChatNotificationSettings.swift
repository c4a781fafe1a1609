/// TDLib's `chatNotificationSettings`: each value, unless the scope's shall be used.
package struct ChatNotificationSettings: Equatable, Sendable {
    package var muteUntil: Int32?
    package var soundID: Int64?
    package var showsPreview: Bool?
    package var mutesStories: Bool?
    package var storySoundID: Int64?
    package var showsStoryPoster: Bool?
    package var disablesPinned: Bool?
    package var disablesMentions: Bool?

    package init() {}
}

/// TDLib's `scopeNotificationSettings`, for all chats of a kind.
package struct ScopeNotificationSettings: Equatable, Sendable {
    package enum Scope: Int, CaseIterable, Sendable { case privateChats, groupChats, channelChats }

    package var muteUntil: Int32 = 0
    package var soundID: Int64 = -1
    package var showsPreview = true
    package var usesDefaultMuteStories = true
    package var mutesStories = false
    package var storySoundID: Int64 = -1
    package var showsStoryPoster = true
    package var disablesPinned = false
    package var disablesMentions = false

    package init() {}
}

/// A time that never comes: muted for ever.
package let muteForever = Int32.max

/// The moment until which is muted; more than a year is for ever, as TDLib has it.
package func muteEnd(_ seconds: Int64, now: Double) -> Int32 {
    if seconds <= 0 { return 0 }
    if seconds > 366 * 86_400 { return muteForever }
    return Int32(clamping: Int64(now) + seconds)
}
