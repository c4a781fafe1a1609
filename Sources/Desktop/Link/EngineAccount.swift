/// One account of an application, and who shows its notifications.
package struct EngineAccount: Equatable, Sendable {
    package let app: String
    package let account: String
    /// The id of the application's desktop entry, by which it is also activated.
    package let entry: String?

    package init(app: String, account: String, entry: String? = nil) {
        self.app = app
        self.account = account
        self.entry = entry
    }

    /// Reads `APP/ACCOUNT` or `APP/ACCOUNT=ENTRY`.
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

    /// The account of that receiver, as the screen knows it.
    func source(at host: String) -> PresentedSource {
        PresentedSource(
            id: "\(app)/\(account)@\(host)", name: app.prefix(1).uppercased() + app.dropFirst(),
            desktopEntry: entry ?? PresentedSource.ownDesktopEntry, service: entry)
    }
}
