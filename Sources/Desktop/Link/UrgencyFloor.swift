package import WebPush

/// The state of the power supply.
package struct PowerState: Equatable, Sendable {
    package var isOnBattery: Bool
    /// In percent; nil without a battery.
    package var charge: Double?

    package init(isOnBattery: Bool = false, charge: Double? = nil) {
        self.isOnBattery = isOnBattery
        self.charge = charge
    }

    /// A battery that is charging does not count as low.
    var isLow: Bool { isOnBattery && (charge.map { $0 <= 15 } ?? false) }
}

extension Urgency {
    /// The least urgent messages that may wake this machine, as the UnifiedPush specification
    /// advises.
    package static func floor(_ power: PowerState, isMetered: Bool) -> Urgency {
        if power.isLow { return .high }
        switch (power.isOnBattery, isMetered) {
        case (false, false): return .veryLow
        case (true, true): return .normal
        default: return .low
        }
    }
}
