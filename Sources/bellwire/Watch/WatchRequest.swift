import Base
import Desktop

/// What the user asks of the engine.
enum WatchRequest: Equatable, Sendable {
    case engine(EngineRequest)
    /// All notifications of the group, up to this one.
    case removeGroup(Int32, through: Int32)
    case chats
    /// Nil follows the settings for the kind of the chat.
    case mute(chat: Int64, seconds: Int?)

    /// High enough for all chats.
    private static let chatLimit = 1_000_000

    var json: String {
        if case .engine(let request) = self { return request.json }
        var writer = JSONWriter()
        writer.object { writer in
            switch self {
            case .engine: break
            case .removeGroup(let group, let last):
                writer.member("@type", "removeNotificationGroup")
                writer.member("notification_group_id", Int(group))
                writer.member("max_notification_id", Int(last))
            case .chats:
                writer.member("@type", "bellwire.getChats")
                writer.member("limit", Self.chatLimit)
            case .mute(let chat, let seconds):
                writer.member("@type", "bellwire.muteChat")
                writer.member("chat_id", Int(chat))
                if let seconds { writer.member("mute_for", seconds) }
                writer.name("@extra")
                writer.object { writer in
                    writer.member("chat", Int(chat))
                    writer.member("mute_for", seconds ?? 0)
                }
            }
        }
        return writer.text
    }
}
