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

    static func refuse(
        _ refusal: HookRefusal, at face: HookRoute.Face, _ exchange: HTTPExchange
    ) {
        let status = refusal.status(at: face)
        let retryAfter = retryAfter(status)
        var head = head(exchange, status, type(of: face))
        if let retryAfter { head.fields.append("Retry-After", decimal: Int(retryAfter)) }
        if refusal == .otherMethod { head.fields.append("Allow", "POST, OPTIONS") }
        let body = refusal.body(at: face, retryAfter: retryAfter ?? 0)
        exchange.respond(consume head, body: body)
    }

    private static func refuse(_ status: Int, _ json: [UInt8], _ exchange: HTTPExchange) {
        let body = json.isEmpty ? [] : json + [UInt8(ascii: "\n")]
        send(body, "application/json", exchange, status, retryAfter: retryAfter(status))
    }

    /// What may pass when it is tried again says when.
    private static func retryAfter(_ status: Int) -> UInt32? {
        switch status {
        case 429: RetryAfter.nextSecond
        case 500...: RetryAfter.trouble
        default: nil
        }
    }

    /// What senders to Slack take as success, to the byte.
    static func slack(_ exchange: HTTPExchange) {
        send(Array("ok".utf8), type(of: .slack), exchange)
    }

    private static func type(of face: HookRoute.Face) -> StaticString {
        face == .slack ? "text/plain; charset=utf-8" : "application/json"
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

    static func parts(
        _ refusal: HookRefusal, at face: HookRoute.Face
    ) -> (ResponseHead, body: [UInt8]) {
        let body = refusal.body(at: face, retryAfter: 0)
        return parts(refusal.status(at: face), body, type(of: face))
    }

    private static func parts(
        _ status: Int, _ body: [UInt8], _ type: StaticString = "application/json"
    ) -> (ResponseHead, body: [UInt8]) {
        var head = ResponseHead(status: status)
        head.fields.append("Content-Type", type)
        head.fields.append("Access-Control-Allow-Origin", "*")
        return (head, body)
    }
}
