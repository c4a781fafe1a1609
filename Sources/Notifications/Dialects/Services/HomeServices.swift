package import Base

/// Notifications of Home Assistant, as its notifiers for REST and for mobile applications write
/// them. One with a tag replaces the earlier one, and can be cleared.
package enum HomeAssistantDialect {
    static let webhook = Webhook(
        sources: [
            "home-assistant": """
            in configuration.yaml, below notify: platform rest, resource with this address, method \
            POST_JSON
            """
        ],
        members: [
            "action", "actions", "channel", "click", "clickAction", "critical", "data", "group",
            "image", "importance", "interruption-level", "message", "priority", "push", "sound",
            "subtitle", "tag", "tags", "title", "uri", "url",
        ],
        marks: ["data"], isSurely: { root, _ in isMarked(root) })

    private static let clearing = "clear_notification"
    private static let actionLimit = 4
    /// Members of `data` that only Home Assistant writes.
    private static let marks: [StaticString] = [
        "actions", "channel", "clickAction", "image", "importance", "push", "tag",
    ]

    /// Whether this is Home Assistant's, also where other JSON is expected.
    package static func isMarked(_ root: JSONNode) -> Bool {
        guard root["message"]?.text != nil, let data = root["data"], data.kind == .object else {
            return false
        }
        return marks.contains { data.has($0) }
    }

    /// Whether it has lost its picture where it was cut.
    static func hasLostPicture(_ payload: [UInt8], of body: [UInt8]) -> Bool {
        guard payload.count < body.count else { return false }
        let pictures = [body, payload].map { payload in
            DeclarativeDialect.picture(PlainDialect.object(payload)?["data"]?["image"])
        }
        return pictures[0] != pictures[1]
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
            conversation: group.isEmpty ? PlainDialect.chat("") : "home:\(group)",
            conversationTitle: group.isEmpty ? context.accountTitle : group, name: name,
            title: title,
            body: NoteText.body(root["message"]) ?? "",
            link: NoteText.link(data?["clickAction"], data?["url"], root["click"]))
        // Without a group it is one chat with the texts that come to the same address.
        note.isGroup = !group.isEmpty
        let said = PlainMembers(root)
        note.tags = said.tags
        note.urgency = urgency(data) ?? PlainDialect.urgency(said.priority ?? 3)
        note.icon = DeclarativeDialect.picture(data?["image"])
        if context.mayAct { note.actions = actions(data) }
        return [note.event]
    }

    /// Nil if it says nothing about that.
    private static func urgency(_ data: JSONNode?) -> Presentation.Urgency? {
        let level = data?["push"]?["interruption-level"]?.text
        let importance = data?["importance"]?.text ?? ""
        let isCritical = data?["push"]?["sound"]?["critical"]?.integer == 1
        if level == "critical" || isCritical || importance == "max" { return .critical }
        if importance == "high" { return .high }
        return level == "passive" || ["low", "min"].contains(importance) ? .low : nil
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

/// What Uptime Kuma finds out about its monitors. A monitor that is up again takes its notification
/// back.
enum UptimeKumaDialect {
    static let webhook = Webhook(
        sources: [
            "uptime-kuma": """
            in Uptime Kuma: Settings, Notifications, type Webhook, POST, application/json
            """
        ],
        members: [
            "heartbeat", "hostname", "id", "monitor", "monitorID", "msg", "name", "status", "url",
        ],
        marks: ["heartbeat"],
        isSurely: { root, _ in root.has("heartbeat") && root.has("monitor") && root.has("msg") })

    static func events(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        guard let root = PlainDialect.object(payload), root.has("heartbeat") || root.has("monitor")
        else { return PlainDialect.events(payload, context) }
        let (beat, monitor) = (root["heartbeat"], root["monitor"])
        let monitorName = NoteText.title(monitor?["name"]) ?? "Uptime Kuma"
        let id = NoteText.name(beat?["monitorID"] ?? beat?["monitor_id"] ?? monitor?["id"])
        let name = id.map { "monitor:\($0)" } ?? ""
        let text = NoteText.body(beat?["msg"])
        var note = Note(
            conversation: "monitor:\(id ?? "")", conversationTitle: monitorName, name: name,
            title: monitorName, body: text ?? NoteText.body(root["msg"]) ?? "New message",
            link: NoteText.link(monitor?["url"]))
        switch beat?["status"]?.integer {
        case 1: return [name.isEmpty ? .ignored : .ended(name: name, order: nil)]
        case 0:
            note.title = "\(monitorName) is down"
            note.urgency = .critical
        case 3:
            note.title = "\(monitorName) is under maintenance"
            note.urgency = .low
        default:
            // A test, or news about a certificate: it says nothing about up or down.
            note.name = ""
        }
        return [note.event]
    }
}
