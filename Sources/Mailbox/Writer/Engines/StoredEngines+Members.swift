import EngineHost
import Notifications

/// How the registrations of an account affect its engine.
extension StoredEngines {
    func engine(ofDevice device: UInt32) throws(StoreFault) -> UInt32? {
        try rows.engine(ofDevice: device)
    }

    func joined(_ registration: Registration, _ engine: UInt32) throws(StoreFault) {
        touched?.insert(engine)
        loaded[engine]?.members?.add(registration)
        if registration.terms.presentation != nil {
            try publishConsent(of: engine)
            try applyLooks(engine)
        }
        if registration.terms.service != nil { transaction.effects.changes.append(.engines) }
    }

    func changed(_ registration: Registration) {
        touched?.insert(registration.engine)
        loaded[registration.engine]?.members?.changed(registration)
    }

    /// All of them gave a sign of life.
    func recordedSignOfLife(_ registrations: [Registration], _ engine: UInt32) {
        touched?.insert(engine)
        loaded[engine]?.members?.recordedSignOfLife(registrations)
    }

    /// Ends the engine with the last registration of its account, or else removes what this one
    /// contributed. Nil stands for a registration that could not be read.
    func left(_ registration: Registration?, _ engine: UInt32) throws(StoreFault) {
        touched?.insert(engine)
        loaded[engine]?.remove(registration)
        guard try !transaction.devices(of: engine).isEmpty else { return try endEngine(engine) }
        let terms = registration?.terms
        if terms == nil || terms?.presentation != nil {
            try publishConsent(of: engine)
            try applyLooks(engine)
        }
        if terms == nil || terms?.service != nil { transaction.effects.changes.append(.engines) }
    }

    func members(of engine: LoadedEngine) throws(StoreFault) -> EngineMembers {
        if let members = engine.members { return members }
        let members = EngineMembers(try transaction.registrations(of: engine.row))
        engine.members = members
        return members
    }

    /// Call this when a registration of the account was added or removed.
    func publishConsent(of row: UInt32) throws(StoreFault) {
        guard index.engines.hasListeners(row) else { return }
        _ = try engine(row) { engine throws(StoreFault) in
            publish(row, .updates([.consent(try members(of: engine).consent)]))
            return .done
        }
    }

    /// The registration's callback has taken the action that the user chose.
    func end(action id: Int64, ofDevice device: UInt32) throws(StoreFault) {
        let row = try rows.engine(ofDevice: device)
        guard let row else { return }
        _ = try engine(row) { engine throws(StoreFault) in
            try request(.actionTaken(id), engine)
        }
    }

    /// The waiting messages were fetched, which selective engines need to know. An engine that
    /// cannot be read does not stop the fetch.
    func recordFetch(ofDevice device: UInt32) throws(StoreFault) {
        let row = try rows.engine(ofDevice: device)
        guard let row else { return }
        _ = try engine(row) { engine throws(StoreFault) in
            guard engine.hosted.engine.account.source.isSelective else { return .done }
            var change = SourceChange()
            change.isFetched = true
            return try request(.setSource(change), engine)
        }
    }

    /// A sign of life continues the session of the account, or begins a new one.
    func recordActivity(_ row: UInt32) throws(StoreFault) {
        _ = try engine(row) { engine throws(StoreFault) in
            guard engine.hosted.engine.account.source.sessionTimeout != nil else { return .done }
            return try request(.setSource(SourceChange()), engine)
        }
    }

    /// Another client of the account came into use, or went out of it.
    func setPaused(_ isPaused: Bool, engine row: UInt32) throws(StoreFault) {
        _ = try engine(row) { engine throws(StoreFault) in
            var change = SourceChange()
            change.isPaused = isPaused
            return try request(.setSource(change), engine)
        }
    }
}
