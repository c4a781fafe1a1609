import HTTP
import PushService

/// The API on the public listeners. Every client needs the bearer secret of a device, wherever it
/// comes from, and not of one that can only receive.
final class APIFace {
    private let service: PushContext
    private let routes: APIRoutes
    private let pages: PageGuard

    init(_ service: PushContext, _ routes: APIRoutes) {
        self.service = service
        self.routes = routes
        pages = PageGuard(service)
    }

    /// `path` is the path without that of base-url.
    func serve(_ exchange: HTTPExchange, _ path: Range<Int>) {
        switch pages.judge(exchange) {
        case .misdirected: return exchange.respond(.failure(.http(.misdirected)), service)
        case .ours where !PageGuard.isCrossSite(exchange): break
        case .ours, .foreign: return exchange.respond(.failure(.foreignPage), service)
        }
        let head = exchange.head
        let bytes = head.bytes
        let credential = head.bearer.flatMap { secret in
            service.index.credential(secret: bytes.span.extracting(secret))
        }
        guard let credential else { return exchange.respond(.failure(.unauthorized), service) }
        guard credential.isConfirmed else {
            return exchange.respond(.failure(.unconfirmed), service)
        }
        guard !credential.isReceiveOnly else {
            return exchange.respond(.failure(.receiveOnly), service)
        }
        service.presence.asked(credential.row)
        routes.serve(exchange, path, APICaller(credential))
    }
}
