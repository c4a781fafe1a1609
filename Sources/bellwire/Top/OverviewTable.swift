import Base

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
