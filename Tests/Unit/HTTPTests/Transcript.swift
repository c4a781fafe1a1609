import Base

@testable import HTTP

/// All events of a parser for some input, independent of how the input was cut.
struct Transcript: Equatable {
    enum Entry: Equatable {
        case head(Head)
        case continueExpected
        /// All pieces of one body joined.
        case body([UInt8])
        case end
        case http2Preface
        case refused(HTTPRefusal)
    }

    struct Head: Equatable {
        var method: String
        var path: String
        var query: String?
        var authority: String?
        var version: HTTPVersion
        var fields: [String]
        var keepsAlive: Bool
        var asksForUpgrade: Bool
    }

    private(set) var entries: [Entry] = []

    /// A line that comes in pieces may be checked only at its end, so it must have one.
    static func endingLine(_ input: [UInt8]) -> [UInt8] {
        input.last == UInt8(ascii: "\n") ? input : input + [UInt8(ascii: "\n")]
    }

    /// Feeds `input` in pieces that end at `cuts` and at its end.
    init(_ input: [UInt8], cuts: [Int] = [], limits: HTTPLimits = HTTPLimits()) {
        var parser = HTTP1Parser(limits: limits)
        var start = 0
        for end in cuts + [input.count] {
            feed(Array(input[start..<end]), to: &parser)
            start = end
        }
    }

    init(_ input: String, cuts: [Int] = [], limits: HTTPLimits = HTTPLimits()) {
        self.init(Array(input.utf8), cuts: cuts, limits: limits)
    }

    static func byteByByte(_ input: [UInt8], limits: HTTPLimits = HTTPLimits()) -> Transcript {
        Transcript(input, cuts: Array(1..<max(1, input.count)), limits: limits)
    }

    var refusal: HTTPRefusal? {
        if case .refused(let refusal) = entries.last { refusal } else { nil }
    }

    var heads: [Head] {
        entries.compactMap { if case .head(let head) = $0 { head } else { nil } }
    }

    var body: String {
        let bytes = entries.flatMap { entry -> [UInt8] in
            if case .body(let bytes) = entry { bytes } else { [] }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The input was one or more complete requests and nothing else.
    var isComplete: Bool { entries.last == .end }

    private mutating func feed(_ piece: [UInt8], to parser: inout HTTP1Parser) {
        var position = 0
        // Every event uses up input, or is one of a few between two heads.
        for _ in 0..<3 * piece.count + 10 {
            switch parser.next(in: piece.span, from: &position) {
            case .needsMore: return
            case .head: entries.append(.head(Head(parser.head)))
            case .continueExpected: entries.append(.continueExpected)
            case .body(let range): append(Array(piece[range]))
            case .end: entries.append(.end)
            case .http2Preface: entries.append(.http2Preface)
            case .refused(let refusal):
                if self.refusal == nil { entries.append(.refused(refusal)) }
                return
            }
        }
        preconditionFailure("the parser neither moves on nor asks for more")
    }

    private mutating func append(_ piece: [UInt8]) {
        if case .body(let body) = entries.last {
            entries[entries.count - 1] = .body(body + piece)
        } else {
            entries.append(.body(piece))
        }
    }
}

extension Transcript.Head {
    init(_ head: RequestHead) {
        method = head.method.text
        path = head.text(head.path)
        query = head.query.map(head.text)
        authority = head.authority.map(head.text)
        version = head.version
        fields = (0..<head.fields.count).map {
            head.text(head.fields.name(at: $0)) + "=" + head.text(head.fields.value(at: $0))
        }
        keepsAlive = head.keepsAlive
        asksForUpgrade = head.asksForUpgrade
    }
}

/// `GET / HTTP/1.1` with a Host and these lines.
func get(_ lines: String...) -> String {
    (["GET / HTTP/1.1", "Host: push.example"] + lines).map { $0 + "\r\n" }.joined() + "\r\n"
}

/// A chunked POST with this body, chunk by chunk as it is on the wire.
func chunked(_ body: String) -> String {
    "POST / HTTP/1.1\r\nHost: push.example\r\nTransfer-Encoding: chunked\r\n\r\n" + body
}
