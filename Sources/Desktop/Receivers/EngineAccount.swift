import Base
package import HTTP
import System
package import WebPush

/// An account of an application, and the desktop entry for its notifications.
package struct EngineAccount: Equatable, Sendable {
    package let app: String
    package let account: String
    /// The id of the application's desktop entry, which also activates it.
    package var entry: String?
}

extension EngineAccount {
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
    package static func list(_ registrations: [ListedRegistration]) -> [EngineAccount] {
        var accounts: [EngineAccount] = []
        var places: [AccountName: Int] = [:]
        for registration in registrations {
            let name = registration.name
            let found = EngineAccount(
                app: name.app, account: name.account, entry: registration.service)
            if let place = places[name] {
                if accounts[place].entry == nil { accounts[place] = found }
            } else {
                places[name] = accounts.count
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

/// The address of the engine of one account, with the credential of this device.
package struct EngineAddress: Equatable, Sendable, Confidential {
    package let url: ClientURL
    let credential: String
    /// What all addresses of the server begin with.
    private let base: String
    /// The socket of a receiver on this machine.
    var place: SocketAddress?

    /// `device` is the receiver's address as a device has it: `wss://HOST/u/SECRET`, perhaps with a
    /// path before `/u/`.
    package init?(device: String, app: String, account: String) {
        guard let mark = device.place(of: "/u/") else { return nil }
        credential = String(device[mark.upperBound...])
        base = String(device[..<mark.lowerBound])
        let isToken = credential.utf8.allSatisfy(PercentEncoding.isUnreserved)
        let (app, account) = (PercentEncoding.encoded(app), PercentEncoding.encoded(account))
        let query = "app=\(app)&account=\(account)&role=viewer"
        guard isToken, !credential.isEmpty,
            let url = ClientURL(webSocket: "\(base)/api/v1/engine?\(query)")
        else { return nil }
        self.url = url
    }

    /// Where the server has the picture of that name.
    func picture(_ name: String) -> ClientURL? {
        ClientURL(webSocket: "\(base)/api/v1/messages/\(PercentEncoding.encoded(name))/picture")
    }
}

/// An account whose notifications are shown, and its application.
package struct PresentedSource: Equatable, Sendable {
    /// Identifies the account on this desktop; the same after a restart.
    package let id: String
    /// The application name on notifications.
    package var name: String
    /// The id of a `.desktop` file, without its suffix. It gives the notifications an icon, and a
    /// place of their own in the desktop's settings.
    package var desktopEntry: String
    /// The D-Bus name of an application that can be activated.
    package var service: String?
    /// Names it to notification servers and to whoever listens to the bus, and tells them nothing of
    /// the account. Without one, no notification has a tag.
    package var tag = ""

    package static let ownDesktopEntry = "org.bellwire.Desktop"

    package init(
        id: String, name: String, desktopEntry: String = Self.ownDesktopEntry,
        service: String? = nil
    ) {
        self.id = id
        self.name = name
        self.desktopEntry = desktopEntry
        self.service = service
    }
}

struct PresentedEngine: Sendable {
    let source: PresentedSource
    let address: EngineAddress
}
