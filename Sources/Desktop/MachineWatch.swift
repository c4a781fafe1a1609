import Bus
import System
import WebPush

/// What system services report about this machine. Without them it counts as powered and online.
struct MachineState: Equatable, Sendable {
    enum Source: String, CaseIterable, Sendable {
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

    /// The least urgent messages that are wanted now.
    var floor: Urgency {
        var power = power
        power.charge = hasBattery ? charge : nil
        return .floor(power, isMetered: isMetered)
    }

    /// Applies properties of a service, all or only the changed ones. Returns whether the network
    /// changed, so that a failed attempt may work now.
    mutating func changed(_ source: Source, _ properties: [String: BusValue]) -> Bool {
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
    mutating func lost(_ source: Source) {
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
struct PowerState: Equatable, Sendable {
    var isOnBattery = false
    /// In percent; nil without a battery.
    var charge: Double?

    /// A battery that is charging does not count as low.
    var isLow: Bool { isOnBattery && (charge.map { $0 <= 15 } ?? false) }
}

extension Urgency {
    /// The least urgent messages that may wake this machine, as the UnifiedPush specification
    /// advises.
    static func floor(_ power: PowerState, isMetered: Bool) -> Urgency {
        if power.isLow { return .high }
        switch (power.isOnBattery, isMetered) {
        case (false, false): return .veryLow
        case (true, true): return .normal
        default: return .low
        }
    }
}

/// Follows UPower, NetworkManager and logind on the system bus. A missing service or bus reports
/// nothing. Only the thread of the loop uses it.
final class MachineWatch {
    private static let properties = "org.freedesktop.DBus.Properties"

    private let loop: EventLoop
    private var bus: BusConnection?
    private var subscriptions: [BusSubscription] = []
    private var state = MachineState()
    private let floorChanged: (Urgency) -> Void
    private let woken: () -> Void

    /// `floorChanged`: other messages are wanted now. `woken`: the network changed, or the machine
    /// has slept.
    init(
        on loop: EventLoop, floorChanged: @escaping (Urgency) -> Void,
        woken: @escaping () -> Void
    ) {
        self.loop = loop
        self.floorChanged = floorChanged
        self.woken = woken
    }

    func start() {
        do throws(BusError) {
            let bus = try BusConnection(to: .system, on: loop) { [weak self] _ in self?.lost() }
            self.bus = bus
            for source in MachineState.Source.allCases { try watch(source, on: bus) }
            let sleep = BusRule(
                sender: "org.freedesktop.login1", path: "/org/freedesktop/login1",
                interface: "org.freedesktop.login1.Manager", member: "PrepareForSleep")
            subscriptions.append(
                try bus.listen(for: sleep) { [weak self] signal in
                    if signal.arguments.first == .boolean(false) { self?.woken() }
                })
        } catch {
            lost()
        }
    }

    func end() {
        subscriptions = []
        bus?.close()
        bus = nil
    }

    private func watch(_ source: MachineState.Source, on bus: BusConnection) throws(BusError) {
        let rule = BusRule(
            sender: source.service, path: source.path, interface: Self.properties,
            member: "PropertiesChanged", argument: source.rawValue)
        subscriptions.append(
            try bus.listen(for: rule) { [weak self] signal in
                guard signal.arguments.count == 3 else { return }
                self?.changed(source, signal.arguments[1].members ?? [:])
            })
        subscriptions.append(
            try bus.watchOwner(of: source.service) { [weak self] _, owner in
                if owner == nil {
                    self?.lost(source)
                } else {
                    self?.ask(source)
                }
            })
        ask(source)
    }

    private func ask(_ source: MachineState.Source) {
        let call = BusMethodCall(
            to: source.service, path: source.path, interface: Self.properties, member: "GetAll",
            [.string(source.rawValue)], startsService: false)
        bus?.call(call) { [weak self] reply in
            guard case .success(let values) = reply else { return }
            self?.changed(source, values.first?.members ?? [:])
        }
    }

    private func changed(_ source: MachineState.Source, _ properties: [String: BusValue]) {
        let isAnotherNetwork = state.changed(source, properties)
        floorChanged(state.floor)
        if isAnotherNetwork { woken() }
    }

    private func lost(_ source: MachineState.Source) {
        state.lost(source)
        floorChanged(state.floor)
    }

    private func lost() {
        end()
        state = MachineState()
        floorChanged(state.floor)
    }
}

extension MachineState.Source {
    fileprivate var service: String {
        self == .network ? "org.freedesktop.NetworkManager" : "org.freedesktop.UPower"
    }

    fileprivate var path: String {
        switch self {
        case .power: "/org/freedesktop/UPower"
        case .battery: "/org/freedesktop/UPower/devices/DisplayDevice"
        case .network: "/org/freedesktop/NetworkManager"
        }
    }
}
