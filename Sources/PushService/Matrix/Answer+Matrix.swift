import HTTP
import WebPush

/// Answers in the form of Matrix. No page may read them.
extension Answer {
    static func matrix(_ refusal: MatrixRefusal, to exchange: HTTPExchange) {
        let (head, body) = matrix(refusal)
        exchange.respond(head, body: body)
    }

    static func matrix(_ refusal: MatrixRefusal) -> (ResponseHead, body: [UInt8]) {
        var head = ResponseHead(status: refusal.status)
        head.fields.append("Content-Type", "application/json")
        head.fields.append("Cache-Control", "no-store")
        if let seconds = refusal.retryAfter {
            head.fields.append("Retry-After", decimal: seconds)
        }
        return (head, refusal.json)
    }
}
