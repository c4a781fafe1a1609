import Base
import Outbound

/// What a push service's answer means to the sender.
struct PushVerdict {
    private let response: HTTPResponse

    init(_ response: HTTPResponse) { self.response = response }

    var exitCode: ExitCode {
        switch response.status {
        case 200..<300: .success
        case 408, 425, 429, 500...: .unavailable
        default: .refused
        }
    }

    private var meaning: String {
        switch response.status {
        case 200..<300: "the push service accepted the push"
        case 300..<400: "the endpoint has moved; redirects are not followed, so subscribe again"
        case 400: "the push service does not understand the request"
        case 401, 403: "the signature is missing or wrong, or the endpoint is bound to another key"
        case 404, 410: "the subscription is gone; stop using this endpoint"
        case 413: "the message is too large for this push service"
        case 408, 425: "the push service asks to send the push again"
        case 429: "too many pushes; wait before the next one"
        case 500...: "the push service has an internal problem; try again later"
        default: "the push service refused the push"
        }
    }

    private static let shownFields = ["location", "ttl", "retry-after"]

    var text: String {
        var lines = ["\(response.status) \(meaning)"]
        for name in Self.shownFields {
            if let value = response.field(name) { lines.append("\(name): \(value)") }
        }
        if exitCode != .success, !response.body.isEmpty {
            let body = String(decoding: response.body, as: UTF8.self)
            lines.append("answer: " + Printable.text(body, limit: 500))
        }
        return lines.map { Printable.text($0) + "\n" }.joined()
    }

    var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("status", response.status)
            writer.member("meaning", meaning)
            for name in Self.shownFields {
                if let value = response.field(name) { writer.member(text: name, value) }
            }
        }
        return writer.text + "\n"
    }
}
