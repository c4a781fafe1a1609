import Base
import Delivery
import HTTP
import Mailbox
import System
import Topics
import WebPush

/// Routes the requests of one loop.
final class ServiceHandler: HTTPHandler {
    private let service: ServiceState
    private let desk: DeliveryDesk
    private let intake: PushIntake
    private let greeting: BrowserGreeting
    private let admission: UserAgentAdmission
    private let gateway: MatrixGateway
    private let topics: TopicHandler
    private let further: [FurtherRoute]
    private let router: HTTPRouter<ServiceRoute>
    private let prefix: [UInt8]

    /// The limit for every route but the Matrix gateway and topics. It exceeds the limit of a push,
    /// so that a problem with the endpoint is reported before a body that is too long.
    private static let bodyLimit = 64 * 1024

    init(
        _ service: ServiceState, _ desk: DeliveryDesk, _ intake: PushIntake,
        _ further: (OwnerIntake) -> [FurtherRoute]
    ) throws {
        self.service = service
        self.desk = desk
        self.intake = intake
        greeting = BrowserGreeting(service)
        admission = UserAgentAdmission(service)
        topics = try TopicHandler(service, desk)
        gateway = MatrixGateway(service, desk, intake, topics.applications)
        prefix = Array(service.settings.baseURL.path.utf8)
        self.further = further(topics.ownerIntake)
        router = ServiceRoute.router(with: self.further)
        service.follow(on: desk.loop) { [weak self] settings in
            self?.intake.use(settings)
            self?.gateway.use(settings)
        }
    }

    func bodyLimit(for head: borrowing RequestHead) -> Int {
        // A body within this limit is allowed on every route.
        guard head.contentLength ?? .max > Self.bodyLimit else { return Self.bodyLimit }
        let path = head.fields.bytes.span.extracting(path(of: head))
        guard !path.elementsEqual(ServiceRoute.gatewayPath) else {
            return MatrixNotification.requestLimit
        }
        return isOfTopics(head.method, path) ? topics.bodyLimit(for: head, path) : Self.bodyLimit
    }

    /// Topics have what nothing else has. At the root, user agents come with GET.
    private func isOfTopics(_ method: HTTPMethod, _ path: Span<UInt8>) -> Bool {
        switch router.find(method, path) {
        case .found: false
        case .otherMethod: path.count <= 1
        case .unknown: !ServiceRoute.isMatrix(path)
        }
    }

    private var page: ErrorPage { service.errorPage }

    /// The path without that of base-url, which a proxy may have removed already.
    private func path(of head: borrowing RequestHead) -> Range<Int> {
        let whole = head.path
        let start = head.fields.bytes.span.extracting(whole).hasPrefix(prefix) ? prefix.count : 0
        return whole.lowerBound + start..<whole.upperBound
    }

    func handle(_ exchange: HTTPExchange) {
        // Read once, because each access copies it.
        let head = exchange.head
        let bytes = head.fields.bytes.span
        let body = exchange.body
        guard !service.index.setAside.contains(.request, bytes, body.span) else {
            let isMatrix = ServiceRoute.isMatrix(bytes.extracting(path(of: head)))
            return isMatrix
                ? Answer.refuse(MatrixRefusal.unavailable.answer, exchange)
                : Answer.refuse(.setAside, exchange, service, to: 0)
        }
        CrashMarker.mark(.request, bytes, body.span) { lead(exchange, head) }
    }

    private func lead(_ exchange: HTTPExchange, _ head: borrowing RequestHead) {
        let path = path(of: head)
        let text = head.fields.bytes.span.extracting(path)
        // At the root, with or without its slash.
        if path.count <= 1, greeting.show(exchange) { return }
        guard !path.isEmpty || head.method != .get else {
            guard service.store.isCurrent else {
                return Answer.refuse(.settling, exchange, page)
            }
            return serve(.userAgent, path, exchange, head)
        }
        switch router.find(head.method, text) {
        case .found(let match):
            let star =
                match.first.lowerBound + path.lowerBound..<match.first.upperBound
                + path.lowerBound
            guard service.store.isCurrent || match.action.needsNoStore else {
                exchange.label = match.action.label
                if case .gateway = match.action {
                    return Answer.refuse(MatrixRefusal.settling.answer, exchange)
                }
                return Answer.refuse(.settling, exchange, page)
            }
            if case .further(let number) = match.action {
                exchange.label = further[number].label
                return further[number].serve(exchange, path)
            }
            serve(match.action, star, exchange, head)
        case .otherMethod where path.count <= 1: topics.serve(exchange, path)
        case .otherMethod(let allowed):
            refuseMethod(
                exchange, allowed, isMatrix: ServiceRoute.isMatrix(text))
        case .unknown where ServiceRoute.isMatrix(text):
            Answer.refuse(MatrixRefusal.unknownPath.answer, exchange)
        case .unknown: topics.serve(exchange, path)
        }
    }

