import Crypto
import WebPush

/// Registrations, as a batch finds them, and what waits for them.
extension Transaction {
    /// Nil where there is none, or none that can be read.
    func registration(_ device: UInt32) throws(StoreFault) -> Registration? {
        if case .registration(let registration) = try find(device) { registration } else { nil }
    }

    func find(_ device: UInt32) throws(StoreFault) -> RegistrationRows.Found {
        try RegistrationRows.find(device: device, on: connection, &sealer)
    }

    /// Those that can be read.
    func registrations(of engine: UInt32) throws(StoreFault) -> [Registration] {
        var registrations: [Registration] = []
        for device in try devices(of: engine) {
            if let registration = try registration(device) { registrations.append(registration) }
        }
        return registrations
    }

    func devices(of engine: UInt32) throws(StoreFault) -> [UInt32] {
        try EngineRows.devices(engine, on: connection)
    }

    /// Those that are still worth something.
    func signals(device: UInt32) throws(StoreFault) -> FetchSignals {
        var signals = try FetchSignalRows.load(device: device, on: connection)
        signals.expire(at: time.now)
        return signals
    }

    func save(_ signals: FetchSignals, device: UInt32) throws(StoreFault) {
        try FetchSignalRows.save(signals, device: device, on: connection)
    }

    func takeSignals(device: UInt32) throws(StoreFault) -> FetchSignals {
        let signals = try signals(device: device)
        try save(FetchSignals(), device: device)
        return signals
    }

    func newID() throws(StoreFault) -> MessageID {
        var random = RandomSupply()
        do throws(OpenSSLError) { return try MessageID(from: &random) } catch {
            throw .crypto(error)
        }
    }
}
