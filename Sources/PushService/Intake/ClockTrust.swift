import System

/// Whether the clock of this machine can be held against the times in a signature.
///
/// It cannot while it is before the day this program was written, as on machines that start without
/// a battery, or after it was moved far while the program ran.
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
