/// The account that a registration is for.
package struct AccountName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let app: String
    package let account: String

    /// The application of what `bellwire topic add` registers. Its accounts are the names of topics.
    package static let scripts = "script"

    package init(app: String, account: String) {
        self.app = app
        self.account = account
    }

    /// What the user calls it.
    package var description: String { app == Self.scripts ? account : full }

    package var full: String { "\(app)/\(account)" }

    /// Whether it is meant by `name`; that of others may be, too.
    package func isCalled(_ name: String) -> Bool { account == name || full == name }

    package static func < (left: Self, right: Self) -> Bool {
        (left.app, left.account) < (right.app, right.account)
    }
}
