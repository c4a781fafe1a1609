/// How many pushes a second were accepted, from one report to the next.
struct OverviewRates: Equatable, Sendable {
    /// More do not fit on a screen.
    private static let limit = 400

    private(set) var values: [Double] = []
    private var last: (began: Int?, accepted: Int, time: Double)?

    var current: Double? { values.last }

    /// `time` is in seconds, of a clock that is not set.
    mutating func add(_ report: OverviewReport, at time: Double) {
        guard let accepted = report.counts["accepted"] else { return }
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
