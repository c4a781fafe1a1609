import Base
import Crypto
import Glibc
import HTTP
import System

/// Connects once, and prints how that ended.
final class EchoClient: WebSocketClientHandler {
    private let echo = Echo()
    private let loop: EventLoop

    private init(_ loop: EventLoop) { self.loop = loop }

    static func connect(_ text: String, authority: String?) throws {
        guard let url = ClientURL(webSocket: text) else { exit(2) }
        let trust = try authority.map { Trust.authorities(try TextFile.read($0)) } ?? .system
        signal(SIGPIPE, SIG_IGN)
        let loop = try EventLoop()
        let options = WebSocketClientOptions(
            url: url, terms: Echo.terms,
            context: try TLSContext(client: trust, protocols: [.http1]))
        WebSocketClient.connect(options, on: loop, EchoClient(loop))
        _ = loop.run()
    }

    func opened(_ connection: WebSocketConnection, subprotocol: String?) {
        echo.opened(connection, subprotocol: subprotocol)
    }

    func received(text: Span<UInt8>, on connection: WebSocketConnection) {
        echo.received(text: text, on: connection)
    }

    func received(binary: Span<UInt8>, on connection: WebSocketConnection) {
        echo.received(binary: binary, on: connection)
    }

    func closed(_ end: WebSocketEnd, on connection: WebSocketConnection) {
        if case .closed(let close) = end {
            finish("closed \(close.code?.rawValue ?? 0) \(close.reason)")
        } else {
            finish("\(end)")
        }
    }

    func failed(_ failure: ClientFailure) { finish("\(failure)") }

    private func finish(_ outcome: String) {
        print(outcome)
        loop.drain(within: .seconds(5))
    }
}
