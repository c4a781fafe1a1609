import Base

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

    /// Nil if it holds no alerts, or does not fit even so.
    static func cut(_ root: JSONNode, to limit: Int) -> [UInt8]? {
        guard let alerts = root["alerts"], alerts.kind == .array else { return nil }
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
