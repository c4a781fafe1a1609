import Base
package import Dialects
import WebPush

/// What an application asked for when it registered, with defaults filled in.
package struct RegistrationTerms: Equatable, Sendable, Confidential {
    /// Numbered as in `account.registerDevice`.
    package enum TokenType: Int, Sendable {
        case simplePush = 4
        case webPush = 10
    }

    package enum NotifyMode: String, CaseIterable, Sendable {
        case disabled
        case sendOnlyOne
        case sendOnePerConversation
        /// All of them; the word comes from the ICQ protocol.
        case all = "applePushNotification"

        /// Case does not matter: ICQ itself writes `Disabled` and `disabled`.
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
    /// Unencrypted bodies are accepted.
    package var acceptsClear: Bool
    /// Unencrypted bodies may trigger actions, like encrypted ones.
    package var trustsClear = false
    /// How the account rings, if the application said so.
    package var askedMode: NotifyMode?
    /// Seconds without a sign of life after which the account is offline, if specified.
    package var askedTimeout: UInt32?
    /// How notifications look: JSON from the application, already checked.
    package var presentation: String?
    /// The D-Bus name of the application to wake.
    package var service: String?
    /// The only app id that a Matrix gateway may use.
    package var appID: String?
    /// The longest TTL that a sender may ask for.
    package var ttlLimit: UInt32?
    /// Seconds without a sign of life after which the registration ends.
    package var lifetime: UInt32 = 2_592_000

    /// Fills in the defaults for this token type, application and dialect.
    init(tokenType: TokenType, app: String, account: String, dialect: Dialect?) {
        self.tokenType = tokenType
        self.app = app
        self.account = account
        let dialect = dialect ?? Self.usualDialect(of: app)
        self.dialect = dialect
        acceptsClear = [.matrix, .icq, .zpns, .plain].contains(dialect) || dialect.isOfService
    }

    package var notifyMode: NotifyMode { askedMode ?? (dialect == .icq ? .disabled : .all) }
    package var sessionTimeout: UInt32 { askedTimeout ?? 86_400 }

    /// The format of the unencrypted pushes that `bellwire hear` makes endpoints for; nil if this
    /// endpoint is not like one of those.
    package var heard: Dialect? {
        let isHeard = dialect == .plain || dialect.isOfService
        return tokenType == .webPush && acceptsClear && trustsClear && isHeard ? dialect : nil
    }

    /// What the user calls the account.
    package var name: String { AccountName(app: app, account: account).description }

    /// Like what `bellwire hear` makes: the engine shows what is pushed there, and no application
    /// ever fetches it.
    package var isOnlyShown: Bool { app == AccountName.scripts && heard != nil }

    /// The most bytes of an unencrypted body. Services write long JSON, which is cut before it is
    /// kept.
    package var clearBodyLimit: Int {
        acceptsClear && dialect.isOfService ? Self.serviceBodyLimit : PushRules.bodyLimit
    }

    package static let serviceBodyLimit = 64 * 1024

    /// A homeserver may push to it; those payloads are never encrypted.
    package var takesMatrix: Bool {
        tokenType == .webPush && acceptsClear && [.matrix, .auto].contains(dialect)
    }

    /// Both token types are Telegram's, so an unknown application is taken to speak its dialect.
    private static func usualDialect(of app: String) -> Dialect {
        let app = app.lowercased()
        // Other applications have names that contain this word.
        if app == AccountName.scripts { return .plain }
        let known: [(String, Dialect)] = [
            ("matrix", .matrix), ("element", .matrix), ("icq", .icq), ("zpns", .zpns),
            ("zego", .zpns), ("declarative", .declarative), ("plain", .plain),
        ]
        return known.first { app.place(of: $0.0) != nil }?.1 ?? .telegram
    }
}
