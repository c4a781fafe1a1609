package import Bus
package import WebPush

/// What system services report about this machine. Without them it counts as powered and online.
package struct MachineState: Equatable, Sendable {
    package enum Source: String, CaseIterable, Sendable {
        case power = "org.freedesktop.UPower"
        case battery = "org.freedesktop.UPower.Device"
        case network = "org.freedesktop.NetworkManager"
    }

    private var power = PowerState()
    private var charge: Double?
    private var hasBattery = false
    private var isMetered = false
    /// NM_STATE_CONNECTED_SITE and above: other machines can be reached.
    private var isConnected = true
    private var connection: String?

    package init() {}

    /// The least urgent messages that are wanted now.
    package var floor: Urgency {
        var power = power
        power.charge = hasBattery ? charge : nil
        return .floor(power, isMetered: isMetered)
    }

    /// Applies properties of a service, all or only the changed ones. Returns whether the network
    /// changed, so that a failed attempt may work now.
    package mutating func changed(_ source: Source, _ properties: [String: BusValue]) -> Bool {
        switch source {
        case .power:
            if case .boolean(let value)? = properties["OnBattery"] { power.isOnBattery = value }
        case .battery:
            if let value = properties["Percentage"]?.number { charge = value }
            if case .boolean(let value)? = properties["IsPresent"] { hasBattery = value }
        case .network: return networkChanged(properties)
        }
        return false
    }

    /// The service has ended, so its properties are unknown.
    package mutating func lost(_ source: Source) {
        switch source {
        case .power: power = PowerState()
        case .battery: hasBattery = false
        case .network:
            isMetered = false
            isConnected = true
            connection = nil
        }
    }

    private mutating func networkChanged(_ properties: [String: BusValue]) -> Bool {
        // NM_METERED_YES and NM_METERED_GUESS_YES
        if let value = properties["Metered"]?.integer { isMetered = value == 1 || value == 3 }
        var isNew = false
        if let value = properties["PrimaryConnection"]?.text, value != connection {
            isNew = connection != nil && value != "/"
            connection = value
        }
        if let state = properties["State"]?.integer {
            isNew = isNew || (!isConnected && state >= 60)
            isConnected = state >= 60
        }
        return isNew
    }
}

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
