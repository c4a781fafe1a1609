import Base
package import Dialects

/// What an application asked for when it registered, defaults filled in.
package struct RegistrationTerms: Equatable, Sendable, Confidential {
    /// As `account.registerDevice` counts them.
    package enum TokenType: Int, Sendable {
        case simplePush = 4
        case webPush = 10
    }

    package enum NotifyMode: String, CaseIterable, Sendable {
        case disabled
        case sendOnlyOne
        case sendOnePerConversation
        /// Every one; the word is that of the protocol it comes from.
        case all = "applePushNotification"

        /// In any capitals: ICQ itself writes `Disabled` and `disabled`.
        init?(name: String) {
            let mode = Self.allCases.first { $0.rawValue.lowercased() == name.lowercased() }
            guard let mode else { return nil }
            self = mode
        }
    }

    package let tokenType: TokenType
    package let app: String
    package let account: String
    package var userID: Int64?
    package var otherUserIDs: [Int64] = []
    package var callback: String?
    /// The endpoint is bound to the first key that signs.
    package var isSigned = false
    package var dialect: Dialect
    /// Bodies that are not encrypted are taken.
    package var acceptsClear: Bool
    /// They may act, as if they had been encrypted.
    package var trustsClear = false
    /// How the account rings, if it says so itself.
    package var askedMode: NotifyMode?
    /// Seconds without a sign of life after which the account counts as offline, if it says so itself.
    package var askedTimeout: UInt32?
    /// How notifications look, as the application wrote it: JSON that was checked.
    package var presentation: String?
    /// The D-Bus name of the application to wake.
    package var service: String?
    /// The only one that a Matrix gateway may name.
    package var appID: String?
    /// The most seconds that a sender may ask for.
    package var ttlLimit: UInt32?
    /// Seconds without a sign of life after which the registration ends.
    package var lifetime: UInt32 = 2_592_000

    /// With what follows from type, application and dialect where nothing else is said.
    init(tokenType: TokenType, app: String, account: String, dialect: Dialect?) {
        self.tokenType = tokenType
        self.app = app
        self.account = account
        let dialect = dialect ?? Self.usualDialect(of: app)
        self.dialect = dialect
        acceptsClear = [.matrix, .icq, .zpns, .plain].contains(dialect)
    }

    package var notifyMode: NotifyMode { askedMode ?? (dialect == .icq ? .disabled : .all) }
    package var sessionTimeout: UInt32 { askedTimeout ?? 86_400 }

    /// A homeserver may push to it; what that says is never encrypted.
    package var takesMatrix: Bool {
        tokenType == .webPush && acceptsClear && [.matrix, .auto].contains(dialect)
    }

    /// Both types of token are those of Telegram, so whoever is not known speaks like it.
    private static func usualDialect(of app: String) -> Dialect {
        let app = app.lowercased()
        let known: [(String, Dialect)] = [
            ("matrix", .matrix), ("element", .matrix), ("icq", .icq), ("zpns", .zpns),
            ("zego", .zpns), ("declarative", .declarative), ("plain", .plain),
        ]
        return known.first { app.contains($0.0) }?.1 ?? .telegram
    }
}
