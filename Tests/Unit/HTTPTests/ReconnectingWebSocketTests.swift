import Crypto
import Foundation
import System
import Testing

@testable import HTTP

@Suite("A WebSocket that is opened again")
struct ReconnectingWebSocketTests {
    // Unchecked: apart from `events`, it is used only on the thread of the loop.
    private final class Holder: ReconnectingWebSocketHandler, @unchecked Sendable {
        let events = Events<String>()
        let socket: ReconnectingWebSocket

        init(_ port: UInt16, on loop: EventLoop) throws {
            guard let url = ClientURL(webSocket: "ws://localhost:\(port)/") else {
                throw POSIXError(.EINVAL)
            }
            let context = try TLSContext(client: .authorities([]), protocols: [.http1])
            socket = ReconnectingWebSocket(
                WebSocketClientOptions(url: url, terms: .testing(), context: context), on: loop)
        }

        func connect() { socket.connect(self) }

        func opened() { events.add("opened") }

        func received(text: Span<UInt8>) {
            events.add(text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
        }

        func lost(_ loss: WebSocketLoss) { events.add("lost") }
    }

    @Test("It can be opened again after its end; of an abandoned one nothing is heard")
    func again() throws {
        let server = try WebSocketFixture()
        let loops = try LoopGroup(count: 1)
        let loop = loops.loops[0]
        let holder = try Holder(server.port, on: loop)
        try loops.start(name: "client")
        defer {
            loops.drain(within: .zero)
            _ = loops.join()
        }
        loop.post { holder.connect() }
        #expect(holder.events.next() == "opened")
        loop.post { holder.socket.connection?.send(text: "!close 1000 x") }
        #expect(holder.events.next() == "lost")
        loop.post {
            holder.connect()
            holder.connect()
        }
        #expect(holder.events.next() == "opened")
        loop.post {
            holder.socket.disconnect()
            holder.connect()
        }
        #expect(holder.events.next() == "opened")
        loop.post { holder.socket.connection?.send(text: "hello") }
        #expect(holder.events.next() == "hello")
    }

    @Test("What the user has to change is not tried again at once")
    func pauses() {
        func pause(_ status: Int, _ retryAfter: Duration? = nil) -> Duration {
            WebSocketLoss.failed(.refused(status: status, retryAfter: retryAfter)).pause
        }
        #expect(pause(401) == .seconds(60) && pause(401, .seconds(5)) == .seconds(5))
        #expect(pause(503) == .zero && pause(503, .seconds(5)) == .seconds(5))
        #expect(WebSocketLoss.ended(.lost).pause == .zero)
    }
}
