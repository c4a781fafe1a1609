import Base

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

/// TDLib's `reactionNotificationSettings`. The server applies them, not the engine.
struct ReactionNotificationSettings: Equatable, Sendable {
    /// Whose reactions are announced. It is stored as its number.
    enum Source: UInt8, CaseIterable, Sendable {
        case none = 0
        case contacts = 1
        case all = 2

        static let typeNames = allCases.map(\.typeName)

        var typeName: String {
            let name = "\(self)"
            return "reactionNotificationSource" + name.prefix(1).uppercased() + name.dropFirst()
        }
    }

    /// The members for reactions to messages, for reactions to stories, and for votes in polls.
    static let sourceNames: [StaticString] = [
        "message_reaction_source", "story_reaction_source", "poll_vote_source",
    ]

    /// In the order of their names.
    var sources = [Source](repeating: .contacts, count: 3)
    var soundID: Int64 = -1
    var showsPreview = true

    init() {}

    /// Null means the defaults.
    init(_ node: JSONNode?) {
        guard let node, node.kind == .object else { return }
        sources = Self.sourceNames.map { name in
            let type = node[name]?["@type"]?.text
            return Source.allCases.first { $0.typeName == type } ?? .none
        }
        soundID = node["sound_id"]?.integer ?? 0
        showsPreview = node.flag("show_preview")
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("@type", "reactionNotificationSettings")
            for (name, source) in zip(Self.sourceNames, sources) {
                writer.name(name)
                writer.object { $0.member("@type", source.typeName) }
            }
            writer.member("sound_id", int64: soundID)
            writer.member("show_preview", showsPreview)
        }
    }
}

/// The value of an option, in TDLib's four kinds.
package enum OptionValue: Equatable, Sendable {
    case boolean(Bool)
    case integer(Int64)
    case string(String)
    case empty
}

/// The options that the engine itself looks at.
package enum OptionName {
    package static let groupCountMax = "notification_group_count_max"
    package static let groupSizeMax = "notification_group_size_max"
    /// What the user calls the account, for chats without a name of their own.
    package static let title = "bellwire_title"
    package static let onlineCloudTimeout = "online_cloud_timeout_ms"
    package static let cloudDelay = "notification_cloud_delay_ms"
    package static let defaultDelay = "notification_default_delay_ms"
    package static let ignoresSentScheduled = "disable_sent_scheduled_message_notifications"
    package static let ignoresContacts = "disable_contact_registered_notifications"
    package static let dropsIDs = "drop_notification_ids"
    static let online = "online"
    /// Of the TDLib whose requests and answers are the engine's.
    static let version = "1.8.69"
    static let booleans: Set<String> = [
        ignoresSentScheduled, ignoresContacts, "always_parse_markdown", "disable_animated_emoji",
        "disable_persistent_network_statistics", "disable_time_adjustment_protection",
        "disable_top_chats", "ignore_background_updates", "ignore_default_disable_notification",
        "ignore_file_names", "ignore_platform_restrictions",
        "ignore_sensitive_content_restrictions", "is_location_visible", online, "prefer_ipv6",
        "process_pinned_messages_as_mentions", "use_pfs", "use_quick_ack",
        "use_storage_optimizer",
    ]

    /// Whether TDLib lets a client set it: some by name, and the client's own, which begin with X.
    static func isSettable(_ name: String) -> Bool {
        range(of: name) != nil || booleans.contains(name) || name == dropsIDs
            || name.hasPrefix("x") || name.hasPrefix("X")
    }

    static func allows(_ value: OptionValue, of name: String) -> Bool {
        guard let range = range(of: name) else { return true }
        guard case .integer(let number) = value else { return false }
        return range.contains(number)
    }

    package static func range(of name: String) -> ClosedRange<Int64>? {
        switch name {
        case groupCountMax: 0...25
        case groupSizeMax: 1...25
        case "message_unload_delay": 60...86_400
        default: nil
        }
    }
}

/// What a push may change without a client.
package enum ChatPolicy: String, Sendable {
    /// A push does exactly what it does in TDLib: it changes only chats that the client named, and
    /// shows only what TDLib itself shows.
    case strict
    /// The policy for an account without a client that owns the data: pushes create chats, reading
    /// removes notifications, settings always apply, and everything documented is shown.
    case learn
}
