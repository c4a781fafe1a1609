import Base
import Crypto
import HTTP
import Mailbox
import WebPush

/// Decides who may open the WebSocket of a user agent.
struct UserAgentAdmission {
    private let service: PushService
    private let terms: WebSocketTerms

    /// What a client has to say fits; upstream has the same limit.
    private static let messageLimit = 64 * 1024
    private static let silence = Duration.seconds(240)
    private static let silenceBehindProxy = Duration.seconds(55)
    /// Firefox answers no close frame: it waits for us to end the connection, and only then comes
    /// back.
    private static let closePatience = Duration.seconds(1)
    /// Whatever may be under way, in base64 and with what stands around it.
    private static let outputLimit = 2 << 20

    init(_ service: PushService) {
        self.service = service
        terms = WebSocketTerms(
            subprotocols: ["push-notification"],
            session: Self.limits(isBehindProxy: service.settings.isBehindProxy),
            outputLimit: Self.outputLimit, sha1: { try? SHA1.digest(of: $0) })
    }

    static func limits(isBehindProxy: Bool) -> WebSocketSession.Limits {
        WebSocketSession.Limits(
            messageLimit: messageLimit, silence: isBehindProxy ? silenceBehindProxy : silence,
            closePatience: closePatience)
    }

    /// `secret`: where the path has the bearer secret of a device.
    func admit(_ exchange: HTTPExchange, _ secret: Range<Int>?, to desk: DeliveryDesk) {
        do throws(Refusal) {
            try checkHost(exchange)
            try checkOrigin(exchange)
            let credential = try credential(exchange, secret)
            exchange.upgrade(terms, to: AutopushChannel(desk, credential: credential))
        } catch {
            switch error {
            case .misdirected:
                let (head, body) = Answer.refusal(.misdirected)
                exchange.respond(head, body: body)
            case .forbidden: Answer.empty(403, exchange)
            case .unauthorized: Answer.empty(401, exchange)
            }
        }
    }

    private enum Refusal: Error { case misdirected, forbidden, unauthorized }

    /// A page of another name that leads here must not speak to us.
    private func checkHost(_ exchange: HTTPExchange) throws(Refusal) {
        let head = exchange.head
        let authority = head.authority.map { head.text($0) } ?? ""
        guard let origin = Origin(url: "https://" + authority),
            origin.isLoopback || ours.contains(where: { $0.host == origin.host })
        else { throw .misdirected }
    }

    /// A program has none; Firefox sends our own address, with the scheme `wss`.
    private func checkOrigin(_ exchange: HTTPExchange) throws(Refusal) {
        let head = exchange.head
        guard let range = head.fields.firstValue(of: "origin") else { return }
        let text = head.text(range)
        let rest = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? ""
        let authority = head.authority.map { head.text($0) } ?? ""
        guard let origin = Origin(url: "https://" + rest),
            origin == Origin(url: "https://" + authority)
                || ours.contains(where: { $0.host == origin.host && $0.port == origin.port })
        else { throw .forbidden }
    }

    private func credential(
        _ exchange: HTTPExchange, _ path: Range<Int>?
    ) throws(Refusal) -> UInt32? {
        if let secret = path ?? exchange.head.bearer {
            let bytes = exchange.head.bytes
            guard let digest = Self.digest(bytes.span.extracting(secret)),
                let known = service.index.credential(digest)
            else { throw .unauthorized }
            return known.row
        }
        guard service.settings.registration == .open else { throw .unauthorized }
        if service.settings.refusesForwarded, isForwarded(exchange) { throw .forbidden }
        return nil
    }

    private func isForwarded(_ exchange: HTTPExchange) -> Bool {
        var isForwarded = false
        exchange.head.fields.forEach { name, _ in
            let start = name.extracting(0..<min(name.count, 12))
            isForwarded =
                isForwarded || name.equalsIgnoringCase("forwarded")
                || start.equalsIgnoringCase("x-forwarded-")
        }
        return isForwarded
    }

    private static func digest(_ text: Span<UInt8>) -> Digest? {
        guard let secret = Base64URL.decode(text), secret.count == Credential.secretLength,
            var hash = try? SHA256(), let bytes = try? hash.digest(of: secret.span)
        else { return nil }
        return Digest(bytes)
    }

    private var ours: [Origin] { [service.settings.baseURL.origin] + service.settings.aliases }
}
