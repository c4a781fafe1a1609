import Crypto
import Notifications
import SQLite
import WebPush

/// What an engine's updates mean for registrations and their callbacks.
///
/// Done behind the operation that made them and what that tells callbacks itself.
enum EngineConsequence {
    /// A push said that there is something to fetch.
    case fetch(device: UInt32, engine: UInt32, [Update.Detail])
    case revoke(engine: UInt32)
    case tell(CallbackEvent, engine: UInt32)
}

extension BatchExecutor {
    func follow() throws(StoreFault) {
        guard !following.isEmpty else { return }
        let consequences = following
        following = []
        for consequence in consequences {
            switch consequence {
            case .fetch(let device, let engine, let details):
                try fetch(device, engine, details)
            case .revoke(let engine): try revoke(engine)
            case .tell(let event, let engine):
                for registration in try registrations(of: engine) { try tell(event, registration) }
            }
        }
    }

    /// Fetchers that are there have heard of it; others find a signal, beside what they are told when
    /// they come.
    private func fetch(
        _ device: UInt32, _ engine: UInt32, _ details: [Update.Detail]
    ) throws(StoreFault) {
        var found = try registration(device)
        // It came by the endpoint of another account.
        if found?.engine != engine { found = try registrations(of: engine).first }
        guard let registration = found else { return }
        try tell(.fetch(count: 1, version: nil, details: details), registration)
        guard !index.engines.hasFetchers(registration.engine) else { return }
        var random = RandomSupply()
        let id: WebPush.MessageID
        do throws(OpenSSLError) { id = try WebPush.MessageID(from: &random) } catch {
            throw .crypto(error)
        }
        let signal = FetchSignal(
            id: id, version: nil, arrival: time.reading().wall,
            expiry: time.now.adding(seconds: FetchSignal.lifetime), told: 1)
        _ = try add(signal, device: registration.device)
        try handOut(device: registration.device, registration.engine)
    }

    func add(_ signal: FetchSignal, device: UInt32) throws(StoreFault) {
        var signals = try FetchSignalRows.load(device: device, on: database.connection)
        signals.expire(at: time.now)
        signals.arrived(signal)
        try FetchSignalRows.save(signals, device: device, on: database.connection)
    }

    /// The session is over: nothing may be sent in its name any more.
    private func revoke(_ engine: UInt32) throws(StoreFault) {
        for registration in try registrations(of: engine) {
            let last =
                registration.terms.callback == nil
                ? nil : try event(.sessionRevoked, of: registration)
            _ = try removeDevice(registration.device)
            _ = try perform(.end(callback: registration.device, last: last))
        }
    }

    private func tell(
        _ event: CallbackEvent, _ registration: Registration
    ) throws(StoreFault) {
        guard registration.terms.callback != nil else { return }
        _ = try perform(
            .add(try self.event(event, of: registration), to: registration.device))
    }

    /// Those that can be read.
    func registrations(of engine: UInt32) throws(StoreFault) -> [Registration] {
        let devices = try EngineRows.devices(engine, on: database.connection)
        var registrations: [Registration] = []
        for device in devices {
            if let registration = try registration(device) { registrations.append(registration) }
        }
        return registrations
    }

    /// Nil where there is none, or none that can be read.
    func registration(_ device: UInt32) throws(StoreFault) -> Registration? {
        let found = try RegistrationRows.find(device: device, on: database.connection, &sealer)
        if case .registration(let registration) = found { return registration }
        return nil
    }
}
