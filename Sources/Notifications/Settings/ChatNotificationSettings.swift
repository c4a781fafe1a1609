/// TDLib's `chatNotificationSettings`; nil uses the scope's value.
package struct ChatNotificationSettings: Equatable, Sendable {
    package var muteUntil: Int64?
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
    /// They are stored in the order of the numbers.
    package enum Scope: Int, CaseIterable, Sendable {
        case privateChats = 0
        case groupChats = 1
        case channelChats = 2
    }

    package var muteUntil: Int64 = 0
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

package let muteForever = Int64.max

/// The longest mute in seconds; as in TDLib, more than a year means for ever.
let longestMute: Int64 = 366 * 86_400

/// When a mute of `seconds` seconds ends.
package func muteEnd(_ seconds: Int64, now: Double) -> Int64 {
    if seconds <= 0 { return 0 }
    if seconds > longestMute { return muteForever }
    let end = Int64(time: now) + seconds
    // In stored data the last second of 31 bits means for ever.
    return end == Int32.max ? end + 1 : end
}
