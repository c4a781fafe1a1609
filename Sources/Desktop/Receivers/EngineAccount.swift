package import Base

/// An account of an application, and the desktop entry for its notifications.
package struct EngineAccount: Equatable, Sendable {
    package let app: String
    package let account: String
    /// The id of the application's desktop entry, which also activates it.
    package let entry: String?

    package init(app: String, account: String, entry: String? = nil) {
        self.app = app
        self.account = account
        self.entry = entry
    }

    /// Parses `APP/ACCOUNT` or `APP/ACCOUNT=ENTRY`.
    init?(_ text: Substring) {
        guard let slash = text.firstIndex(of: "/") else { return nil }
        let rest = text[text.index(after: slash)...]
        let parts = rest.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let account = parts.first, slash > text.startIndex, !account.isEmpty,
            parts.last?.isEmpty == false
        else { return nil }
        self.init(
            app: String(text[..<slash]), account: String(account),
            entry: parts.count == 2 ? String(parts[1]) : nil)
    }

    /// The accounts in a server's list of registrations. Notifications of an account open the first
    /// application that one of its registrations names.
    package static func list(registrations root: JSONNode) -> [EngineAccount] {
        var accounts: [EngineAccount] = []
        var places: [[String]: Int] = [:]
        for registration in root["registrations"]?.elements ?? [] {
            guard let app = registration["app"]?.text, let account = registration["account"]?.text
            else { continue }
            let found = EngineAccount(
                app: app, account: account, entry: registration["service"]?.text)
            if let place = places[[app, account]] {
                if accounts[place].entry == nil { accounts[place] = found }
            } else {
                places[[app, account]] = accounts.count
                accounts.append(found)
            }
        }
        return accounts
    }

    /// The account of that receiver, as the presenter knows it.
    func source(at host: String) -> PresentedSource {
        PresentedSource(
            id: "\(app)/\(account)@\(host)",
            name: app == AccountName.scripts
                ? account : app.prefix(1).uppercased() + app.dropFirst(),
            desktopEntry: entry ?? PresentedSource.ownDesktopEntry, service: entry)
    }
}
