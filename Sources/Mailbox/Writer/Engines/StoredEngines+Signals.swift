import Delivery
import Notifications
import WebPush

/// Fetch signals for clients of engines.
extension StoredEngines {
    func take(_ signal: FetchSignal, _ address: Address) throws(StoreFault) -> StoreOutcome {
        guard try rows.has(subscription: address.subscription) else { return .notFound }
        try add(signal, device: address.device)
        guard let engine = try rows.engine(ofDevice: address.device) else { return .notFound }
        try handOut(device: address.device, engine)
        return .done
    }

    /// That there is something to fetch: fetchers that are there have heard of it.
    func leaveSignal(for registration: Registration) throws(StoreFault) {
        guard !index.engines.hasFetchers(registration.engine) else { return }
        let signal = FetchSignal(
            id: try transaction.newID(), version: nil, arrival: transaction.time.reading().wall,
            expiry: transaction.time.now.adding(seconds: FetchSignal.lifetime), told: 1)
        try add(signal, device: registration.device)
        try handOut(device: registration.device, registration.engine)
    }

    private func add(_ signal: FetchSignal, device: UInt32) throws(StoreFault) {
        var signals = try transaction.signals(device: device)
        signals.arrived(signal)
        try transaction.save(signals, device: device)
    }

    /// Gives the fetch signal that is next to the clients, if there are any. One that was given and
    /// is not confirmed yet comes again only for who may not have heard it: viewers among them, which
    /// hear of it for a program that their registration names, and may not reach it.
    func handOut(
        device: UInt32, _ engine: UInt32, again: Bool = false
    ) throws(StoreFault) {
        guard index.engines.hasListeners(engine) else { return }
        let hasFetchers = index.engines.hasFetchers(engine)
        if !hasFetchers, try transaction.registration(device)?.terms.service == nil { return }
        guard let found = try take(device, again: again || !hasFetchers, hasFetchers),
            let registration = try transaction.registration(device)
        else { return }
        tell(
            engine,
            .signal(
                EngineNews.HandedSignal(
                    signal: found, count: hasFetchers ? found.count - found.told : found.count,
                    device: device, registration: registration.id,
                    service: registration.terms.service, hasFetchers: hasFetchers)))
    }

    /// What the engine itself has told fetchers of is no news to them.
    private func take(
        _ device: UInt32, again: Bool, _ hasFetchers: Bool
    ) throws(StoreFault) -> FetchSignal? {
        var signals = try FetchSignalRows.load(device: device, on: transaction.connection)
        let former = signals
        signals.expire(at: transaction.time.now)
        var found = again || signals.inFlight == nil ? signals.take() : nil
        while hasFetchers, let signal = found, signal.told >= signal.count {
            signals.confirm(signal.id)
            found = signals.take()
        }
        if signals != former { try transaction.save(signals, device: device) }
        return found
    }

    func confirm(
        _ id: MessageID, device: UInt32?, _ engine: UInt32
    ) throws(StoreFault) -> StoreOutcome {
        var devices = device.map { [$0] } ?? []
        if device == nil {
            devices = try EngineRows.waitingDevices(engine, on: transaction.connection)
        }
        for device in devices where try confirm(id, device) {
            try handOut(device: device, engine)
        }
        return .done
    }

    /// Whether another one waits behind it.
    private func confirm(
        _ id: MessageID, _ device: UInt32
    ) throws(StoreFault) -> Bool {
        var signals = try FetchSignalRows.load(device: device, on: transaction.connection)
        guard signals.inFlight?.id == id else { return false }
        signals.confirm(id)
        try transaction.save(signals, device: device)
        return signals.waiting != nil
    }
}
