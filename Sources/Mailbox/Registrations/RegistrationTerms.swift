package import Base
package import Notifications
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
    /// Of a topic.
    package var topic = TopicTerms()
    /// Seconds without a sign of life after which the registration ends.
    package var lifetime: UInt32 = 2_592_000

    /// Fills in the defaults for this token type, application and dialect.
    init(tokenType: TokenType, app: String, account: String, dialect: Dialect?) {
        self.tokenType = tokenType
        self.app = app
        self.account = account
        let dialect = dialect ?? Self.usualDialect(of: app)
        self.dialect = dialect
        acceptsClear = dialect.isClear
    }

    package var notifyMode: NotifyMode { askedMode ?? (dialect == .icq ? .disabled : .all) }
    package var sessionTimeout: UInt32 { askedTimeout ?? 86_400 }

    /// The format of the unencrypted pushes that `bellwire topic add` makes endpoints for; nil if
    /// this endpoint is no such one.
    package var heard: Dialect? {
        let isHeard = dialect == .plain || dialect.isOfService
        return tokenType == .webPush && acceptsClear && trustsClear && isHeard ? dialect : nil
    }

    /// What the user calls the account.
    package var name: String { AccountName(app: app, account: account).description }

    /// Like what `bellwire topic add` makes: the engine shows what is pushed there, and no
    /// application ever fetches it.
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
        // Other applications have names that contain this word.
        app.lowercased() == AccountName.scripts ? .plain : Dialect(app: app) ?? .telegram
    }
}

/// The terms as JSON, in requests and in the sealed record.
extension RegistrationTerms {
    /// What is wrong with a request, for its author.
    package struct Fault: Error, Equatable, Sendable {
        package let message: String

        package init(_ message: String) { self.message = message }
    }

    private static let textLimit = 128
    private static let urlLimit = 2_048
    private static let otherUsersLimit = 100
    static let lifetimes: ClosedRange<UInt32> = 60...31_536_000
    private static let sessionTimeouts: ClosedRange<UInt32> = 1...31_536_000

    /// The most bytes of a presentation, which is read for each push of the account.
    private static let presentationLimit = 4_096

    /// Rejects what older records may contain, but new requests must not.
    package func expectNew() throws(Fault) {
        let schemes = looks?["link_schemes"]?.texts ?? []
        guard schemes.allSatisfy(SourceConsent.mayAllow) else {
            throw Fault("presentation contains a wrong member")
        }
        guard (presentation?.utf8.count ?? 0) <= Self.presentationLimit else {
            throw Fault("presentation must have at most \(Self.presentationLimit) bytes")
        }
        guard ([userID].compactMap(\.self) + otherUserIDs).allSatisfy({ $0 < ChatID.userLimit })
        else {
            throw Fault("user_id or other_user_ids contains a wrong user id")
        }
    }

    /// Expects members of terms only, each once, apart from `others`, which the caller reads.
    package init(_ object: JSONNode, without others: String...) throws(Fault) {
        var members = try RegistrationMembers(object)
        for other in others { members.forget(other) }
        guard let number = try members.integer("token_type"),
            let tokenType = TokenType(rawValue: Int(number))
        else { throw Fault("token_type must be 10 or 4") }
        let app = try members.name("app", limit: Self.textLimit)
        let account = try members.name("account", limit: Self.textLimit)
        guard let app, let account else { throw Fault("app and account are required") }
        let word = try members.text("dialect")
        let dialect = word.flatMap { Dialect(word: $0) }
        guard word == nil || dialect != nil else { throw Fault("dialect is unknown") }
        self.init(tokenType: tokenType, app: app, account: account, dialect: dialect)
        try readAccount(&members)
        try readRules(&members)
        try members.expectNoOthers()
        guard !isSigned || tokenType == .webPush else {
            throw Fault("vapid is only for token_type 10")
        }
    }

    private mutating func readAccount(_ members: inout RegistrationMembers) throws(Fault) {
        userID = try members.userID("user_id")
        otherUserIDs = try members.userIDs("other_user_ids", limit: Self.otherUsersLimit) ?? []
        service = try members.text("service")
        if let service, !Self.isBusName(service) {
            throw Fault("service is not a well-known D-Bus name")
        }
        appID = try members.name("app_id", limit: Self.textLimit)
        presentation = try members.presentation("presentation")
        callback = try members.text("callback")
        if let callback, !Self.isCallback(callback) {
            throw Fault("callback is not an https, http or unix address")
        }
    }

    private mutating func readRules(_ members: inout RegistrationMembers) throws(Fault) {
        isSigned = try members.flag("vapid") ?? false
        acceptsClear = try members.flag("clear") ?? acceptsClear
        trustsClear = try members.flag("trust_clear") ?? false
        guard acceptsClear || !trustsClear else { throw Fault("trust_clear needs clear as well") }
        if let word = try members.text("notify_mode") {
            guard let mode = NotifyMode(name: word) else { throw Fault("notify_mode is unknown") }
            askedMode = mode
        }
        askedTimeout = try members.seconds("session_timeout", Self.sessionTimeouts)
        ttlLimit = try members.seconds("ttl", 0...PushRules.longestTTL)
        lifetime = try members.seconds("expires", Self.lifetimes) ?? lifetime
        if let object = try members.object("topic") { topic = try TopicTerms(object) }
    }

    /// Whether the address may be called is checked when it is called.
    private static func isCallback(_ url: String) -> Bool {
        url.utf8.count <= urlLimit && !url.unicodeScalars.contains(where: Printable.isUnsafe)
            && (Origin(url: url) != nil || url.hasPrefix("unix:/"))
    }

    /// D-Bus specification, "Valid Names": at least two elements of letters, digits, `_` and `-`.
    private static func isBusName(_ name: String) -> Bool {
        let elements = name.split(separator: ".", omittingEmptySubsequences: false)
        return elements.count >= 2 && name.utf8.count <= 255
            && elements.allSatisfy { element in
                element.first.map { !("0"..."9").contains($0) } == true
                    && element.utf8.allSatisfy { byte in
                        byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
                            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    }
            }
    }

    /// Writes JSON that `init` reads back to the same terms.
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("token_type", tokenType.rawValue)
            writer.member("app", app)
            writer.member("account", account)
            writer.member("dialect", dialect.word)
            writer.member("vapid", isSigned)
            writer.member("clear", acceptsClear)
            if trustsClear { writer.member("trust_clear", true) }
            if let askedMode { writer.member("notify_mode", askedMode.rawValue) }
            if let askedTimeout { writer.member("session_timeout", Int(askedTimeout)) }
            writer.member("expires", Int(lifetime))
            if let ttlLimit { writer.member("ttl", Int(ttlLimit)) }
            if let userID { writer.member("user_id", Int(userID)) }
            writer.name("other_user_ids")
            writer.array { writer in for id in otherUserIDs { writer.number(Int(id)) } }
            if let callback { writer.member("callback", callback) }
            if let service { writer.member("service", service) }
            if let appID { writer.member("app_id", appID) }
            if let presentation { writer.member("presentation", json: presentation) }
            if !topic.isUsual {
                writer.name("topic")
                topic.write(to: &writer)
            }
        }
    }
}
