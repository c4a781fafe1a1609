import Base
import Notifications

/// Groups of alerts, as Prometheus Alertmanager and Grafana push them: what fires is shown, and what
/// is resolved is taken back.
enum AlertsDialect {
    /// How many alerts of a push are shown; one more notification says how many others there are.
    static let shownLimit = 16

    /// For one rule, and for what is no alert at all.
    static let ruleCutter = MemberCutter(names: [
        "body", "click", "message", "priority", "ruleId", "ruleName", "ruleUrl", "state", "tags",
        "title", "topic",
    ])

    static func events(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        guard let root = PlainDialect.object(payload) else {
            return PlainDialect.events(payload, context)
        }
        if let event = ruleEvent(root) { return [event] }
        guard let alerts = root["alerts"], alerts.kind == .array else {
            return PlainDialect.events(payload, context)
        }
        return events(of: alerts.elements, AlertGroup(root), root)
    }

    private static func events(
        of alerts: [JSONNode], _ group: AlertGroup, _ root: JSONNode
    ) -> [Event] {
        let firing = alerts.filter { !isResolved($0) }
        let resolved =
            alerts.filter(isResolved).compactMap(key(of:))
            + (root["resolved"]?.elements ?? []).compactMap { NoteText.name($0).map { key($0) } }
        var events = resolved.map { Event.ended(name: $0, order: nil) }
        events += firing.prefix(shownLimit).map { note(of: $0, group).event }
        let missing = max(0, root["truncatedAlerts"]?.integer ?? 0)
        let more = missing.addingReportingOverflow(Int64(max(0, firing.count - shownLimit)))
        if more.partialValue > 0, !more.overflow {
            events.append(group.rest(of: more.partialValue).event)
        } else {
            events.append(.ended(name: group.restName, order: nil))
        }
        return events
    }

    static func isResolved(_ alert: JSONNode) -> Bool { alert["status"]?.text == "resolved" }

    private static func key(_ fingerprint: String) -> String { "alert:\(fingerprint)" }

    /// An alert is known by its fingerprint, in whatever group it is.
    private static func key(of alert: JSONNode) -> String? {
        NoteText.name(alert["fingerprint"]).map { key($0) }
    }

    private static func note(of alert: JSONNode, _ group: AlertGroup) -> Note {
        let (labels, annotations) = (alert["labels"], alert["annotations"])
        let alertName = NoteText.title(labels?["alertname"])
        let title = NoteText.title(annotations?["summary"]) ?? alertName ?? "Alert"
        let body =
            NoteText.body(annotations?["description"]) ?? NoteText.body(annotations?["message"])
            ?? rest(of: labels) ?? alertName ?? "firing"
        var note = Note(
            conversation: group.conversation, conversationTitle: group.title, title: title,
            body: body)
        note.name = key(of: alert) ?? ""
        note.link = NoteText.link(
            alert["panelURL"], alert["dashboardURL"], alert["generatorURL"], group.link)
        switch labels?["severity"]?.text?.lowercased() {
        case "critical", "page", "emergency", "disaster": note.urgency = .critical
        case "info", "informational", "none": note.urgency = .low
        default: break
        }
        return note
    }

    /// The labels as text, such as `instance=db1, job=node`.
    private static func rest(of labels: JSONNode?) -> String? {
        let pairs = (labels?.members ?? [])
            .filter { $0.name != "alertname" && $0.name != "severity" }
            .compactMap { label in label.value.text.map { "\(label.name)=\($0)" } }
        return pairs.isEmpty
            ? nil : NoteText.cut(pairs.joined(separator: ", "), NoteText.bodyLimit)
    }

    /// One rule, as Grafana pushed it before it had groups.
    private static func ruleEvent(_ root: JSONNode) -> Event? {
        guard !root.has("alerts"), let rule = NoteText.name(root["ruleId"]),
            let state = root["state"]?.text
        else { return nil }
        let name = "alert:rule:\(rule)"
        if state == "ok" { return .ended(name: name, order: nil) }
        let title =
            NoteText.title(root["title"]) ?? NoteText.title(root["ruleName"]) ?? "Alert"
        var note = Note(
            conversation: "alerts:rule:\(rule)",
            conversationTitle: NoteText.title(root["ruleName"]) ?? title, title: title,
            body: NoteText.body(root["message"]) ?? NoteText.cut(state, NoteText.titleLimit))
        note.name = name
        note.link = NoteText.link(root["ruleUrl"])
        return note.event
    }
}
