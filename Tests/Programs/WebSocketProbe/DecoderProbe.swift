import Base
import Glibc
import HTTP

/// Decodes one input after the other.
struct DecoderProbe {
    private static let messageLimit = 1 << 20

    /// The report on the next input, or nil at the end of them.
    mutating func next() -> String? {
        guard let head = Self.read(9) else { return nil }
        let piece = head[1..<5].reduce(0) { $0 << 8 | Int($1) }
        let length = head[5..<9].reduce(0) { $0 << 8 | Int($1) }
        guard let bytes = Self.read(length) else { return nil }
        var decoder = WebSocketDecoder(
            role: head[0] == UInt8(ascii: "s") ? .server : .client,
            messageLimit: Self.messageLimit)
        var writer = JSONWriter()
        writer.object { writer in
            var failure: WebSocketFailure?
            writer.name("events")
            writer.array { writer in
                failure = Self.decode(bytes, inPiecesOf: piece, with: &decoder, into: &writer)
            }
            guard let failure else { return }
            writer.member("failure", failure.word)
            writer.member("code", Int(failure.code.rawValue))
        }
        return writer.text
    }

    private static func decode(
        _ bytes: [UInt8], inPiecesOf length: Int, with decoder: inout WebSocketDecoder,
        into writer: inout JSONWriter
    ) -> WebSocketFailure? {
        for start in stride(from: 0, to: bytes.count, by: max(1, length)) {
            var buffer = Array(bytes[start..<min(start + length, bytes.count)])
            var position = 0
            do throws(WebSocketFailure) {
                while true {
                    var span = buffer.mutableSpan
                    guard let event = try decoder.next(in: &span, at: &position) else { break }
                    write(event, in: buffer, into: &writer)
                    // What stands behind a close frame is never looked at.
                    if case .close = event { return nil }
                }
            } catch {
                return error
            }
        }
        return nil
    }

    private static func write(
        _ event: WebSocketEvent, in buffer: [UInt8], into writer: inout JSONWriter
    ) {
        writer.array { writer in
            switch event {
            case .text(let payload): write("text", payload, in: buffer, into: &writer)
            case .binary(let payload): write("binary", payload, in: buffer, into: &writer)
            case .ping(let payload): write("ping", payload, in: buffer, into: &writer)
            case .pong(let payload): write("pong", payload, in: buffer, into: &writer)
            case .close(let close):
                writer.string("close")
                writer.raw(close.code.map { String($0.rawValue) } ?? "null")
                writer.string(close.reason)
            }
        }
    }

    private static func write(
        _ kind: String, _ payload: WebSocketPayload, in buffer: [UInt8],
        into writer: inout JSONWriter
    ) {
        writer.string(kind)
        writer.string(payload.withSpan(in: buffer.span, Base64URL.text))
    }

    private static func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let result = bytes[filled...].withUnsafeMutableBytes {
                Glibc.read(0, $0.baseAddress, $0.count)
            }
            guard result > 0 else { return nil }
            filled += result
        }
        return bytes
    }
}
