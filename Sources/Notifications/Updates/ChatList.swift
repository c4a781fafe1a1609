package import Base

/// The answer to `bellwire.getChats`.
package struct ChatList: JSONObject, Equatable, Sendable {
    package struct Chat: JSONObject, Equatable, Sendable {
        package var id = 0
        package var title = ""
        /// `private`, `group`, `channel` or `secret`.
        package var kind = ""
        /// In seconds; zero if it is not muted.
        package var muteTime = 0
        /// It has no setting of its own.
        package var followsKind = false
        package var notifications = 0
        /// Of its newest notification, in seconds since 1970.
        package var date: Int?

        package init() {}

        package var isMuted: Bool { muteTime != 0 }

        package mutating func fields(_ fields: inout JSONFields) {
            fields.member("chat_id", &id)
            fields.member("title", &title)
            fields.member("type", &kind)
            fields.member("mute_for", &muteTime)
            fields.member("use_default_mute_for", &followsKind)
            fields.member("notifications", &notifications)
            fields.member("last_date", &date)
        }
    }

    /// This long is for good.
    package static let forGood = Int(Int32.max)

    /// How many there are, listed or not.
    package var total = 0
    package var chats: [Chat] = []
    package var isPaused = false
    /// In seconds; nil if the pause has no end.
    package var pauseTime: Int?
    package var notifyMode = ""
    /// How long all chats of a kind are muted, in seconds.
    package var privateTime = 0
    package var groupTime = 0
    package var channelTime = 0

    package init() {}

    package mutating func fields(_ fields: inout JSONFields) {
        fields.constant("@type", "bellwire.chats")
        fields.member("total_count", &total)
        fields.member("chats", &chats)
        fields.member("source") {
            $0.member("paused", &isPaused)
            $0.member("paused_for", &pauseTime)
            $0.member("notify_mode", &notifyMode)
        }
        fields.member("scopes") {
            $0.member("private", &privateTime)
            $0.member("group", &groupTime)
            $0.member("channel", &channelTime)
        }
    }

    /// Whether a chat of this kind is muted unless it has a setting of its own.
    package func mutes(kind: String) -> Bool {
        switch kind {
        case "private", "secret": privateTime != 0
        case "group": groupTime != 0
        case "channel": channelTime != 0
        default: false
        }
    }
}
