import Base
import HTTP
import Mailbox
import Reactor
import Receiver
import WebPush

struct PushServiceSettings: Sendable {
    let baseURL: BaseURL
    let aliases: [Origin]
    var registration = RegistrationMode.open
    var refusesForwarded = false
    var isBehindProxy = false
    let version: String

    init(baseURL: BaseURL, aliases: [Origin] = [], version: String) {
        self.baseURL = baseURL
        self.aliases = aliases
        self.version = version
    }
}

/// Answers to questions about its health alone.
final class PushService: Sendable {
    init(store: any MessageStore, endpointKey: Secret, settings: PushServiceSettings) {}

    func handler(on loop: EventLoop) throws -> any HTTPHandler { HealthHandler() }
}

private final class HealthHandler: HTTPHandler {
    func bodyLimit(for head: borrowing RequestHead) -> Int { 65_536 }

    func handle(_ exchange: HTTPExchange) {
        let isKnown = exchange.head.text(exchange.head.path).hasSuffix("/health")
        exchange.respond(exchange.answer(isKnown ? 200 : 404), body: Array("{}\n".utf8))
    }

    func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8]) {
        (ResponseHead(status: refusal.status), [])
    }
}
