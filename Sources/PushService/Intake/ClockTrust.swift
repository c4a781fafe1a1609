import System

/// Whether this machine's clock is good enough to judge the times in a signature.
///
/// It is not good enough while it shows a day before this program was written, as on a machine
/// without a battery, or after it was moved far while the program ran.
package struct ClockTrust: Sendable {
    private static let earliest: Double = 1_767_225_600
    private static let tolerance: Double = 60 * 60

    private let start: Double
    private let boot: Int64

    init(at now: Double) {
        start = now
        boot = Boot.milliseconds
    }

    /// Whether a clock can show this time: it is after this program was written.
    package static func isPlausible(_ now: Double) -> Bool { now >= earliest }

    func isTrusted(_ now: Double) -> Bool {
        let elapsed = Double(Boot.milliseconds - boot) / 1_000
        return Self.isPlausible(now) && abs(now - start - elapsed) < Self.tolerance
    }
}
