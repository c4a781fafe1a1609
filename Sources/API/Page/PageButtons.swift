import Base
import Crypto
import HTTP
import PushService
import System
import Topics

/// Sends the requests of buttons that somebody presses on a page, with nothing of the person's or of
/// ours, as screens do.
///
/// They reach what callbacks reach, and nothing where callbacks need a proxy. What the owner of a topic
/// has allowed inside a home or a machine is for screens: this server may be in another one. Only the
/// thread of the loop uses it.
final class PageButtons {
    /// What is known of a press.
    enum Result: Equatable {
        case answered(status: Int)
        /// It was certainly not carried out.
        case unsent
        case forbidden
        case unknown
        /// The same press is under way.
        case again

        /// As the address of the page says it.
        var word: String {
            switch self {
            case .answered(let status): "\(status)"
            case .unsent: "unsent"
            case .forbidden: "forbidden"
            case .unknown: "unknown"
            case .again: "again"
            }
        }
    }

    private let service: ServiceState
    private let loop: EventLoop
    /// Made for the first press.
    @exclusivity(unchecked) private var context: TLSContext?

    private let underWay: PressesUnderWay

    init(_ service: ServiceState, _ underWay: PressesUnderWay, on loop: EventLoop) {
        (self.service, self.underWay, self.loop) = (service, underWay, loop)
    }

    /// Nil for what is never sent, and has no button. By `key` the other side knows a press again.
    static func request(_ action: TopicAction, key: String = "") -> StatusRequest? {
        guard action.kind == .http else { return nil }
        return try? StatusRequest(
            action.sentMethod, action.url,
            fields: action.headers.map { ($0.name, $0.value) },
            usual: [("User-Agent", "bellwire"), ("Idempotency-Key", key)], body: action.body)
    }

    /// `button` is what is pressed, whoever does it.
    func press(
        _ button: String, _ request: StatusRequest, of action: TopicAction,
        then: @escaping (Result) -> Void
    ) {
        let settings = service.settings.callbacks
        let target = try? settings.target(action.url, for: .anyone)
        guard target != nil, settings.proxy == nil else { return then(.forbidden) }
        guard let context = context ?? makeContext() else { return then(.unsent) }
        guard underWay.begin(button) else { return then(.again) }
        let isEncrypted = request.url.isEncrypted
        let objection: @Sendable (SocketAddress) -> DialRefusal? = { address in
            guard case .ip(let address, let port) = address else { return .notInternet }
            return settings.refusal(of: address, port: port, isEncrypted: isEncrypted)
        }
        StatusClient.send(
            request, trust: context, on: loop, objection: objection
        ) { [underWay] result in
            underWay.end(button)
            switch result {
            case .success(let status): then(.answered(status: status))
            case .failure(.forbidden): then(.forbidden)
            case .failure(let failure): then(failure.isBeforeRequest ? .unsent : .unknown)
            }
        }
    }

    private func makeContext() -> TLSContext? {
        var trust = Trust.system
        if let path = service.settings.callbacks.client.authorities {
            guard let text = try? TextFile.read(path) else { return nil }
            trust = .authorities(text)
        }
        context = try? TLSContext(client: trust, protocols: [.http1])
        return context
    }
}

/// The presses of all loops whose requests are not answered yet, so that a double click is one press.
final class PressesUnderWay: Sendable {
    private static let limit = 64

    private let buttons = Lock<Set<String>>([])

    /// False if it is under way, or too many are.
    func begin(_ button: String) -> Bool {
        buttons.withLock { $0.count < Self.limit && $0.insert(button).inserted }
    }

    func end(_ button: String) { buttons.withLock { _ = $0.remove(button) } }
}
