import Base

/// Why a message to a webhook is refused, in the words of Slack and by the numbers of Discord.
package enum HookRefusal: Error, CaseIterable, Sendable {
    case unreadable, empty, unknownHook, wrongToken, forbidden, noTopic, otherMethod, tooLarge
    case tooManyRequests, unavailable

    /// The same refusal as clients of ntfy get.
    package init(_ refusal: NtfyRefusal) {
        self =
            switch refusal.http {
            case 400: .unreadable
            case 401: .wrongToken
            case 403: .forbidden
            case 413: .tooLarge
            case 429: .tooManyRequests
            default: .unavailable
            }
    }

    package func status(at face: HookRoute.Face) -> Int {
        switch self {
        case .unreadable, .empty: 400
        case .wrongToken: face == .slack ? 403 : 401
        case .forbidden: 403
        case .unknownHook, .noTopic: 404
        case .otherMethod: 405
        case .tooLarge: 413
        case .tooManyRequests: 429
        case .unavailable: 503
        }
    }

    package func body(at face: HookRoute.Face, retryAfter: UInt32) -> [UInt8] {
        switch face {
        case .slack: Array((advice.map { "\(word): \($0)" } ?? "\(word)").utf8)
        case .discord: json(retryAfter)
        }
    }

    private func json(_ retryAfter: UInt32) -> [UInt8] {
        let (code, message) = reason
        return JSONWriter.object { writer in
            writer.member("message", advice.map { "\(message): \($0)" } ?? "\(message)")
            writer.member("code", code)
            if self == .tooManyRequests {
                writer.member("retry_after", Int(retryAfter))
                writer.member("global", false)
            }
        }
    }

    /// What its author can do about it.
    private var advice: StaticString? {
        switch self {
        case .noTopic:
            """
            add ?topic=NAME to the address, or use a token of one topic, which \
            bellwire token add NAME --topic builds --write makes
            """
        case .forbidden:
            """
            the token may not push there, or there is no such topic; bellwire topic add makes one, \
            and bellwire token add NAME --topic builds --write a token that may push to it
            """
        case .wrongToken: "bellwire token list shows which there are"
        default: nil
        }
    }

    private var word: StaticString {
        switch self {
        case .unreadable: "invalid_payload"
        case .empty: "no_text"
        case .unknownHook: "no_service"
        case .wrongToken: "invalid_token"
        case .forbidden: "action_prohibited"
        case .noTopic: "channel_not_found"
        case .otherMethod: "method_not_allowed"
        case .tooLarge: "msg_too_long"
        case .tooManyRequests: "rate_limited"
        case .unavailable: "rollup_error"
        }
    }

    private var reason: (code: Int, message: StaticString) {
        switch self {
        case .unreadable: (50109, "The request body contains invalid JSON.")
        case .empty: (50006, "Cannot send an empty message")
        case .unknownHook: (10015, "Unknown Webhook")
        case .wrongToken: (50027, "Invalid Webhook Token")
        case .forbidden: (50013, "Missing Permissions")
        case .noTopic: (10003, "Unknown Channel")
        case .otherMethod: (0, "405: Method Not Allowed")
        case .tooLarge: (40005, "Request entity too large")
        case .tooManyRequests: (0, "You are being rate limited.")
        case .unavailable: (0, "503: Service Unavailable")
        }
    }
}
