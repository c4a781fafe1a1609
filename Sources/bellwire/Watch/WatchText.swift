import Base
import Notifications

/// Shows an engine's updates as text.
struct WatchText {
    let hasColour: Bool

    private enum Colour: String {
        case added = "32"
        case removed = "31"
        case changed = "33"
        case other = "2"
    }

    /// Each line ends with a line feed. Updates that only matter to programs are left out.
    func lines(_ update: JSONNode) -> String {
        switch update["@type"]?.text {
        case "updateActiveNotifications":
            let groups = update["groups"]?.elements ?? []
            let shown = groups.flatMap { group in
                (group["notifications"]?.elements ?? []).map { notification in
                    line("=", notification, number(group["id"]), .other, in: group)
                }
            }
            return line("\(shown.count) shown", .other) + shown.joined()
        case "updateNotificationGroup":
            let group = number(update["notification_group_id"])
            let gone = update["removed_notification_ids"]?.elements ?? []
            return gone.map { line("- \(group)/\(number($0))", .removed) }.joined()
                + (update["added_notifications"]?.elements ?? [])
                .map { line("+", $0, group, .added, in: update) }.joined()
        case "updateNotification":
            guard let notification = update["notification"] else { return "" }
            return line("~", notification, number(update["notification_group_id"]), .changed)
        case "updateHavePendingNotifications", "updateOption", nil: return ""
        case let type?: return sentence(of: type, update).map { line("! \($0)", .other) } ?? ""
        }
    }

    /// What an update means for the user. Nil if it means nothing.
    private func sentence(of type: String, _ update: JSONNode) -> String? {
        switch type {
        case "bellwire.updateFetchRequired":
            update["reason"]?.text == "register_device"
                ? nil : "there is something new that only the application can fetch"
        case "bellwire.updateUnreadBadge": "\(number(update["count"])) unread"
        case "bellwire.updateSessionRevoked": "the service has ended this session"
        case "bellwire.updateNotificationAction":
            "the application is told: \(update["action"]?.text ?? "an action")"
        case "error": "error: \(update["message"]?.text ?? "unknown")"
        default: nil
        }
    }

    private func line(
        _ sign: String, _ notification: JSONNode, _ group: String, _ colour: Colour,
        in chat: JSONNode? = nil
    ) -> String {
        let sentence = Self.sentence(notification, in: chat?["bellwire.chat_title"]?.text ?? "")
        return line("\(sign) \(group)/\(number(notification["id"]))  \(sentence)", colour)
    }

    private func line(_ text: String, _ colour: Colour) -> String {
        let text = Printable.text(text, limit: 1_000)
        return hasColour ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m\n" : text + "\n"
    }

    private func number(_ node: JSONNode?) -> String { node?.textOrNumber ?? "?" }

    /// The sender with the text, or with the kind of the notification. `chat` is its title.
    static func sentence(_ notification: JSONNode, in chat: String) -> String {
        let type = notification["type"]
        if type?["@type"]?.text == "notificationTypeNewCall" {
            return chat.isEmpty ? "incoming call" : "\(chat) is calling"
        }
        let content = type?["content"] ?? type?["message"]?["content"]
        let presentation = type?["bellwire.presentation"]
        let body =
            content?["text"]?.text ?? content?["text"]?["text"]?.text ?? kind(content ?? type)
        let title = presentation?["title"]?.text
        if let sentence = presentation?["body"]?.text {
            guard let title else { return sentence }
            let rest = ShownSentence.body(
                sentence, under: title, by: type?["sender_name"]?.text ?? "")
            return rest.isEmpty ? title : "\(title): \(rest)"
        }
        return [title ?? type?["sender_name"]?.text, body].compactMap(\.self)
            .joined(separator: ": ")
    }

    private static func kind(_ node: JSONNode?) -> String {
        var name = node?["@type"]?.text ?? ""
        for prefix in ["pushMessageContent", "notificationType", "message"]
        where name.hasPrefix(prefix) {
            name = String(name.dropFirst(prefix.count))
        }
        return "(\(name))"
    }
}
