import SQLite

/// Telling callbacks that `registerDevice` is to be called again.
extension BatchExecutor {
    /// Some of those that are told at the start have not been.
    var isReminding: Bool { index.reminders.isUnderWay }

    /// Goes on with the round of the start.
    func remind(atMost limit: Int) throws(StoreFault) {
        guard let last = index.reminders.last else { return }
        try commit { () throws(StoreFault) in
            let devices = try database.callbacks(after: last, limit: limit)
            for device in devices { try remind(device: device) }
            effects.changes.append(.reminded(devices.count < limit ? nil : devices.last))
        }
    }

    /// Nothing where it has no callback.
    func remind(device: UInt32) throws(StoreFault) {
        let found = try RegistrationRows.find(device: device, on: database.connection, &sealer)
        guard case .registration(var registration) = found,
            registration.terms.callback != nil
        else { return }
        let revision = registration.revision
        registration.remind(at: time.now)
        let sealed = try seal(registration)
        _ = try RegistrationRows.update(
            registration, from: revision, sealed: sealed, on: database.connection)
        try remind(registration)
        effects.changes.append(.registration(device: device))
    }

    /// Nothing where nobody has said yet how it is described.
    func remind(_ registration: Registration) throws(StoreFault) {
        guard let parameters = index.reminders.parameters(of: registration) else { return }
        let event = try event(.refresh(registerDevice: parameters), of: registration)
        _ = try perform(.add(event, to: registration.device))
    }
}
