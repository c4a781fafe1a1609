import HTTP
import Mailbox
import PushService

/// An answer of the API or the control socket: a status with JSON, or a refusal.
typealias APIResult = Result<(status: Int, body: [UInt8]), APIRefusal>

extension HTTPExchange {
    func respond(_ result: APIResult, _ service: PushContext) {
        switch result {
        case .success(let answer):
            var head = self.answer(answer.status)
            if !answer.body.isEmpty { head.fields.append("Content-Type", "application/json") }
            head.fields.append("Cache-Control", "no-store")
            send(head, answer.body)
        case .failure(let refusal):
            let answer = refusal.answer(service.errorPage)
            send(answer.head(for: self), answer.body)
        }
    }

    private func send(_ head: consuming ResponseHead, _ body: [UInt8]) {
        head.fields.append("Referrer-Policy", "no-referrer")
        respond(consume head, body: body)
    }

    /// A web page cannot send this type without a CORS preflight.
    var isJSON: Bool { hasType("application/json") }

    /// Whether the body is of this media type, whatever its parameters are.
    func hasType(_ wanted: String) -> Bool {
        guard let value = head.fields.firstValue(of: "content-type") else { return false }
        let type = head.text(value).prefix { $0 != ";" && $0 != " " }
        return type.lowercased() == wanted
    }
}

extension APIResult {
    /// The answer to the removal of a device or an owner, or to the confirmation of a device.
    init(ofRemoval outcome: StoreOutcome) {
        switch outcome {
        case .done: self = .success((204, []))
        case .notFound: self = .failure(.unknown)
        default: self = .failure(.unavailable)
        }
    }
}
