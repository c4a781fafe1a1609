import Crypto
import WebPush

/// Registrations as the batch sees them, and what waits for them.
extension Transaction {
    /// Nil if it does not exist or cannot be read.
    func registration(_ device: UInt32) throws(StoreFault) -> Registration? {
        if case .registration(let registration) = try find(device) { registration } else { nil }
    }

    func find(_ device: UInt32) throws(StoreFault) -> RegistrationRows.Found {
        try RegistrationRows.find(device: device, on: connection, &sealer)
    }

    /// The registrations of an engine that can be read.
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

    /// The signals that have not expired.
    func signals(device: UInt32) throws(StoreFault) -> FetchSignals {
        var signals = try FetchSignalRows.load(device: device, on: connection)
        signals.expire(at: time.now)
        return signals
    }

    func save(_ signals: FetchSignals, device: UInt32) throws(StoreFault) {
        try FetchSignalRows.save(signals, device: device, on: connection)
    }

    func removeSignals(device: UInt32) throws(StoreFault) -> FetchSignals {
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
