import Notifications
import SQLite
import WebPush

/// Fetch signals for clients of engines.
extension BatchExecutor {
    /// Gives the fetch signal that is next to the clients, if there are any. One that was given and
    /// is not confirmed yet comes again only for who may not have heard it: viewers among them, which
    /// hear of it for a program that their registration names, and may not reach it.
    func handOut(
        device: UInt32, _ engine: UInt32, again: Bool = false
    ) throws(StoreFault) {
        guard index.engines.hasListeners(engine) else { return }
        let hasFetchers = index.engines.hasFetchers(engine)
        if !hasFetchers, try registration(device)?.terms.service == nil { return }
        guard let found = try take(device, again: again || !hasFetchers, hasFetchers),
            let registration = try registration(device)
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
        var signals = try FetchSignalRows.load(device: device, on: database.connection)
        let former = signals
        signals.expire(at: time.now)
        var found = again || signals.inFlight == nil ? signals.take() : nil
        while hasFetchers, let signal = found, signal.told >= signal.count {
            signals.confirm(signal.id)
            found = signals.take()
        }
        if signals != former {
            try FetchSignalRows.save(signals, device: device, on: database.connection)
        }
        return found
    }

    func confirm(
        _ id: WebPush.MessageID, device: UInt32?, _ engine: UInt32
    ) throws(StoreFault) -> StoreOutcome {
        var devices = device.map { [$0] } ?? []
        if device == nil {
            devices = try EngineRows.waitingDevices(engine, on: database.connection)
        }
        for device in devices where try confirm(id, device) {
            try handOut(device: device, engine)
        }
        return .done
    }

    /// Whether another one waits behind it.
    private func confirm(
        _ id: WebPush.MessageID, _ device: UInt32
    ) throws(StoreFault) -> Bool {
        var signals = try FetchSignalRows.load(device: device, on: database.connection)
        guard signals.inFlight?.id == id else { return false }
        signals.confirm(id)
        try FetchSignalRows.save(signals, device: device, on: database.connection)
        return signals.waiting != nil
    }
}
