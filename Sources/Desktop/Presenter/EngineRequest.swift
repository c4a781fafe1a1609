import Base

/// What the user did, for the engine.
package enum EngineRequest: Equatable, Sendable {
    case remove(group: Int32, notification: Int32)
    case act(group: Int32, notification: Int32, action: String, text: String? = nil)

    var notification: Int32 {
        switch self {
        case .remove(_, let notification), .act(_, let notification, _, _): notification
        }
    }

    package var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            switch self {
            case .remove(let group, let notification):
                writer.member("@type", "removeNotification")
                writer.member("notification_group_id", Int(group))
                writer.member("notification_id", Int(notification))
            case .act(let group, let notification, let action, let text):
                writer.member("@type", "bellwire.invokeNotificationAction")
                writer.member("notification_group_id", Int(group))
                writer.member("notification_id", Int(notification))
                writer.member("action", action)
                if let text { writer.member("text", text) }
            }
            writer.name("@extra")
            writer.object { $0.member("notification", Int(notification)) }
        }
        return writer.text
    }
}
