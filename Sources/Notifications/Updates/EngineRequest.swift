package import Base

/// What a client asks of an engine: a user's action, or a confirmation.
package enum EngineRequest: Equatable, Sendable {
    /// The first line on the control socket. A viewer only watches: what waits for the application
    /// stays.
    case open(AccountName)
    case remove(group: Int32, notification: Int32)
    /// All notifications of the group, up to this one.
    case removeGroup(Int32, through: Int32)
    /// `token` lets the application come to the front.
    case act(
        group: Int32, notification: Int32, action: String, text: String? = nil,
        token: String? = nil)
    case chats(limit: Int)
    /// Nil follows the settings for the kind of the chat.
    case mute(chat: Int64, seconds: Int?)
    /// Nil is until the pause is ended.
    case pause(Bool, seconds: Int? = nil)
    /// The application has the user's action.
    case actionTaken(id: String)
    /// The application has the fetch signal.
    case signalTaken(id: String)

    /// What a request carries as `@extra`, by which its answer is known.
    package enum Mark: Equatable, Sendable {
        case notification(group: Int32, Int32)
        case taken(id: String)
        case muted(chat: Int64, seconds: Int)
        case word(String)
    }

    /// The mark of a request that is given no other.
    private var mark: Mark? {
        switch self {
        case .remove(let group, let notification), .act(let group, let notification, _, _, _):
            .notification(group: group, notification)
        case .actionTaken(let id): .taken(id: id)
        default: nil
        }
    }

    package var json: String { json(marked: nil) }

    package func json(marked other: Mark?) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            members(&writer)
            guard let mark = other ?? mark else { return }
            writer.name("@extra")
            mark.write(to: &writer)
        }
        return writer.text
    }

    private func members(_ writer: inout JSONWriter) {
        switch self {
        case .open(let name):
            writer.member("@type", "bellwire.open")
            writer.member("app", name.app)
            writer.member("account", name.account)
            writer.member("role", "viewer")
        case .remove(let group, let notification):
            writer.member("@type", "removeNotification")
            writer.notification(group, notification)
        case .removeGroup(let group, let last):
            writer.member("@type", "removeNotificationGroup")
            writer.member("notification_group_id", Int(group))
            writer.member("max_notification_id", Int(last))
        case .act(let group, let notification, let action, let text, let token):
            writer.member("@type", "bellwire.invokeNotificationAction")
            writer.member("action", action)
            if let text { writer.member("text", text) }
            if let token { writer.member("activation_token", token) }
            writer.notification(group, notification)
        case .chats(let limit):
            writer.member("@type", "bellwire.getChats")
            writer.member("limit", limit)
        case .mute(let chat, let seconds):
            writer.member("@type", "bellwire.muteChat")
            writer.member("chat_id", Int(chat))
            if let seconds { writer.member("mute_for", seconds) }
        case .pause(let isPaused, let seconds):
            writer.member("@type", "bellwire.pause")
            writer.member("paused", isPaused)
            if let seconds { writer.member("paused_for", seconds) }
        case .actionTaken(let id):
            writer.member("@type", "bellwire.actionTaken")
            writer.member("id", id)
        case .signalTaken(let id):
            writer.member("@type", "bellwire.signalTaken")
            writer.member("id", id)
        }
    }

    /// Parses an action that `json` wrote, which another process keeps for a notification.
    package init?(action json: [UInt8], group: Int32, notification: Int32) {
        guard let node = try? JSONDocument(json).root, let action = node["action"]?.text else {
            return nil
        }
        // The token is too old by now.
        self = .act(
            group: group, notification: notification, action: action, text: node["text"]?.text)
    }
}

extension JSONWriter {
    fileprivate mutating func notification(_ group: Int32, _ notification: Int32) {
        member("notification_group_id", Int(group))
        member("notification_id", Int(notification))
    }
}

extension EngineRequest.Mark {
    fileprivate func write(to writer: inout JSONWriter) {
        if case .word(let word) = self { return writer.string(word) }
        writer.object { writer in
            switch self {
            case .notification(let group, let notification):
                writer.member("group", Int(group))
                writer.member("notification", Int(notification))
            case .taken(let id): writer.member("taken", id)
            case .muted(let chat, let seconds):
                writer.member("chat", Int(chat))
                writer.member("mute_for", seconds)
            case .word: break
            }
        }
    }

    /// That of an answer; nil if it has none, or one of somebody else.
    package init?(answer node: JSONNode) {
        guard let extra = node["@extra"] else { return nil }
        if let word = extra.text {
            self = .word(word)
        } else if let group = extra["group"]?.positiveID,
            let notification = extra["notification"]?.positiveID
        {
            self = .notification(group: group, notification)
        } else if let id = extra["taken"]?.text {
            self = .taken(id: id)
        } else if let chat = extra["chat"]?.integer {
            self = .muted(chat: chat, seconds: Int(extra["mute_for"]?.integer ?? 0))
        } else {
            return nil
        }
    }
}