    func answer(toOversized head: borrowing RequestHead) -> (ResponseHead, body: [UInt8]) {
        let path = head.fields.bytes.span.extracting(path(of: head))
        guard !isOfTopics(head.method, path) else { return topics.answerToOversized(head, path) }
        let isGateway = bodyLimit(for: head) == MatrixNotification.requestLimit
        let answer =
            isGateway ? MatrixRefusal.tooLarge.answer : HTTPRefusal.bodyTooLarge.answer(page)
        return answer.parts
    }

    func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8]) {
        refusal.answer(page).parts
    }

    private func serve(
        _ route: ServiceRoute, _ star: Range<Int>, _ exchange: HTTPExchange,
        _ head: borrowing RequestHead
    ) {
        exchange.label = route.label
        switch route {
        case .push: intake.receive(exchange, head, token: star, .post)
        case .simplePush: intake.receive(exchange, head, token: star, .put)
        case .unknownVersion: Answer.refuse(.unknownVersion, exchange, page)
        case .discovery: Answer.json(200, TopicAnswer.discovery, exchange, isShared: true)
        case .withdrawal: withdraw(exchange, star)
        case .gateway: gateway.receive(exchange)
        case .gatewayDiscovery: Answer.json(200, Self.gatewayDiscovery, exchange)
        case .userAgent: admission.admit(exchange, nil, to: desk)
        case .userAgentOfDevice: admission.admit(exchange, star, to: desk)
        case .health:
            let isUsable = service.store.isUsable
            Answer.json(isUsable ? 200 : 503, status(isUsable), exchange)
        case .liveness: Answer.empty(200, exchange)
        case .status: Answer.json(200, status(service.store.isUsable), exchange)
        case .version: Answer.json(200, version, exchange)
        case .errors: Answer.page(Array(ErrorPage.html.utf8), exchange)
        case .preflight: Answer.preflight(exchange)
        case .further: break
        }
    }

    private func withdraw(_ exchange: HTTPExchange, _ id: Range<Int>) {
        let bytes = exchange.head.bytes
        guard let bits = Bits128(base64URL: bytes.span.extracting(id)) else {
            return Answer.refuse(.badMessageID, exchange, page)
        }
        desk.submit(
            .withdraw(LocationID(bits)),
            .other { [desk, page, service] outcome in
                if case .withdrawn(let reference) = outcome { desk.withdrawn(reference) }
                if outcome == .unavailable {
                    let settles = service.store.isSettling
                    Answer.refuse(settles ? .settling : .unavailable, exchange, page)
                } else {
                    Answer.empty(204, exchange, isShared: true)
                }
            })
    }

    private func refuseMethod(
        _ exchange: HTTPExchange, _ allowed: [HTTPMethod], isMatrix: Bool
    ) {
        let answer =
            isMatrix
            ? MatrixRefusal.otherMethod.answer : HTTPRefusal.methodNotAllowed.answer(page)
        var head = answer.head
        head.fields.append("Allow", allowed.map(\.text).joined(separator: ", "))
        exchange.respond(head, body: answer.body)
    }

    private static let gatewayDiscovery = Array(#"{"unifiedpush":{"gateway":"matrix"}}"#.utf8)

    /// In the words of autopush's clients and of Gotify's.
    private func status(_ isUsable: Bool) -> [UInt8] {
        GotifyServer.Health(service.settings.version, isUsable: isUsable).json
    }

    private var version: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("source", "bellwire")
            writer.member("version", service.settings.version)
            writer.member("commit", "")
            writer.member("build", "")
        }
        return writer.bytes
    }
}

extension Span<UInt8> {
    /// Whether the path begins with these whole segments.
    fileprivate func hasPrefix(_ path: [UInt8]) -> Bool {
        guard count >= path.count, extracting(0..<path.count).elementsEqual(path.span) else {
            return false
        }
        return count == path.count || self[path.count] == UInt8(ascii: "/")
    }
}
