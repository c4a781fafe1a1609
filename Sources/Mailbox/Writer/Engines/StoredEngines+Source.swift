import Base
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
        if let mode = mode.flatMap({ SourceState.NotifyMode(name: $0.rawValue) }) {
            account.source.notifyMode = mode
        }
        let timeouts = terms.filter { $0.dialect == .icq }
        let timeout = timeouts.compactMap(\.askedTimeout).last ?? timeouts.first?.sessionTimeout
        account.source.sessionTimeout = timeout.map { Int32(clamping: $0) }
        let looks = Array(presentation(of: registrations).utf8)
        if let document = try? JSONDocument(looks) {
            account.source.presentation = SourcePresentation(document.root)
        }
        return account
    }

    /// How a later registration of an account wants it to ring.
    func heed(_ terms: RegistrationTerms, _ row: UInt32) throws(StoreFault) {
        let timeout = terms.dialect == .icq ? terms.askedTimeout : nil
        guard terms.askedMode != nil || timeout != nil else { return }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("@type", "bellwire.setSource")
            if let mode = terms.askedMode { writer.member("notify_mode", mode.rawValue) }
            if let timeout { writer.member("session_timeout", Int(timeout)) }
        }
        _ = try engine(row) { engine throws(StoreFault) in try request(writer.text, engine) }
    }

    /// What registrations of its account say about looks holds for all of it.
    func present(_ row: UInt32) throws(StoreFault) {
        let looks = Self.presentation(of: try transaction.registrations(of: row))
        _ = try engine(row) { engine throws(StoreFault) in
            try request(#"{"@type":"bellwire.setSource","presentation":\#(looks)}"#, engine)
        }
    }

    /// Each member as the latest registration says that has it.
    private static func presentation(of registrations: [Registration]) -> String {
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
        return writer.text
    }
}
