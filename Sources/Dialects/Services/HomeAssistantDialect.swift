import Base
import Notifications

/// Notifications of Home Assistant, as its notifiers for REST and for mobile applications write
/// them. One with a tag replaces the earlier one, and can be cleared.
enum HomeAssistantDialect {
    static let cutter = MemberCutter(names: [
        "channel", "clickAction", "critical", "data", "group", "importance",
        "interruption-level", "message", "priority", "push", "sound", "subtitle", "tag", "title",
        "url",
    ])

    private static let clearing = "clear_notification"

    static func events(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        guard let root = PlainDialect.object(payload), let text = root["message"]?.text else {
            return PlainDialect.events(payload, context)
        }
        let data = root["data"]
        let name = NoteText.name(data?["tag"]).map { "home:\($0)" } ?? ""
        if text == clearing {
            return [name.isEmpty ? .ignored : .ended(name: name, order: nil)]
        }
        let group = NoteText.title(data?["group"] ?? data?["channel"]) ?? ""
        let title = NoteText.title(root["title"] ?? data?["title"]) ?? ""
        var note = Note(
            conversation: "home:\(group)", conversationTitle: group, name: name, title: title,
            body: NoteText.body(root["message"]) ?? "",
            link: NoteText.link(data?["clickAction"], data?["url"]))
        let level = data?["push"]?["interruption-level"]?.text
        note.isCritical =
            level == "critical" || data?["push"]?["sound"]?["critical"]?.integer == 1
            || data?["importance"]?.text == "max"
        note.isLow =
            level == "passive" || ["low", "min"].contains(data?["importance"]?.text ?? "")
        return [note.event]
    }
}
