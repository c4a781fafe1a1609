import Base
import HTTP

/// One input as the parser reads it, in JSON. Bytes that may be anything are written in hex.
struct ParserReport {
    private var requests: [(head: RequestHead, body: [UInt8], isEnded: Bool)] = []
    private var tail = "waiting"
    private var status = 0

    init(_ input: [UInt8]) {
        var parser = HTTP1Parser()
        var position = 0
        while true {
            switch parser.next(in: input.span, from: &position) {
            case .needsMore: return
            case .head: requests.append((parser.head, [], false))
            case .continueExpected: break
            case .body(let range): requests[requests.count - 1].body += input[range]
            case .end: requests[requests.count - 1].isEnded = true
            case .http2Preface:
                tail = "preface"
                return
            case .refused(let refusal):
                tail = refusal.rawValue
                status = refusal.status
                return
            }
        }
    }

    var line: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("tail", tail)
            writer.member("status", status)
            writer.name("requests")
            writer.array { writer in
                for request in requests {
                    writer.object { Self.write(request.head, request.body, to: &$0) }
                }
            }
            writer.name("ended")
            writer.array { writer in
                for request in requests { writer.raw(request.isEnded ? "true" : "false") }
            }
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    private static func write(
        _ head: RequestHead, _ body: [UInt8], to writer: inout JSONWriter
    ) {
        writer.member("method", head.method.text)
        writer.member("target", head.text(head.target))
        writer.member("version", head.version == .http10 ? "1.0" : "1.1")
        writer.member("body", hex(body))
        writer.name("keep_alive")
        writer.raw(head.keepsAlive ? "true" : "false")
        writer.name("fields")
        writer.array { writer in
            head.fields.forEach { name, value in
                writer.array { writer in
                    writer.string(hex(name.array(name.indices)))
                    writer.string(hex(value.array(value.indices)))
                }
            }
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { text, byte in
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}
