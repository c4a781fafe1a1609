package import HTTP
import WebPush

/// The answer to a request that is refused, on all listeners.
package struct RefusalAnswer {
    private let status: Int
    /// JSON.
    package let body: [UInt8]
    private let cacheControl: StaticString
    /// The scheme that a 401 names (RFC 9110 section 15.5.2).
    private let scheme: StaticString
    /// Seconds.
    private let retryAfter: UInt32?

    package init(
        _ status: Int, _ body: [UInt8], cacheControl: StaticString = "no-store",
        scheme: StaticString = "Bearer", retryAfter: UInt32? = nil
    ) {
        self.status = status
        self.body = body
        self.cacheControl = cacheControl
        self.scheme = scheme
        self.retryAfter = retryAfter
    }

    package var head: ResponseHead { fill(ResponseHead(status: status)) }
    /// Head and body, for a request that has no exchange yet.
    package var parts: (ResponseHead, body: [UInt8]) { (head, body) }

    /// Uses the memory of the exchange.
    package func head(for exchange: HTTPExchange) -> ResponseHead {
        fill(exchange.answer(status))
    }

    private func fill(_ head: consuming ResponseHead) -> ResponseHead {
        head.fields.append("Content-Type", "application/json")
        head.fields.append("Cache-Control", cacheControl)
        if status == 401 { head.fields.append("WWW-Authenticate", scheme) }
        if let retryAfter { head.fields.append("Retry-After", decimal: Int(retryAfter)) }
        return head
    }
}

extension PushRefusal {
    /// The scheme is that of RFC 8292.
    func answer(_ page: ErrorPage) -> RefusalAnswer {
        RefusalAnswer(
            status, json(page), cacheControl: cacheControl, scheme: "vapid", retryAfter: retryAfter)
    }
}

extension MatrixRefusal {
    /// Web pages cannot read this answer.
    var answer: RefusalAnswer { RefusalAnswer(status, json, retryAfter: retryAfter) }
}

extension HTTPRefusal {
    /// The answer to malformed requests, and to requests that no route accepts.
    func answer(_ page: ErrorPage) -> RefusalAnswer {
        RefusalAnswer(
            status,
            ErrorBody.json(
                status: status, number: self == .bodyTooLarge ? 104 : nil,
                reason: "\(ResponseHead.reasonPhrase(of: status))", message: sentence ?? rawValue,
                moreInfo: page.placeOfMalformed),
            retryAfter: status == 503 ? RetryAfter.trouble : nil)
    }

    /// For who has only mistyped an address.
    private var sentence: String? {
        self == .withoutTLS ? "this port speaks HTTPS: begin the address with https://" : nil
    }
}
