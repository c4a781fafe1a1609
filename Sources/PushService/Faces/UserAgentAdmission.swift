import Base
import Crypto
import HTTP
import Mailbox
import WebPush

/// Decides who may open the WebSocket of a user agent.
struct UserAgentAdmission {
    private let service: PushContext
    private let pages: PageGuard

    /// Enough for every message of a client; Mozilla's server has the same limit.
    private static let messageLimit = 64 * 1024
    private static let silence = Duration.seconds(240)
    private static let silenceBehindProxy = Duration.seconds(55)
    /// Firefox does not answer a close frame: it waits until the server ends the connection, and
    /// only then connects again.
    private static let closePatience = Duration.milliseconds(500)
    /// Room for all unacknowledged messages, in base64 and JSON.
    private static let outputLimit = 2 << 20

    init(_ service: PushContext) {
        self.service = service
        pages = PageGuard(service)
    }

    private var terms: WebSocketTerms {
        WebSocketTerms(
            subprotocols: ["push-notification"],
            session: Self.limits(isBehindProxy: service.settings.isBehindProxy),
            outputLimit: Self.outputLimit, sha1: { try? SHA1.digest(of: $0) })
    }

    static func limits(isBehindProxy: Bool) -> WebSocketSession.Limits {
        WebSocketSession.Limits(
            messageLimit: messageLimit, silence: isBehindProxy ? silenceBehindProxy : silence,
            closePatience: closePatience)
    }

    /// `secret`: where the path contains the bearer secret of a device.
    func admit(_ exchange: HTTPExchange, _ secret: Range<Int>?, to desk: DeliveryDesk) {
        do throws(Refusal) {
            switch pages.judge(exchange) {
            case .misdirected: throw .misdirected
            case .foreign: throw .forbidden
            case .ours: break
            }
            let credential = try credential(exchange, secret)
            let place = credential == nil ? try place(for: exchange.client) : nil
            exchange.upgrade(terms, to: AutopushChannel(desk, credential: credential, place))
        } catch {
            switch error {
            case .misdirected:
                Answer.refuse(
                    HTTPRefusal.misdirected.answer(service.errorPage), exchange)
            case .forbidden: Answer.empty(403, exchange)
            case .unauthorized: Answer.empty(401, exchange)
            case .unconfirmed: Answer.empty(503, exchange, retryAfter: RetryAfter.trouble)
            case .crowded: Answer.empty(429, exchange, retryAfter: RetryAfter.whenFull)
            }
        }
    }

    private enum Refusal: Error { case misdirected, forbidden, unauthorized, unconfirmed, crowded }

    /// Nil for a client on this machine, where connections are not limited.
    private func place(for client: IPAddress?) throws(Refusal) -> StrangerPlace? {
        guard let client, !client.isLoopback else { return nil }
        guard let place = service.strangerPlaces.enter(client.network) else { throw .crowded }
        return place
    }

    private func credential(
        _ exchange: HTTPExchange, _ path: Range<Int>?
    ) throws(Refusal) -> UInt32? {
        if let secret = path ?? exchange.head.bearer {
            let bytes = exchange.head.bytes
            let known = service.index.credential(secret: bytes.span.extracting(secret))
            guard let known else { throw .unauthorized }
            guard known.isConfirmed else { throw .unconfirmed }
            return known.row
        }
        // A connection may outlast its listener, and was not meant by what is open now.
        guard service.doors.registration == .open, !exchange.listener.isClosed else {
            throw .unauthorized
        }
        if exchange.listener.isForThisMachine, comesFromElsewhere(exchange) { throw .forbidden }
        return nil
    }

    /// A connection from before a reload may have come through a proxy that is no longer declared.
    private func comesFromElsewhere(_ exchange: HTTPExchange) -> Bool {
        exchange.head.isForwarded || exchange.client.map { !$0.isLoopback } ?? false
    }
}
