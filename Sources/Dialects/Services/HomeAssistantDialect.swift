import Base
import Notifications

/// Notifications of Home Assistant, as its notifiers for REST and for mobile applications write
/// them. One with a tag replaces the earlier one, and can be cleared.
enum HomeAssistantDialect {
    static let cutter = MemberCutter(names: [
        "action", "actions", "channel", "clickAction", "critical", "data", "group", "image",
        "importance",
        "interruption-level", "message", "priority", "push", "sound", "subtitle", "tag", "title",
        "uri", "url",
    ])

    private static let clearing = "clear_notification"
    private static let actionLimit = 4
    /// Members of `data` that only Home Assistant writes.
    private static let marks: [StaticString] = [
        "actions", "channel", "clickAction", "image", "importance", "push", "tag",
    ]

    /// Whether this is Home Assistant's, also where other JSON is expected.
    static func isMarked(_ root: JSONNode) -> Bool {
        guard root["message"]?.text != nil, let data = root["data"], data.kind == .object else {
            return false
        }
        return marks.contains { data.has($0) }
    }

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
            conversation: "home:\(group)",
            conversationTitle: group.isEmpty ? context.accountTitle : group, name: name,
            title: title,
            body: NoteText.body(root["message"]) ?? "",
            link: NoteText.link(data?["clickAction"], data?["url"]))
        let level = data?["push"]?["interruption-level"]?.text
        note.isCritical =
            level == "critical" || data?["push"]?["sound"]?["critical"]?.integer == 1
            || data?["importance"]?.text == "max"
        note.isLow =
            level == "passive" || ["low", "min"].contains(data?["importance"]?.text ?? "")
        note.isHigh = data?["importance"]?.text == "high"
        note.icon = DeclarativeDialect.picture(data?["image"])
        if context.mayAct { note.actions = actions(data) }
        return [note.event]
    }

    /// The buttons. A picture elsewhere is not fetched, but one of them opens it.
    private static func actions(_ data: JSONNode?) -> [Presentation.Action] {
        let actions = (data?["actions"]?.elements ?? []).compactMap { action in
            NoteText.title(action["title"]).map { title in
                Presentation.Action(
                    name: NoteText.name(action["action"]) ?? title, label: title,
                    link: NoteText.link(action["uri"], action["url"]))
            }
        }
        let picture = NoteText.link(data?["image"])
        let more =
            picture.isEmpty
            ? [] : [Presentation.Action(name: "image", label: "Picture", link: picture)]
        return Array((actions + more).prefix(actionLimit))
    }
}
