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

/// The tables of `bellwire top`.
enum OverviewTable: Int, CaseIterable, Sendable {
    case registrations, devices, errors, events

    var title: TerminalSentence {
        switch self {
        case .registrations: .registrations
        case .devices: .devices
        case .errors: .errors
        case .events: .events
        }
    }

    private var columns: [TerminalSentence] {
        switch self {
        case .registrations: [.account, .state, .lastDelivery, .waitingCount, .expires, .service]
        case .devices: [.name, .owner, .connected, .lastSeen, .created]
        case .errors: [.number, .status, .count, .message]
        case .events: [.time, .kind, .subject, .detail]
        }
    }

    func header(_ context: ViewContext) -> [String] { columns.map(context.say) }

    func count(_ report: OverviewReport) -> Int {
        switch self {
        case .registrations: report.registrations.count
        case .devices: report.devices.count
        case .errors: report.refusals.count
        case .events: report.events.count
        }
    }

    /// The cells of each row, in the order of the columns.
    func rows(_ report: OverviewReport, _ context: ViewContext, now: Int) -> [[String]] {
        func time(_ seconds: Int?) -> String {
            seconds.map { context.shortTime($0, now: now) } ?? context.say(.never)
        }
        switch self {
        case .registrations:
            return report.registrations.map { row in
                [
                    row.account, row.state(context), time(row.lastDelivery), String(row.waiting),
                    time(row.expires), row.service,
                ]
            }
        case .devices:
            return report.devices.map { row in
                [
                    row.name, row.owner, context.say(row.isConnected ? .yes : .no),
                    row.isConnected ? "" : time(row.lastSeen), time(row.created),
                ]
            }
        case .errors:
            return report.refusals.map { row in
                [String(row.number), String(row.status), String(row.count), row.message]
            }
        case .events:
            return report.events.map { row in
                let seconds = row.time / 1_000 % 60
                return [
                    context.shortTime(row.time / 1_000, now: now)
                        + (seconds < 10 ? ":0" : ":") + String(seconds),
                    row.kind, row.subject, row.detail,
                ]
            }
        }
    }

    /// What there is to say of one row besides its cells.
    func detail(_ report: OverviewReport, row: Int, _ context: ViewContext) -> String {
        switch self {
        case .registrations:
            let registration = report.registrations[row]
            return [registration.id, registration.owner].filter { !$0.isEmpty }
                .joined(separator: "  ")
        case .devices: return ""
        case .errors:
            let advice = report.refusals[row].advice
            return advice.isEmpty ? "" : context.language.say(.advice, advice)
        case .events: return report.events[row].detail
        }
    }
}

extension OverviewReport.Registration {
    fileprivate func state(_ context: ViewContext) -> String {
        let words = [isUnheard ? context.say(.noScreen) : "", isPaused ? context.say(.paused) : ""]
        return words.filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
