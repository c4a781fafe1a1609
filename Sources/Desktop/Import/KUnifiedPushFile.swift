import Base

/// What KUnifiedPush's distributor has stored: its registrations, and the service that it used.
package struct KUnifiedPushFile: Sendable, Confidential {
    /// One registration, as it is in the file.
    package struct Entry: Equatable, Sendable, Confidential {
        package let token: String
        package let service: String
        package let description: String
        /// The key of the application server; empty without one.
        package let applicationKey: String
        /// The generation of the interface.
        package let version: Int
    }

    /// Why a registration cannot be taken over, as far as the file says.
    package enum Objection: String, Error, Sendable {
        case noService = "the file does not say which program it belongs to"
        case badService = "its name is not one that a program can have on the bus"
        case badToken = "its token is not one that UnifiedPush allows"
        case badKey = "the key of its server is not a key"
        case badVersion = "it speaks a later version of UnifiedPush"
    }

    package let entries: [Entry]
    /// `Autopush`, `Ntfy` and so on; empty if none was chosen.
    package let provider: String

    /// Far more than a user has.
    private static let limit = 5_000

    /// Nil if this is no such file.
    package init?(_ bytes: [UInt8]) {
        let file = SettingsFile(bytes)
        let tokens = file.list("Clients/Tokens")
        provider = file.text("PushProvider/Type") ?? ""
        guard !tokens.isEmpty || !provider.isEmpty else { return nil }
        var known: Set<String> = []
        entries = tokens.prefix(Self.limit).filter { known.insert($0).inserted }.map { token in
            func text(_ name: String) -> String { file.text(token + "/" + name) ?? "" }
            return Entry(
                token: token, service: text("ServiceName"), description: text("Description"),
                applicationKey: text("VAPIDKey"),
                // Files of its first versions do not have it.
                version: Int(text("Version")) ?? 1)
        }
    }
}
