/// The answer to the sender.
extension PushRefusal {
    /// Seconds after which the sender may try again; nil if it should not.
    package var retryAfter: UInt32? {
        switch self {
        case .tooMany(let seconds): seconds
        case .settling: RetryAfter.settled
        case .unavailable, .clocksDiffer, .unknownOrigin: RetryAfter.trouble
        case .setAside, .missing: RetryAfter.update
        default: nil
        }
    }

    /// Only "gone" may be cached, because it stays true.
    package var cacheControl: StaticString { self == .gone ? "max-age=86400" : "no-store" }

    /// The body, `application/json`.
    package func json(_ page: ErrorPage) -> [UInt8] {
        ErrorBody.json(
            status: status, number: number, reason: reason, message: message,
            moreInfo: page.place(of: number))
    }

    /// The reason phrases of RFC 9110 section 15.
    private var reason: String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 404: "Not Found"
        case 410: "Gone"
        case 413: "Content Too Large"
        case 429: "Too Many Requests"
        default: "Service Unavailable"
        }
    }
}
