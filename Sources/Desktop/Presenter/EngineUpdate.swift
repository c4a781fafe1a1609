package import Base
package import Notifications

/// Updates of an engine that concern the screen.
package enum EngineUpdate: Equatable, Sendable {
    package struct Group: Equatable, Sendable {
        package let id: Int32
        /// Zero if unknown.
        package let chat: Int64
        package let title: String
        package let notifications: [EngineNotification]
    }

    package struct Change: Equatable, Sendable {
        package let group: Int32
        package let chat: Int64
        package let title: String
        package let isSounding: Bool
        package let added: [EngineNotification]
        package let removed: [Int32]
        /// How many the chat has, shown by the engine or not.
        package var total = 0
    }

    case active([Group])
    case change(Change)
    case edit(group: Int32, EngineNotification)
    case badge(count: Int64)
    case consent(SourceConsent)
    /// A request about this notification failed, and would fail again.
    case refused(group: Int32, notification: Int32)

    /// Nil for other updates.
    package init?(_ node: JSONNode) {
        switch node["@type"]?.text {
        case "updateActiveNotifications":
            self = .active((node["groups"]?.elements ?? []).compactMap(Group.init))
        case "updateNotificationGroup":
            guard let change = Change(node) else { return nil }
            self = .change(change)
        case "updateNotification":
            guard let group = node["notification_group_id"]?.int32,
                let notification = node["notification"].flatMap(EngineNotification.init)
            else { return nil }
            self = .edit(group: group, notification)
        case "bellwire.updateUnreadBadge":
            let unread = max(node["count"]?.integer ?? 0, 0)
            let missed = max(node["missed_calls"]?.integer ?? 0, 0)
            let (sum, isOver) = unread.addingReportingOverflow(missed)
            self = .badge(count: isOver ? .max : sum)
        case "bellwire.updateSource": self = .consent(SourceConsent(node))
        case "error":
            // A temporary failure is retried after the next connection.
            let code = node["code"]?.integer ?? 0
            guard code != 429, code < 500, let extra = node["@extra"],
                let group = extra["group"]?.int32,
                let notification = extra["notification"]?.int32
            else { return nil }
            self = .refused(group: group, notification: notification)
        default: return nil
        }
    }
}

extension EngineUpdate.Group {
    fileprivate init?(_ node: JSONNode) {
        guard let id = node["id"]?.int32 else { return nil }
        self.id = id
        chat = node["chat_id"]?.integer ?? 0
        title = node["bellwire.chat_title"]?.text ?? ""
        notifications =
            (node["notifications"]?.elements ?? []).compactMap(EngineNotification.init)
    }
}

extension EngineUpdate.Change {
    fileprivate init?(_ node: JSONNode) {
        guard let id = node["notification_group_id"]?.int32 else { return nil }
        group = id
        chat = node["chat_id"]?.integer ?? 0
        title = node["bellwire.chat_title"]?.text ?? ""
        isSounding = (node["notification_sound_id"]?.integer ?? 0) != 0
        added = (node["added_notifications"]?.elements ?? []).compactMap(EngineNotification.init)
        removed = (node["removed_notification_ids"]?.elements ?? []).compactMap(\.int32)
        total = Int(Int32(clamping: max(0, node["total_count"]?.integer ?? 0)))
    }
}

extension JSONNode {
    /// Ids of notifications and groups are positive 32-bit numbers.
    var int32: Int32? {
        guard let value = integer.flatMap(Int32.init(exactly:)), value > 0 else { return nil }
        return value
    }
}

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
