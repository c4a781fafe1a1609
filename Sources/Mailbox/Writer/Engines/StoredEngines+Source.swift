import Base
import Notifications

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
