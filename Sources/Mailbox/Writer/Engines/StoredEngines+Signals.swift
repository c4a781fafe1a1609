import Delivery
import WebPush

/// Fetch signals for clients of engines.
extension StoredEngines {
    func receive(_ signal: FetchSignal, _ address: Address) throws(StoreFault) -> StoreOutcome {
        guard try messages.has(subscription: address.subscription) else { return .notFound }
        try add(signal, device: address.device)
        guard let engine = try rows.engine(ofDevice: address.device) else { return .notFound }
        try handOut(device: address.device, engine)
        return .done
    }

    /// Leaves a signal that there is something to fetch. Connected fetchers know already.
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
        signals.add(signal)
        try transaction.save(signals, device: device)
    }

    /// Gives the next fetch signal to the connected clients. A signal that was given but not
    /// confirmed is repeated only for clients that may have missed it. That includes viewers: they
    /// get it on behalf of the program that the registration names, and might not reach it.
    func handOut(
        device: UInt32, _ engine: UInt32, again: Bool = false
    ) throws(StoreFault) {
        guard index.engines.hasListeners(engine) else { return }
        let hasFetchers = index.engines.hasFetchers(engine)
        if !hasFetchers, try transaction.registration(device)?.terms.service == nil { return }
        guard let found = try nextSignal(device, again: again || !hasFetchers, hasFetchers),
            let registration = try transaction.registration(device)
        else { return }
        publish(
            engine,
            .signal(
                EngineNews.HandedSignal(
                    signal: found, count: hasFetchers ? found.count - found.told : found.count,
                    device: device, registration: registration.id,
                    service: registration.terms.service, hasFetchers: hasFetchers)))
    }

    /// Skips signals whose pushes the engine has already reported to fetchers.
    private func nextSignal(
        _ device: UInt32, again: Bool, _ hasFetchers: Bool
    ) throws(StoreFault) -> FetchSignal? {
        var signals = try FetchSignalRows.load(device: device, on: transaction.connection)
        let former = signals
        signals.expire(at: transaction.time.now)
        var found = again || signals.inFlight == nil ? signals.handOut() : nil
        while hasFetchers, let signal = found, signal.told >= signal.count {
            signals.confirm(signal.id)
            found = signals.handOut()
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

    /// Returns whether another signal is waiting.
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
