import Base
import WebPush

extension Overview {
    /// What the server has told, whatever that is. The newest events come first.
    init(shown node: JSONNode) {
        self.init(node)
        events.sort { $0.time > $1.time }
    }
}

/// Sentences about the whole server.
struct OverviewText {
    let report: Overview
    let context: ViewContext

    var title: String {
        ["bellwire", report.version, report.address].filter { !$0.isEmpty }
            .joined(separator: " ")
    }

    var uptime: String {
        guard report.began > 0, report.now >= report.began else { return "" }
        return context.language.say(.uptime, Self.span(report.now - report.began))
    }

    var totals: String {
        let counts = [\Overview.Counts.accepted, \.delivered, \.refused].map { place in
            report.counts.map { String($0[keyPath: place]) } ?? "?"
        }
        return context.language.say(.totals, counts[0], counts[1], counts[2])
    }

    var load: String {
        var parts: [String] = []
        let bytes = ByteCount.text(report.waitingBytes)
        parts.append(
            context.language.say(.waitingMessages, String(report.waitingMessages), bytes))
        if let clients = report.clients ?? report.userAgents {
            parts.append(context.language.say(.clients, String(clients)))
        }
        if let durations = report.durations, let half = durations.bound(of: 50) {
            let most = durations.bound(of: 99).map(Self.duration) ?? "…"
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

    static func duration(_ microseconds: Int) -> String {
        let seconds = Double(microseconds) / 1_000_000
        return seconds < 1 ? "\(tenths(seconds * 1_000)) ms" : "\(tenths(seconds)) s"
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

    func count(_ report: Overview) -> Int {
        switch self {
        case .registrations: report.registrations.count
        case .devices: report.devices.count
        case .errors: report.failures.count
        case .events: report.events.count
        }
    }

    /// The cells of each row, in the order of the columns.
    func rows(_ report: Overview, _ context: ViewContext, now: Int) -> [[String]] {
        func time(_ seconds: Int?) -> String {
            guard let seconds, seconds > 0 else { return context.say(.never) }
            return context.shortTime(seconds, now: now)
        }
        switch self {
        case .registrations:
            return report.registrations.map { row in
                [
                    row.name, row.state(context), time(row.lastPush), String(row.waiting),
                    time(row.expires), row.service ?? "",
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
            return report.failures.map { row in
                [String(row.number ?? 0), String(row.status), String(row.count), row.message]
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
    func detail(_ report: Overview, row: Int, _ context: ViewContext) -> String {
        switch self {
        case .registrations:
            let registration = report.registrations[row]
            return [registration.id, registration.owner].filter { !$0.isEmpty }
                .joined(separator: "  ")
        case .devices: return ""
        case .errors:
            return report.failures[row].advice.map { context.language.say(.advice, $0) } ?? ""
        case .events: return report.events[row].detail
        }
    }
}

extension Overview.Registration {
    fileprivate func state(_ context: ViewContext) -> String {
        let words = [isUnheard ? context.say(.noScreen) : "", isPaused ? context.say(.paused) : ""]
        return words.filter { !$0.isEmpty }.joined(separator: ", ")
    }
}

/// How many pushes a second were accepted, from one report to the next.
struct OverviewRates: Equatable, Sendable {
    /// More do not fit on a screen.
    private static let limit = 400

    private(set) var values: [Double] = []
    private var last: (began: Int, accepted: Int, time: Double)?

    var current: Double? { values.last }

    /// `time` is in seconds, of a clock that is not set.
    mutating func add(_ report: Overview, at time: Double) {
        guard let accepted = report.counts?.accepted else { return }
        defer { last = (report.began, accepted, time) }
        // A server that began anew counts anew.
        guard let last, last.began == report.began, accepted >= last.accepted, time > last.time
        else { return }
        values =
            values.suffix(Self.limit - 1) + [
                Double(accepted - last.accepted) / (time - last.time)
            ]
    }

    static func == (left: Self, right: Self) -> Bool { left.values == right.values }
}
