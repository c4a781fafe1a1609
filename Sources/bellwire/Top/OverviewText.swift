import Base

/// Sentences about the whole server.
struct OverviewText {
    let report: OverviewReport
    let context: ViewContext

    var title: String {
        ["bellwire", report.version, report.address].filter { !$0.isEmpty }
            .joined(separator: " ")
    }

    var uptime: String {
        guard let began = report.began, let now = report.now, now >= began else { return "" }
        return context.language.say(.uptime, Self.span(now - began))
    }

    var totals: String {
        let counts = ["accepted", "delivered", "refused"].map {
            report.counts[$0].map(String.init) ?? "?"
        }
        return context.language.say(.totals, counts[0], counts[1], counts[2])
    }

    var load: String {
        var parts: [String] = []
        if let messages = report.waitingMessages {
            let bytes = report.waitingBytes.map(ByteCount.text) ?? "?"
            parts.append(context.language.say(.waitingMessages, String(messages), bytes))
        }
        if let clients = report.clients {
            parts.append(context.language.say(.clients, String(clients)))
        }
        if let durations = report.durations, let half = durations.bound(for: 0.5) {
            let most = durations.bound(for: 0.99).map(Self.duration) ?? "…"
            parts.append(context.language.say(.slowest, Self.duration(half), most))
        }
        return parts.joined(separator: "  ")
    }

    /// Everything at once, for a file or another program.
    func plain(now: Int) -> String {
        let first = [title, uptime].filter { !$0.isEmpty }.joined(separator: "  ")
        let lines = [
            first, report.isUsable ? "" : context.say(.unusable), totals, load,
        ].filter { !$0.isEmpty }
        let tables = OverviewTable.allCases.compactMap { table -> String? in
            let rows = table.rows(report, context, now: now)
            guard !rows.isEmpty else { return nil }
            let cells = ([table.header(context)] + rows).map { row in
                row.map { Printable.text($0, limit: 200) }
            }
            return "\n\(context.say(table.title))\n" + TextTable.text(cells)
        }
        return lines.map { Printable.text($0) + "\n" }.joined() + tables.joined()
    }

    static func span(_ seconds: Int) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3_600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3_600) h \(seconds / 60 % 60) min"
        default: "\(seconds / 86_400) d \(seconds / 3_600 % 24) h"
        }
    }

    static func duration(_ seconds: Double) -> String {
        seconds < 1 ? "\(tenths(seconds * 1_000)) ms" : "\(tenths(seconds)) s"
    }

    /// With one digit after the point, if it is not zero.
    static func tenths(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "?" }
        let rounded = Int((value * 10).rounded())
        return rounded % 10 == 0 ? String(rounded / 10) : "\(rounded / 10).\(rounded % 10)"
    }
}
