import Base
import HTTP

/// What the API, or the control socket, answers: a status with JSON, or why not.
typealias APIResult = Result<(status: Int, body: [UInt8]), ControlRefusal>

extension HTTPExchange {
    func respond(_ result: APIResult) {
        let (status, body): (Int, [UInt8])
        switch result {
        case .success(let answer): (status, body) = answer
        case .failure(let refusal): (status, body) = (refusal.status, refusal.json)
        }
        var head = answer(status)
        if !body.isEmpty { head.fields.append("Content-Type", "application/json") }
        head.fields.append("Cache-Control", "no-store")
        head.fields.append("Referrer-Policy", "no-referrer")
        if status == 401 { head.fields.append("WWW-Authenticate", "Bearer") }
        if status == 503 { head.fields.append("Retry-After", decimal: 10) }
        respond(head, body: body)
    }

    /// What a web page cannot send without asking.
    var isJSON: Bool {
        guard let value = head.fields.firstValue(of: "content-type") else { return false }
        let type = head.text(value).prefix { $0 != ";" && $0 != " " }
        return type.lowercased() == "application/json"
    }
}
