import Base
import System
import Topics

/// The time zones of this machine, each read when it is first asked for.
final class TimeZones: Sendable {
    private static let folder = "/usr/share/zoneinfo/"
    /// There are about 600 names.
    private static let limit = 1_000

    private let known = Lock<[String: TimeZoneRule]>([:])

    /// The zone of that name, or of the machine for an empty one; nil if there is none. `name` obeys
    /// `TimeZoneRule.isName`.
    func rule(_ name: String) -> TimeZoneRule? {
        if let rule = known.withLock({ $0[name] }) { return rule }
        let path = name.isEmpty ? "/etc/localtime" : Self.folder + name
        let file = try? ForeignFile.read(path, followsLink: true)
        let rule = file.flatMap { TimeZoneRule(file: $0) }
        // A machine without a zone has clocks that show UTC, and maybe no files of zones at all.
        guard let rule = rule ?? (["", "UTC"].contains(name) ? .utc : nil) else { return nil }
        known.withLock { if $0.count < Self.limit { $0[name] = rule } }
        return rule
    }
}
