import Base
import Notifications

/// How the registrations of an account affect its engine.
extension StoredEngines {
    func engine(ofDevice device: UInt32) throws(StoreFault) -> UInt32? {
        try rows.engine(ofDevice: device)
    }

    func joined(_ registration: Registration, _ engine: UInt32) throws(StoreFault) {
        touched?.insert(engine)
        loaded[engine]?.registrations?.add(registration)
        if registration.terms.presentation != nil || registration.terms.topic.dismissal == .here {
            try publishConsent(of: engine)
            try applyLooks(engine)
        }
        if registration.terms.service != nil { transaction.effects.changes.append(.engines) }
    }

    func changed(_ registration: Registration) {
        touched?.insert(registration.engine)
        loaded[registration.engine]?.registrations?.changed(registration)
    }

    /// What a registration of the account agrees to has changed.
    func changedConsent(of engine: UInt32) throws(StoreFault) {
        touched?.insert(engine)
        loaded[engine]?.registrations = nil
        try publishConsent(of: engine)
    }

    /// All of them gave a sign of life.
    func recordedSignOfLife(_ registrations: [Registration], _ engine: UInt32) {
        touched?.insert(engine)
        loaded[engine]?.registrations?.recordedSignOfLife(registrations)
    }

    /// Ends the engine with the last registration of its account, or else removes what this one
    /// contributed. Nil stands for a registration that could not be read.
    func left(_ registration: Registration?, _ engine: UInt32) throws(StoreFault) {
        touched?.insert(engine)
        loaded[engine]?.remove(registration)
        guard try !transaction.devices(of: engine).isEmpty else { return try endEngine(engine) }
        let terms = registration?.terms
        if terms == nil || terms?.presentation != nil || terms?.topic.dismissal == .here {
            try publishConsent(of: engine)
            try applyLooks(engine)
        }
        if terms == nil || terms?.service != nil { transaction.effects.changes.append(.engines) }
    }

    func registrations(of engine: LoadedEngine) throws(StoreFault) -> AccountRegistrations {
        if let registrations = engine.registrations { return registrations }
        let registrations = AccountRegistrations(try transaction.registrations(of: engine.row))
        engine.registrations = registrations
        return registrations
    }

    /// Call this when a registration of the account was added, changed or removed.
    func publishConsent(of row: UInt32) throws(StoreFault) {
        guard index.engines.hasListeners(row) else { return }
        _ = try engine(row) { engine throws(StoreFault) in
            publish(row, .updates([.consent(try registrations(of: engine).consent)]))
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

/// The source of an account as its registrations define it: how it rings and how it looks.
extension StoredEngines {
    /// How many groups are visible until the client says otherwise: the most that TDLib allows.
    private static let groupCountMax: Int64 = 25
    /// How many notifications of a chat are visible where nothing else shows the earlier ones.
    private static let scriptSizeMax: Int64 = 25

    /// The initial account. The latest registration that sets a value wins. A session begins with
    /// its registration.
    func account(of registrations: [Registration]) -> Account {
        let terms = registrations.map(\.terms)
        var account = Account()
        account.userID = terms.lazy.compactMap(\.userID).first ?? 0
        account.options[OptionName.groupCountMax] = .integer(Self.groupCountMax)
        if let terms = terms.first, terms.isOnlyShown {
            account.options[OptionName.groupSizeMax] = .integer(Self.scriptSizeMax)
            account.options[OptionName.title] = .string(terms.account)
        }
        let mode = terms.compactMap(\.askedMode).last ?? terms.first?.notifyMode
        if let mode = mode?.ofSource { account.source.notifyMode = mode }
        let timeouts = terms.filter { $0.dialect == .icq }
        let timeout = timeouts.compactMap(\.askedTimeout).last ?? timeouts.first?.sessionTimeout
        account.source.sessionTimeout = timeout.map { Int32(clamping: $0) }
        if timeout != nil { account.source.lastActivity = wall }
        if let looks = Self.presentation(of: registrations) {
            account.source.presentation = SourcePresentation(looks)
        }
        return account
    }

    /// Applies the ring settings of a later registration of the account.
    func applyRinging(_ terms: RegistrationTerms, _ row: UInt32) throws(StoreFault) {
        let timeout = terms.dialect == .icq ? terms.askedTimeout : nil
        guard terms.askedMode != nil || timeout != nil else { return }
        var change = SourceChange()
        change.notifyMode = terms.askedMode?.ofSource
        change.sessionTimeout = timeout.map { Int32(clamping: $0) }
        _ = try engine(row) { engine throws(StoreFault) in
            try request(.setSource(change), engine)
        }
    }

    /// Applies what the registrations say about looks to the whole account.
    func applyLooks(_ row: UInt32) throws(StoreFault) {
        guard let looks = Self.presentation(of: try transaction.registrations(of: row)) else {
            return
        }
        _ = try engine(row) { engine throws(StoreFault) in
            try request(.setSource(SourceChange(presentation: looks)), engine)
        }
    }

    /// Takes each member from the latest registration that has it.
    private static func presentation(of registrations: [Registration]) -> JSONNode? {
        var names: Set<String> = []
        var writer = JSONWriter()
        writer.object { writer in
            for registration in registrations.reversed() {
                let members = registration.terms.looks?.members ?? []
                for (name, value) in members where names.insert(name).inserted {
                    writer.name(text: name)
                    writer.value(value)
                }
            }
        }
        return try? JSONDocument(writer.bytes).root
    }
}

extension RegistrationTerms.NotifyMode {
    fileprivate var ofSource: SourceState.NotifyMode? { SourceState.NotifyMode(name: rawValue) }
}
