import Base

/// Why a request to the push gateway fails. Each case is one answer, in Matrix's form
/// (Client-Server API, "Standard error response").
package enum MatrixRefusal: Error, Equatable, Sendable {
    case badJSON(String)
    case tooLarge
    case unknownPath
    case otherMethod
    /// One device could not be served now. The others were served and are not notified again.
    case unavailable
    /// The same, but it can be within seconds.
    case settling

    package var status: Int {
        switch self {
        case .badJSON: 400
        case .unknownPath: 404
        case .otherMethod: 405
        case .tooLarge: 413
        case .unavailable, .settling: 503
        }
    }

    /// Seconds until the homeserver should try again.
    package var retryAfter: UInt32? {
        switch self {
        case .unavailable: RetryAfter.whenFull
        case .settling: RetryAfter.settled
        default: nil
        }
    }

    private var code: String {
        switch self {
        case .badJSON: "M_BAD_JSON"
        case .tooLarge: "M_TOO_LARGE"
        case .unknownPath, .otherMethod: "M_UNRECOGNIZED"
        case .unavailable, .settling: "M_UNKNOWN"
        }
    }

    private var message: String {
        switch self {
        case .badJSON(let reason): reason
        case .tooLarge: "The request is larger than \(MatrixNotification.requestLimit) bytes"
        case .unknownPath: "There is nothing here"
        case .otherMethod: "Only GET and POST"
        case .unavailable, .settling: "Try again later"
        }
    }

    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("errcode", code)
            writer.member("error", message)
        }
        return writer.bytes
    }

    /// The answer to a successful request: the pushkeys to forget, each once.
    package static func answer(rejecting pushkeys: [String]) -> [UInt8] {
        var known = Set<String>()
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("rejected")
            writer.array { writer in
                for pushkey in pushkeys where known.insert(pushkey).inserted {
                    writer.string(pushkey)
                }
            }
        }
        return writer.bytes
    }
}
