import Base
import Crypto
import HTTP
import PushService
import System
import Topics

/// Sends the requests of buttons that somebody presses on a page, with nothing of the person's or of
/// ours, as screens do.
///
/// They reach what callbacks reach. What the owner of a topic has allowed inside a home or a machine is
/// for screens: this server may be in another one. Only the thread of the loop uses it.
final class PageButtons {
    /// What is known of a press.
    enum Result: Equatable {
        case answered(status: Int)
        /// It was certainly not carried out.
        case unsent
        case forbidden
        case unknown

        /// As the address of the page says it.
        var word: String {
            switch self {
            case .answered(let status): "\(status)"
            case .unsent: "unsent"
            case .forbidden: "forbidden"
            case .unknown: "unknown"
            }
        }
    }

    private let service: ServiceState
    private let loop: EventLoop
    /// Made for the first press.
    @exclusivity(unchecked) private var context: TLSContext?

    init(_ service: ServiceState, on loop: EventLoop) {
        (self.service, self.loop) = (service, loop)
    }

    /// Nil for what is never sent, and has no button. By `key` the other side knows a press again.
    static func request(_ action: TopicAction, key: String = "") -> StatusRequest? {
        guard action.kind == .http else { return nil }
        return try? StatusRequest(
            action.method.isEmpty ? "POST" : action.method, action.url,
            fields: action.headers.map { ($0.name, $0.value) },
            usual: [("User-Agent", "bellwire"), ("Idempotency-Key", key)], body: action.body)
    }

    func press(_ request: StatusRequest, then: @escaping (Result) -> Void) {
        guard let context = context ?? makeContext() else { return then(.unsent) }
        let settings = service.settings.callbacks
        let isEncrypted = request.url.isEncrypted
        let objection: @Sendable (SocketAddress) -> DialRefusal? = { address in
            guard case .ip(let address, let port) = address else { return .notInternet }
            return settings.refusal(of: address, port: port, isEncrypted: isEncrypted)
        }
        StatusClient.send(request, trust: context, on: loop, objection: objection) { result in
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
