import Base
import HTTP

/// What a connection brings in must mean the same however it is cut: each target reads its input
/// whole and byte by byte, and traps when the two differ.
extension FuzzTarget {
    static func readHTTP1(_ bytes: [UInt8]) {
        let whole = requests(bytes, pieceLength: bytes.count)
        let cut = requests(bytes, pieceLength: 1)
        // A line that comes in pieces is judged at its end, so refusals may differ in their word.
        precondition(whole == cut, "cut differently, read differently")
    }

    /// Past the head, which random bytes seldom become.
    static func readChunks(_ bytes: [UInt8]) {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        readHTTP1(Array(head.utf8) + bytes)
    }

    /// Everything that whole requests said, in one text.
    private static func requests(_ bytes: [UInt8], pieceLength: Int) -> [UInt8] {
        var parser = HTTP1Parser()
        var text: [UInt8] = []
        var pending: [UInt8] = []
        var start = 0
        while start < bytes.count {
            let piece = Array(bytes[start..<min(start + max(pieceLength, 1), bytes.count)])
            var position = 0
            reading: while true {
                switch parser.next(in: piece.span, from: &position) {
                case .needsMore: break reading
                case .head:
                    pending = Array(parser.head.method.text.utf8)
                    pending += parser.head.bytes[parser.head.target]
                    parser.head.fields.forEach { name, value in
                        pending += name.array(name.indices) + value.array(value.indices)
                    }
                case .body(let range): pending += piece[range]
                case .end:
                    text += pending
                    pending = []
                case .continueExpected: pending.append(0)
                case .http2Preface, .refused: return text
                }
            }
            start += piece.count
        }
        return text
    }

    static func readWebSocket(_ bytes: [UInt8]) {
        for isClient in [false, true] {
            let whole = messages(bytes, isClient: isClient, pieceLength: bytes.count)
            let cut = messages(bytes, isClient: isClient, pieceLength: 1)
            precondition(whole == cut, "cut differently, read differently")
        }
    }

    private static func messages(
        _ bytes: [UInt8], isClient: Bool, pieceLength: Int
    ) -> [UInt8] {
        let maskingKeys: WebSocketEncoder.MaskingKeys = { 0x1234_5678 }
        var session = WebSocketSession(
            limits: WebSocketSession.Limits(messageLimit: 4096),
            maskingKeys: isClient ? maskingKeys : nil, at: Duration.zero)
        var text: [UInt8] = []
        var output: [UInt8] = []
        var start = 0
        while start < bytes.count {
            var piece = Array(bytes[start..<min(start + max(pieceLength, 1), bytes.count)])
            start += piece.count
            var position = 0
            session.heard(at: Duration.zero)
            while true {
                var span = piece.mutableSpan
                let delivery = session.next(
                    in: &span, at: &position, Duration.zero, output: &output)
                guard let delivery else { break }
                switch delivery {
                case .text(let payload), .binary(let payload):
                    payload.withSpan(in: piece.span) { text += $0.array($0.indices) }
                case .end: text.append(0xFF)
                }
            }
        }
        return text + output
    }
}
