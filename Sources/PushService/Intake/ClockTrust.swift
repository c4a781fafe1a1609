import System

/// Whether this machine's clock is good enough to judge the times in a signature.
///
/// It is not while it shows a day before this program was written, as on a machine without a
/// battery, or after it was moved far while the program ran.
struct ClockTrust: Sendable {
    private static let earliest: Double = 1_767_225_600
    private static let tolerance: Double = 60 * 60

    private let start: Double
    private let boot: Int64

    init(at now: Double) {
        start = now
        boot = Boot.milliseconds
    }

    func isTrusted(_ now: Double) -> Bool {
        let elapsed = Double(Boot.milliseconds - boot) / 1_000
        return now >= Self.earliest && abs(now - start - elapsed) < Self.tolerance
    }
}
