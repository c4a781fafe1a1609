package import Base

/// Groups of alerts, as Prometheus Alertmanager and Grafana push them: what fires is shown, and what
/// is resolved is taken back.
package enum AlertsDialect {
    /// How many alerts of a push are shown; one more notification says how many others there are.
    static let shownLimit = 16

    static let alertmanager = Webhook(
        sources: [
            "alertmanager": """
            in alertmanager.yml, below receivers: webhook_configs with this url, and send_resolved: true
            """
        ],
        members: members, marks: ["alerts"],
        isSurely: { root, _ in
            root["alerts"]?.kind == .array
                && (root.has("groupKey") || root.has("receiver") || root.has("resolved"))
        }, cut: cut)

    static let grafana = Webhook(
        sources: [
            "grafana": "in Grafana: Alerting, Contact points, an integration of type Webhook"
        ],
        members: members, marks: ["ruleId"],
        isSurely: { root, _ in root.has("ruleId") && root.has("ruleName") && root.has("state") },
        cut: cut)

    /// Of one rule, and of what is no alert at all.
    private static let members: Set = [
        "body", "click", "message", "priority", "ruleId", "ruleName", "ruleUrl", "state", "tags",
        "title", "topic",
    ]

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

    /// The messages of the alerts that are resolved, as if they fired.
    package static func resolved(_ root: JSONNode) -> [Event] {
        let alerts = (root["alerts"]?.elements ?? []).filter(isResolved)
        return alerts.prefix(shownLimit).map { note(of: $0, AlertGroup(root)).event }
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

/// A push with many alerts, cut to what is shown. Every resolved alert stays, by its fingerprint, so
/// that none remains on the screen.
extension AlertsDialect {
    /// How much of a push is kept.
    private struct Measure {
        let text: Int
        let labels: Int
        let alerts: Int
    }

    private static let measures = [
        Measure(text: 600, labels: 12, alerts: shownLimit),
        Measure(text: 200, labels: 8, alerts: shownLimit), Measure(text: 80, labels: 5, alerts: 12),
        Measure(text: 40, labels: 3, alerts: 4),
    ]

    /// Nil if it does not fit even so.
    private static func cut(_ root: JSONNode) -> [UInt8]? {
        guard root.has("alerts") else { return MemberCutter(names: members).cut(root) }
        guard let alerts = root["alerts"], alerts.kind == .array else { return nil }
        let limit = Dialect.cutLimit
        let all = alerts.elements
        let firing = all.filter { !isResolved($0) }
        let resolved = all.filter(isResolved).compactMap { NoteText.name($0["fingerprint"]) }
        for measure in measures {
            var writer = JSONWriter(capacity: 2 * limit)
            writer.object { writer in
                writeGroup(root, measure, to: &writer)
                let missing = max(0, root["truncatedAlerts"]?.integer ?? 0)
                let more = Int64(max(0, firing.count - measure.alerts))
                let total = missing.addingReportingOverflow(more)
                writer.member("truncatedAlerts", Int(total.overflow ? more : total.partialValue))
                writer.name("alerts")
                writer.array { writer in
                    for alert in firing.prefix(measure.alerts) {
                        write(alert, measure, to: &writer)
                    }
                }
                writer.name("resolved")
                writer.array { writer in for name in resolved { writer.string(name) } }
            }
            if writer.count <= limit { return writer.bytes }
        }
        return nil
    }

    private static func writeGroup(
        _ root: JSONNode, _ measure: Measure, to writer: inout JSONWriter
    ) {
        for name in ["status", "receiver", "groupKey"] as [StaticString] {
            // The key has to stay what it is in other pushes of the group.
            let limit = measure.text < NoteText.titleLimit ? NoteText.titleLimit : measure.text
            if let text = root[name]?.text { writer.member(name, NoteText.cut(text, limit)) }
        }
        if let link = root["externalURL"]?.text, link.utf8.count <= measure.text {
            writer.member("externalURL", link)
        }
        for name in ["groupLabels", "commonLabels"] as [StaticString] {
            guard let text = root[name]?["alertname"]?.text else { continue }
            writer.name(name)
            writer.object { $0.member("alertname", NoteText.cut(text, measure.text)) }
        }
    }

    private static func write(
        _ alert: JSONNode, _ measure: Measure, to writer: inout JSONWriter
    ) {
        writer.object { writer in
            writer.member("status", "firing")
            if let name = NoteText.name(alert["fingerprint"]) { writer.member("fingerprint", name) }
            writer.name("labels")
            writeTexts(labels(of: alert, measure.labels), measure.text, to: &writer)
            writer.name("annotations")
            let annotations = (alert["annotations"]?.members ?? []).filter {
                ["summary", "description", "message"].contains($0.name)
            }
            writeTexts(annotations, measure.text, to: &writer)
            for name in ["panelURL", "dashboardURL", "generatorURL"] as [StaticString] {
                guard let link = alert[name]?.text, link.utf8.count <= measure.text else {
                    continue
                }
                // One link is shown.
                writer.member(name, link)
                break
            }
        }
    }

    /// The two labels that matter, then others.
    private static func labels(
        of alert: JSONNode, _ limit: Int
    ) -> [(name: String, value: JSONNode)] {
        let all = alert["labels"]?.members ?? []
        let first = all.filter { $0.name == "alertname" || $0.name == "severity" }
        let others = all.filter { $0.name != "alertname" && $0.name != "severity" }
        return Array(first.prefix(2)) + others.prefix(limit)
    }

    private static func writeTexts(
        _ members: [(name: String, value: JSONNode)], _ limit: Int, to writer: inout JSONWriter
    ) {
        var names: Set<String> = []
        writer.object { writer in
            for (name, value) in members where names.insert(name).inserted {
                guard let text = value.text, name.utf8.count <= NoteText.nameLimit else { continue }
                writer.member(text: name, NoteText.cut(text, limit))
            }
        }
    }
}

/// What the alerts of a push have in common.
struct AlertGroup {
    let conversation: String
    let title: String
    let link: JSONNode?

    init(_ root: JSONNode) {
        let key = NoteText.cut(root["groupKey"]?.text ?? "", NoteText.titleLimit)
        conversation = "alerts:\(key)"
        title =
            NoteText.title(root["commonLabels"]?["alertname"])
            ?? NoteText.title(root["groupLabels"]?["alertname"])
            ?? NoteText.title(root["receiver"]) ?? "Alerts"
        link = root["externalURL"]
    }

    var restName: String { "\(conversation):more" }

    func rest(of count: Int64) -> Note {
        var note = Note(
            conversation: conversation, conversationTitle: title, title: title,
            body: count == 1 ? "1 more alert" : "\(count) more alerts")
        note.name = restName
        note.link = NoteText.link(link)
        note.urgency = .low
        return note
    }
}
