import Base
package import HTTP
import Mailbox
package import System
import WebPush

/// Gives each loop of a server its delivery desk and its HTTP handler.
package final class PushLoops: Sendable {
    private let service: ServiceState
    private let directory = SessionDirectory()

    package init(_ service: ServiceState) {
        self.service = service
        service.index.endings.listen { [weak self] in self?.end($0.devices) }
        service.index.remoteChanges.set { [weak self] in self?.tell($0) }
        service.index.isConnectedHere.set { [directory] in directory.desk(of: $0) != nil }
    }

    /// Call this once for each loop, before it runs. `further`: other routes to serve there.
    package func handler(
        on loop: EventLoop, _ further: (OwnerIntake) -> [FurtherRoute]
    ) throws -> any HTTPHandler {
        try service.startReading()
        let desk = DeliveryDesk(on: loop, service, directory, try service.makeMint())
        return try ServiceHandler(service, desk, try PushIntake(service, desk), further)
    }

    /// Ends the connections of deleted devices. Any thread may call it.
    private func end(_ devices: [UInt32]) {
        guard !devices.isEmpty else { return }
        for desk in directory.all { desk.loop.post { desk.end(devices) } }
    }

    /// Tells the devices that are connected here what other stores did. Any thread may call it.
    private func tell(_ news: RemoteChanges) {
        if news.isUnknown {
            for desk in directory.all { desk.loop.post { Self.sendAway(from: desk) } }
        }
        for device in news.connected { post(device) { $0.end([device]) } }
        for message in news.ended { post(message.address.device) { $0.withdrawn(message) } }
        for message in news.passed { post(message.address.device) { $0.received(message) } }
        for (device, position) in news.stored {
            post(device) { $0.stored(elsewhere: position, device) }
        }
    }

    private static func sendAway(from desk: DeliveryDesk) {
        desk.endAll()
        for stream in desk.sessions.all(TopicStream.self) { stream.end() }
    }

    private func post(_ device: UInt32, _ body: @escaping @Sendable (DeliveryDesk) -> Void) {
        guard let desk = directory.desk(of: device) else { return }
        desk.loop.post { body(desk) }
    }

    /// Call this after the loops and the store have ended, when nobody waits for an answer.
    package func close() { directory.forgetAll() }
}

/// Serves the metrics, on a listener of its own.
package final class MetricsHandler: HTTPHandler {
    private let service: ServiceState
    private let pages: PageGuard

    package init(_ service: ServiceState) {
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
        let given = head.fields.bytes.span.extracting(bearer)
        return token.withSpan { $0.isEqualSecretly(to: given) }
    }

    package func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8]) {
        refusal.answer(page).parts
    }
}
