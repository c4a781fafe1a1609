import Bus
package import Reactor
package import WebPush

/// Follows UPower, NetworkManager and logind on the system bus. A missing service or bus reports
/// nothing. Only the thread of the loop uses it.
package final class MachineWatch {
    private static let properties = "org.freedesktop.DBus.Properties"

    private let loop: EventLoop
    private var bus: BusConnection?
    private var subscriptions: [BusSubscription] = []
    private var state = MachineState()
    private let floorChanged: (Urgency) -> Void
    private let woken: () -> Void

    /// `floorChanged`: other messages are wanted now. `woken`: the network changed, or the machine
    /// has slept.
    package init(
        on loop: EventLoop, floorChanged: @escaping (Urgency) -> Void,
        woken: @escaping () -> Void
    ) {
        self.loop = loop
        self.floorChanged = floorChanged
        self.woken = woken
    }

    package func start() {
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

    package func end() {
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
