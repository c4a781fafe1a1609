/// Registrations of a program that had no engines.
extension StoredRegistrations {
    /// The schema cannot do this: an engine's name is hashed and its account sealed.
    func giveEngines(to devices: [UInt32]) throws(StoreFault) {
        for device in devices {
            // One that cannot be read takes no pushes anyway.
            guard let registration = try transaction.registration(device) else { continue }
            let engine = try engines.engine(for: registration)
            try RegistrationRows.set(engine: engine, of: device, on: transaction.connection)
            try engines.joined(registration, engine)
        }
    }
}
