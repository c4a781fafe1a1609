import Base
import HTTP
import Mailbox
import Topics
import WebPush

/// The answers at addresses of topics.
///
/// Any page may read them: nobody gets a right there by being in a person's browser. There is no
/// `WWW-Authenticate`, for which browsers would ask the person for a password.
enum TopicAnswer {
    /// By this, applications know that an address takes UnifiedPush. It is the same everywhere, so it
    /// tells nothing of the address.
    static let discovery = Array(#"{"unifiedpush":{"version":1}}"#.utf8)

    static func json(_ body: [UInt8], _ exchange: HTTPExchange, _ status: Int = 200) {
        send(body + [UInt8(ascii: "\n")], "application/json", exchange, status)
    }

    static func send(
        _ body: [UInt8], _ type: StaticString, _ exchange: HTTPExchange, _ status: Int = 200,
        retryAfter: UInt32? = nil
    ) {
        var head = head(exchange, status, type)
        if let retryAfter { head.fields.append("Retry-After", decimal: Int(retryAfter)) }
        exchange.respond(consume head, body: body)
    }

    /// The head of an answer whose body follows, or is a stream.
    static func head(
        _ exchange: HTTPExchange, _ status: Int, _ type: StaticString? = nil
    ) -> ResponseHead {
        var head = exchange.answer(status)
        if let type { head.fields.append("Content-Type", type) }
        head.fields.append("Cache-Control", "no-store")
        head.fields.append("Access-Control-Allow-Origin", "*")
        return head
    }

    static func empty(_ exchange: HTTPExchange, _ status: Int = 200) {
        exchange.respond(head(exchange, status))
    }

    static func refuse(
        _ refusal: NtfyRefusal, _ exchange: HTTPExchange, hasBody: Bool = true
    ) {
        refuse(refusal.http, hasBody ? refusal.json : [], exchange)
    }

    static func refuse(_ refusal: GotifyRefusal, _ exchange: HTTPExchange) {
        refuse(refusal.status, refusal.json, exchange)
    }

    /// What may pass when it is tried again says when.
    private static func refuse(_ status: Int, _ json: [UInt8], _ exchange: HTTPExchange) {
        let retryAfter: UInt32? =
            switch status {
            case 429: RetryAfter.nextSecond
            case 500...: RetryAfter.trouble
            default: nil
            }
        let body = json.isEmpty ? [] : json + [UInt8(ascii: "\n")]
        send(body, "application/json", exchange, status, retryAfter: retryAfter)
    }

    /// Answers a page that asks what it may send.
    static func preflight(_ exchange: HTTPExchange) {
        var head = head(exchange, 200)
        head.fields.append("Access-Control-Allow-Methods", "GET, PUT, POST, PATCH, DELETE")
        head.fields.append("Access-Control-Allow-Headers", "*")
        exchange.respond(consume head)
    }

    /// For a request that was not read to its end.
    static func parts(_ refusal: NtfyRefusal) -> (ResponseHead, body: [UInt8]) {
        parts(refusal.http, refusal.json)
    }

    static func parts(_ refusal: GotifyRefusal) -> (ResponseHead, body: [UInt8]) {
        parts(refusal.status, refusal.json)
    }

    private static func parts(_ status: Int, _ json: [UInt8]) -> (ResponseHead, body: [UInt8]) {
        var head = ResponseHead(status: status)
        head.fields.append("Content-Type", "application/json")
        head.fields.append("Access-Control-Allow-Origin", "*")
        return (head, json)
    }
}
