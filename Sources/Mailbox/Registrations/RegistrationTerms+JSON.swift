package import Base
import Dialects
import Notifications
import WebPush

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
    private static let lifetimes: ClosedRange<UInt32> = 60...31_536_000
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

    /// Expects members of terms only, each once, apart from `other`, which the caller reads.
    package init(_ object: JSONNode, without other: String? = nil) throws(Fault) {
        var members = try RegistrationMembers(object)
        if let other { members.forget(other) }
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
            writer.member("dialect", dialect.rawValue)
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
        }
    }
}
