import Delivery
package import HTTP
import Mailbox
import WebPush

/// The answers of the push service.
enum Answer {
    /// Refuses a push to a device, and counts it. Zero stands for an unknown device.
    static func refuse(
        _ refusal: PushRefusal, _ exchange: HTTPExchange, _ service: ServiceState,
        to device: UInt32
    ) {
        service.count(refusal, to: device)
        service.metrics.noteAnswered(after: exchange.age)
        let settles = refusal == .unavailable && service.store.isSettling
        refuse(settles ? .settling : refusal, exchange, service.errorPage)
    }

    fileprivate static func created(
        _ message: Message, ignoring: [String], _ service: ServiceState, _ exchange: HTTPExchange
    ) {
        service.countAccepted(message.address.device)
        service.metrics.noteAnswered(after: exchange.age)
        var head = exchange.answer(201)
        head.fields.append("Location") { value in
            value.append(contentsOf: service.locationStart)
            message.location.bits.appendBase64URL(to: &value)
        }
        head.fields.append("TTL", decimal: Int(message.content.ttl))
        if !ignoring.isEmpty {
            head.fields.append("Bellwire-Ignored", ignoring.joined(separator: ", "))
        }
        send(consume head, to: exchange, ending: unstored)
    }

    /// Any page may read this answer.
    static func refuse(_ refusal: PushRefusal, _ exchange: HTTPExchange, _ page: ErrorPage) {
        let answer = refusal.answer(page)
        send(answer.head(for: exchange), answer.body, to: exchange)
    }

    /// No page may read this answer.
    static func refuse(_ answer: RefusalAnswer, _ exchange: HTTPExchange) {
        exchange.respond(answer.head, body: answer.body)
    }

    /// `isShared`: any page may read it.
    static func json(
        _ status: Int, _ body: [UInt8], _ exchange: HTTPExchange, isShared: Bool = false
    ) {
        var head = exchange.answer(status)
        head.fields.append("Content-Type", "application/json")
        send(consume head, body, to: exchange, isShared: isShared, ending: unstored)
    }

    /// A page for people; what it may load is in its policy.
    static func page(
        _ html: [UInt8], _ exchange: HTTPExchange, policy: StaticString = "default-src 'none'",
        cacheControl: StaticString = "max-age=3600"
    ) {
        var head = exchange.answer(200)
        head.fields.append("Content-Type", "text/html; charset=utf-8")
        head.fields.append("Content-Security-Policy", policy)
        head.fields.append("X-Content-Type-Options", "nosniff")
        head.fields.append("Cache-Control", cacheControl)
        send(consume head, html, to: exchange, isShared: false)
    }

    static func empty(
        _ status: Int, _ exchange: HTTPExchange, isShared: Bool = false, retryAfter: UInt32? = nil
    ) {
        var head = exchange.answer(status)
        head.fields.append("Cache-Control", noStore)
        if let retryAfter { head.fields.append("Retry-After", decimal: Int(retryAfter)) }
        send(consume head, to: exchange, isShared: isShared)
    }

    /// Answers a page that asks whether it may push.
    static func preflight(_ exchange: HTTPExchange) {
        var head = exchange.answer(204)
        head.fields.append("Access-Control-Allow-Methods", "DELETE, GET, POST, PUT")
        let asked = exchange.head.fields.firstValue(of: "access-control-request-headers")
        if let asked {
            let bytes = exchange.head.bytes
            head.fields.append("Access-Control-Allow-Headers", bytes.span.extracting(asked))
        }
        head.fields.append("Access-Control-Max-Age", "3600")
        send(consume head, to: exchange)
    }

    /// Browsers must not send a referrer, because endpoints are secret.
    private static let secret: ResponseFields = {
        var fields = ResponseFields()
        fields.append("Referrer-Policy", "no-referrer")
        return fields
    }()

    /// The same for an answer that nobody may store.
    private static let unstored: ResponseFields = {
        var fields = ResponseFields()
        fields.append("Cache-Control", noStore)
        fields.append(secret)
        return fields
    }()

    private static let noStore: StaticString = "no-store"

    /// Any page may push, so any origin is allowed.
    private static func send(
        _ head: consuming ResponseHead, _ body: [UInt8] = [], to exchange: HTTPExchange,
        isShared: Bool = true, ending: ResponseFields = secret
    ) {
        head.fields.append(ending)
        if isShared, let origin = exchange.head.fields.firstValue(of: "origin") {
            let bytes = exchange.head.bytes
            head.fields.append("Access-Control-Allow-Origin", bytes.span.extracting(origin))
            head.fields.append("Vary", "Origin")
        }
        exchange.respond(consume head, body: body)
    }
}

extension HTTPExchange: PushSender {
    func answer(_ message: Message, _ verdict: Verdict, _ service: ServiceState) {
        answer(message, verdict, ignoring: [], service)
    }

    func answer(
        _ message: Message, _ verdict: Verdict, ignoring: [String], _ service: ServiceState
    ) {
        switch verdict {
        case .accepted: Answer.created(message, ignoring: ignoring, service, self)
        case .gone: refuse(.gone, service, to: message.address.device)
        case .full:
            refuse(
                .tooMany(retryAfter: RetryAfter.whenFull), service, to: message.address.device)
        case .unavailable: refuse(.unavailable, service, to: message.address.device)
        }
    }

    func refuse(_ refusal: PushRefusal, _ service: ServiceState, to device: UInt32) {
        Answer.refuse(refusal, self, service, to: device)
    }
}

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

/// Waits for the result of a push, on the loop to which it was sent.
protocol PushSender: AnyObject {
    func answer(_ message: Message, _ verdict: Verdict, _ service: ServiceState)
    /// The sender is told the names of what it asked for in vain.
    func answer(
        _ message: Message, _ verdict: Verdict, ignoring: [String], _ service: ServiceState)
    /// The push to the device never became a message.
    func refuse(_ refusal: PushRefusal, _ service: ServiceState, to device: UInt32)
}

extension PushSender {
    func answer(
        _ message: Message, _ verdict: Verdict, ignoring: [String], _ service: ServiceState
    ) {
        answer(message, verdict, service)
    }
}

/// The result of an accepted message, for its sender.
enum Verdict: Sendable {
    /// The message is on the disk, or its destination has it.
    case accepted
    /// The subscription of the message ended meanwhile.
    case gone
    /// The outbox of its callback has no room.
    case full
    /// The store failed, and may have the message or not.
    case unavailable

    init(_ outcome: StoreOutcome) {
        switch outcome {
        case .stored, .acknowledged, .done, .withdrawn, .registration: self = .accepted
        case .notFound: self = .gone
        case .full: self = .full
        case .conflict, .unavailable: self = .unavailable
        }
    }
}
