import Base
import HTTP

/// Sends every message back. Texts that begin with `!` are commands.
final class Echo: WebSocketHandler {
    static let terms = WebSocketTerms(
        subprotocols: ["echo"],
        session: WebSocketSession.Limits(messageLimit: 1 << 24), congestion: 64 * 1024,
        outputLimit: 1 << 26)

    func opened(_ connection: WebSocketConnection, subprotocol: String?) {}

    func received(text: Span<UInt8>, on connection: WebSocketConnection) {
        guard !text.isEmpty, text[0] == UInt8(ascii: "!") else {
            connection.send(text: text)
            return
        }
        let text = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        let words = text.split(separator: " ").map(String.init)
        switch (words[0], words.dropFirst().first.flatMap { Int($0) }) {
        case ("!close", let code?):
            connection.close(
                WebSocketCloseCode(rawValue: UInt16(clamping: code)),
                reason: words.dropFirst(2).joined(separator: " "))
        case ("!count", let count?): for number in 0..<count { connection.send(text: "\(number)") }
        default: connection.close(.unacceptable)
        }
    }

    func received(binary: Span<UInt8>, on connection: WebSocketConnection) {
        connection.send(binary: binary)
    }

    func closed(_ end: WebSocketEnd, on connection: WebSocketConnection) {}
}
