import Base
import EngineHost
import Notifications

/// What the registrations of an account say about its source: how it rings, and how it looks.
extension StoredEngines {
    /// Of groups, until the client says something else. All that TDLib allows.
    private static let groupCountMax: Int64 = 25

    /// As it begins: of those that say something the latest counts.
    static func account(of registrations: [Registration]) -> Account {
        let terms = registrations.map(\.terms)
        var account = Account()
        account.userID = terms.lazy.compactMap(\.userID).first ?? 0
        account.options[OptionName.groupCountMax] = .integer(groupCountMax)
        let mode = terms.compactMap(\.askedMode).last ?? terms.first?.notifyMode
        if let mode = mode?.ofSource { account.source.notifyMode = mode }
        let timeouts = terms.filter { $0.dialect == .icq }
        let timeout = timeouts.compactMap(\.askedTimeout).last ?? timeouts.first?.sessionTimeout
        account.source.sessionTimeout = timeout.map { Int32(clamping: $0) }
        if let looks = presentation(of: registrations) {
            account.source.presentation = SourcePresentation(looks)
        }
        return account
    }

    /// How a later registration of an account wants it to ring.
    func heed(_ terms: RegistrationTerms, _ row: UInt32) throws(StoreFault) {
        let timeout = terms.dialect == .icq ? terms.askedTimeout : nil
        guard terms.askedMode != nil || timeout != nil else { return }
        var change = SourceChange()
        change.notifyMode = terms.askedMode?.ofSource
        change.sessionTimeout = timeout.map { Int32(clamping: $0) }
        _ = try engine(row) { engine throws(StoreFault) in
            try request(.setSource(change), engine)
        }
    }

    /// What registrations of its account say about looks holds for all of it.
    func present(_ row: UInt32) throws(StoreFault) {
        guard let looks = Self.presentation(of: try transaction.registrations(of: row)) else {
            return
        }
        _ = try engine(row) { engine throws(StoreFault) in
            try request(.setSource(SourceChange(presentation: looks)), engine)
        }
    }

    /// Each member as the latest registration says that has it.
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
