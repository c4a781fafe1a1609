import Base
package import HTTP
import WebPush

/// Serves the metrics, on a listener of its own.
package final class MetricsHandler: HTTPHandler {
    private let service: PushContext
    private let pages: PageGuard

    package init(_ service: PushContext) {
        self.service = service
        pages = PageGuard(service)
    }

    private var page: ErrorPage { service.errorPage }

    package func bodyLimit(for head: borrowing RequestHead) -> Int { 0 }

    package func handle(_ exchange: HTTPExchange) {
        exchange.label = "metrics"
        let head = exchange.head
        guard pages.namesUs(head) else {
            return Answer.refuse(HTTPRefusal.misdirected.answer(page), exchange)
        }
        guard head.text(head.path) == "/metrics" else { return Answer.empty(404, exchange) }
        guard head.method == .get || head.method == .head else {
            return Answer.refuse(HTTPRefusal.methodNotAllowed.answer(page), exchange)
        }
        // Pages of other sites must not read the metrics.
        let site = head.fields.firstValue(of: "sec-fetch-site").map { head.text($0) }
        guard !head.fields.contains("origin"), site != "cross-site" else {
            return Answer.empty(403, exchange)
        }
        guard isAllowed(head, exchange.listener) else { return Answer.empty(401, exchange) }
        // Without a token they are for this machine, and a proxy there passes on what others ask.
        guard service.settings.metricsToken != nil || !head.isForwarded else {
            return Answer.empty(403, exchange)
        }
        var answer = exchange.answer(200)
        answer.fields.append("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        answer.fields.append("Cache-Control", "no-store")
        exchange.respond(
            answer,
            body: Array(service.metrics.text(service.store, version: service.settings.version).utf8)
        )
    }

    /// A connection that has outlasted its listener may come from the network, although what is
    /// open now needs no token.
    private func isAllowed(_ head: borrowing RequestHead, _ listener: HTTPListenerTerms) -> Bool {
        guard !listener.isClosed else { return false }
        guard let token = service.settings.metricsToken else { return true }
        guard let bearer = head.bearer else { return false }
        let bytes = head.bytes
        let given = bytes.span.extracting(bearer)
        return token.withSpan { $0.isEqualSecretly(to: given) }
    }

    package func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8]) {
        refusal.answer(page).parts
    }
}
