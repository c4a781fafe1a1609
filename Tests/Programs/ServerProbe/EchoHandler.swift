import HTTP
import System

/// Answers with the body that came, and with its method and target as fields.
///
/// `/bytes/N` is answered with so many bytes, `/later/MS` so many milliseconds later, and only
/// `/upload` takes more than a push may hold.
final class EchoHandler: HTTPHandler, TimerHandler {
    private static let mostBytes = 8 << 20

    private let loop: EventLoop
    private var waiting: [UInt64: HTTPExchange] = [:]
    private var nextCookie: UInt64 = 0

    init(_ loop: EventLoop) { self.loop = loop }

    func bodyLimit(for head: borrowing RequestHead) -> Int {
        head.text(head.path) == "/upload" ? 4 << 20 : 5_630
    }

    func handle(_ exchange: HTTPExchange) {
        let path = exchange.head.text(exchange.head.path)
        if path.hasPrefix("/bytes/"), let count = Int(path.dropFirst(7)) {
            let body = [UInt8](repeating: 120, count: min(max(count, 0), Self.mostBytes))
            return exchange.respond(ResponseHead(status: 200), body: body)
        }
        guard path.hasPrefix("/later/"), let delay = Int64(path.dropFirst(7)) else {
            return echo(exchange)
        }
        nextCookie += 1
        waiting[nextCookie] = exchange
        _ = loop.schedule(after: Interval(.milliseconds(delay)), self, cookie: nextCookie)
    }

    func timerFired(_ cookie: UInt64) {
        if let exchange = waiting.removeValue(forKey: cookie) { echo(exchange) }
    }

    func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8]) {
        (ResponseHead(status: refusal.status), Array(refusal.rawValue.utf8))
    }

    private func echo(_ exchange: HTTPExchange) {
        var head = ResponseHead(status: 200)
        head.fields.append("X-Method", exchange.head.method.text)
        head.fields.append("X-Target", exchange.head.text(exchange.head.target))
        exchange.respond(head, body: exchange.body)
    }
}
