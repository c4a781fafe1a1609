package import Base
package import HTTP
import Mailbox
import StatusPage
import WebPush

/// Decides who may open the WebSocket of a user agent.
struct UserAgentAdmission {
    private let service: ServiceState
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

    init(_ service: ServiceState) {
        self.service = service
        pages = PageGuard(service)
    }

    private var terms: WebSocketTerms {
        WebSocketTerms(
            subprotocols: ["push-notification"],
            session: Self.limits(isBehindProxy: service.settings.isBehindProxy),
            outputLimit: Self.outputLimit)
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
            exchange.upgrade(terms, to: UserAgentConnection(desk, credential: credential, place))
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
        guard service.admission.registration == .open, !exchange.listener.isClosed else {
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

/// Tells a person's browser what this is, at the address where user agents open their WebSocket.
struct BrowserGreeting {
    private static let policy: StaticString = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; \
        frame-ancestors 'none'
        """

    private let service: ServiceState
    private let pages: PageGuard

    init(_ service: ServiceState) {
        self.service = service
        pages = PageGuard(service)
    }

    /// False for programs, and for a name that is not ours.
    func show(_ exchange: HTTPExchange) -> Bool {
        guard Self.isForPerson(exchange.head), let status = status(for: exchange) else {
            return false
        }
        exchange.label = "front"
        let page = FrontPage(language: exchange.language, status: status)
        Answer.page(page.html, exchange, policy: Self.policy, cacheControl: "no-store")
        return true
    }

    /// Browsers ask for HTML when somebody opens an address, and for a WebSocket they do not.
    private static func isForPerson(_ head: borrowing RequestHead) -> Bool {
        guard head.method == .get, head.fields.firstValue(of: "upgrade") == nil,
            let accepted = head.fields.joinedValue(of: "accept")
        else { return false }
        return String(decoding: accepted, as: UTF8.self).lowercased()
            .split { ",; \t".contains($0) }.contains("text/html")
    }

    private func status(for exchange: HTTPExchange) -> FrontPage.StatusPlace? {
        let place = service.settings.page
        if case .own(let origin) = place, pages.judge(exchange, at: origin) == .ours {
            return .here
        }
        guard pages.judge(exchange) == .ours else { return nil }
        return switch place {
        case .off, .sharedSite: .nowhere
        case .usual: .here
        case .own(let origin): .elsewhere(origin: "\(origin)")
        }
    }
}

extension HTTPExchange {
    /// What the visitor reads.
    package var language: Language {
        let accepted = head.fields.joinedValue(of: "accept-language")
        return Language(accepted: String(decoding: accepted ?? [], as: UTF8.self))
    }
}
