import Base

/// A user's action for the engine, or a confirmation.
package enum EngineRequest: Equatable, Sendable {
    case remove(group: Int32, notification: Int32)
    /// `token` lets the application come to the front.
    case act(
        group: Int32, notification: Int32, action: String, text: String? = nil,
        token: String? = nil)
    case mute(chat: Int64, seconds: Int32)
    /// The application has the user's action.
    case actionTaken(id: String)
    /// The application has the fetch signal.
    case signalTaken(id: String)

    package var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            switch self {
            case .remove(let group, let notification):
                writer.member("@type", "removeNotification")
                writer.notification(group, notification)
            case .act(let group, let notification, let action, let text, let token):
                writer.member("@type", "bellwire.invokeNotificationAction")
                writer.member("action", action)
                if let text { writer.member("text", text) }
                if let token { writer.member("activation_token", token) }
                writer.notification(group, notification)
            case .mute(let chat, let seconds):
                writer.member("@type", "bellwire.muteChat")
                writer.member("chat_id", Int(chat))
                writer.member("mute_for", Int(seconds))
            case .actionTaken(let id):
                writer.member("@type", "bellwire.actionTaken")
                writer.member("id", id)
                writer.name("@extra")
                writer.object { $0.member("taken", id) }
            case .signalTaken(let id):
                writer.member("@type", "bellwire.signalTaken")
                writer.member("id", id)
            }
        }
        return writer.text
    }

    /// Parses an action that `json` wrote.
    init?(json: [UInt8], of key: ShownKey) {
        guard let node = try? JSONDocument(json).root, let action = node["action"]?.text else {
            return nil
        }
        // The token is too old by now.
        self = .act(
            group: key.group, notification: key.notification, action: action,
            text: node["text"]?.text)
    }
}

extension JSONWriter {
    /// Names the notification, so that a refusal can be matched.
    fileprivate mutating func notification(_ group: Int32, _ notification: Int32) {
        member("notification_group_id", Int(group))
        member("notification_id", Int(notification))
        name("@extra")
        object { writer in
            writer.member("group", Int(group))
            writer.member("notification", Int(notification))
        }
    }
}
