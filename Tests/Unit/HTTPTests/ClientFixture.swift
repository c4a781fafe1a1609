import Base
import Crypto
import Foundation
import System

@testable import HTTP

/// A WebSocket client on a loop of its own that sends every message back.
final class ClientFixture {
    enum Event: Equatable, Sendable {
        case opened(String?)
        case failed(ClientFailure)
        case received(String)
        case closed(WebSocketEnd)
    }

    let events: Events<Event>
    private let loops: LoopGroup
    private let echo: Echo

    init(
        _ url: String, terms: WebSocketTerms = .testing(), trust: Trust = .authorities([]),
        _ change: (inout WebSocketClientOptions) -> Void = { _ in }
    ) throws {
        guard let url = ClientURL(webSocket: url) else { throw POSIXError(.EINVAL) }
        var options = WebSocketClientOptions(
            url: url, terms: terms, context: try TLSContext(client: trust, protocols: [.http1]))
        change(&options)
        signal(SIGPIPE, SIG_IGN)
        loops = try LoopGroup(count: 1)
        events = Events()
        echo = Echo(events)
        let (loop, echo, chosen) = (loops.loops[0], echo, options)
        try loops.start(name: "client")
        loop.post { echo.client = WebSocketClient.connect(chosen, on: loop, echo) }
    }

    deinit {
        loops.drain(within: .zero)
        _ = loops.join()
    }

    func onLoop(_ call: @escaping @Sendable (Echo) -> Void) {
        let echo = echo
        loops.loops[0].post { call(echo) }
    }

    func drain() { loops.drain(within: .seconds(5)) }

    // Unchecked: apart from `events`, it is used only on the thread of the loop.
    final class Echo: WebSocketClientHandler, @unchecked Sendable {
        var client: WebSocketClient?
        var connection: WebSocketConnection?
        private let events: Events<Event>

        init(_ events: Events<Event>) { self.events = events }

        func opened(_ connection: WebSocketConnection, subprotocol: String?) {
            self.connection = connection
            events.add(.opened(subprotocol))
        }

        func failed(_ failure: ClientFailure) {
            client = nil
            events.add(.failed(failure))
        }

        func received(text: Span<UInt8>, on connection: WebSocketConnection) {
            if text.count < 100 {
                let text = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
                if text.hasPrefix("!") { return events.add(.received(text)) }
            }
            connection.send(text: text)
        }

        func received(binary: Span<UInt8>, on connection: WebSocketConnection) {
            connection.send(binary: binary)
        }

        func closed(_ end: WebSocketEnd, on connection: WebSocketConnection) {
            self.connection = nil
            client = nil
            events.add(.closed(end))
        }
    }
}

extension RawSocket {
    /// Reads the client's request and answers it correctly, or with `change`d lines.
    @discardableResult
    func acceptUpgrade(
        _ change: (inout [String]) -> Void = { _ in }, then rest: [UInt8] = []
    ) throws -> String {
        let request = head()
        let name = "Sec-WebSocket-Key: "
        let line = request.components(separatedBy: "\r\n").first { $0.hasPrefix(name) }
        guard let line else { throw POSIXError(.EPROTO) }
        let key = Array(line.dropFirst(name.count).utf8)
        let accept = WebSocketAccept.value(forKey: key)
        var lines = [
            "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Accept: " + String(decoding: accept, as: UTF8.self),
        ]
        change(&lines)
        send(Array((lines + ["", ""]).joined(separator: "\r\n").utf8) + rest)
        return request
    }
}
