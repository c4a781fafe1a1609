import Base
package import HTTP
package import Mailbox
package import PushService
package import System

/// The API on the public listeners. Every client needs the bearer secret of a device, wherever it
/// comes from, and not of one that can only receive.
final class PublicAPI {
    private let service: ServiceState
    private let routes: APIRoutes
    private let pages: PageGuard

    init(_ service: ServiceState, _ routes: APIRoutes) {
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
        let credential = head.bearer.flatMap { secret in
            service.index.credential(secret: head.fields.bytes.span.extracting(secret))
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

/// The paths of `/api/v1`, for the public listeners and for the control socket. One for each loop.
final class APIRoutes {
    private enum Route: Sendable {
        case listRegistrations, register, showRegistration, revoke, rotate, replaceSecret
        case changeTopic, listTokens, addToken, removeToken, confirmToken
        case listForwards, addForward, removeForward, confirmForward, forwardKey
        case messages, takeMessages, followMessages, picture
        case ask, showQuestion, withdrawQuestion
        case pending, fetch
        case presence, pause
        case engine
    }

    private let registrations: RegistrationRoutes
    let tokens: TokenRoutes
    private let forwards: ForwardRoutes
    let messages: MessageRoutes
    let questions: QuestionRoutes
    private let engines: EngineAdmission
    private let router: HTTPRouter<Route>

    init(
        _ registrations: RegistrationRoutes, _ engines: EngineAdmission,
        _ links: SharedPictureFetcher, on loop: EventLoop
    ) {
        self.registrations = registrations
        tokens = TokenRoutes(registrations)
        forwards = ForwardRoutes(registrations)
        messages = MessageRoutes(registrations, links, on: loop)
        questions = QuestionRoutes(registrations, on: loop)
        self.engines = engines
        var router = HTTPRouter<Route>()
        router.add(
            "/api/v1/registrations", [(.get, .listRegistrations), (.post, .register)])
        router.add(
            "/api/v1/registrations/*", [(.get, .showRegistration), (.delete, .revoke)])
        router.add("/api/v1/registrations/*/rotate", [(.post, .rotate)])
        router.add("/api/v1/registrations/*/secret", [(.post, .replaceSecret)])
        router.add("/api/v1/registrations/*/topic", [(.put, .changeTopic)])
        router.add("/api/v1/tokens", [(.get, .listTokens), (.post, .addToken)])
        router.add("/api/v1/tokens/*", [(.delete, .removeToken)])
        router.add("/api/v1/tokens/*/confirm", [(.post, .confirmToken)])
        router.add("/api/v1/forwards", [(.get, .listForwards), (.post, .addForward)])
        router.add("/api/v1/forwards/key", [(.get, .forwardKey)])
        router.add("/api/v1/forwards/*", [(.delete, .removeForward)])
        router.add("/api/v1/forwards/*/confirm", [(.post, .confirmForward)])
        router.add("/api/v1/messages", [(.get, .messages), (.post, .takeMessages)])
        router.add("/api/v1/messages/stream", [(.get, .followMessages)])
        router.add("/api/v1/questions", [(.post, .ask)])
        router.add(
            "/api/v1/questions/*", [(.get, .showQuestion), (.delete, .withdrawQuestion)])
        router.add("/api/v1/messages/*/picture", [(.get, .picture)])
        router.add("/api/v1/pending", [(.get, .pending)])
        router.add("/api/v1/fetched", [(.post, .fetch)])
        router.add("/api/v1/sources/*", [(.get, .presence)])
        router.add("/api/v1/sources/*/active", [(.post, .pause)])
        router.add("/api/v1/engine", [(.get, .engine)])
        self.router = router
    }

    /// `path` is the path without that of base-url.
    func serve(_ exchange: HTTPExchange, _ path: Range<Int>, _ caller: APICaller) {
        let bytes = exchange.head.bytes
        let route: Route
        let star: Range<Int>
        switch router.find(exchange.head.method, bytes.span.extracting(path)) {
        case .otherMethod:
            return exchange.respond(.failure(.http(.methodNotAllowed)), registrations.service)
        case .unknown: return exchange.respond(.failure(.unknown), registrations.service)
        case .found(let match):
            route = match.action
            star =
                match.first.lowerBound + path.lowerBound..<match.first.upperBound
                + path.lowerBound
        }
        // An empty body needs no Content-Type.
        guard exchange.body.isEmpty || exchange.isJSON else {
            return exchange.respond(
                .failure(.badBody("the body is not application/json")), registrations.service)
        }
        serve(exchange, route, star, caller)
    }

    private func serve(
        _ exchange: HTTPExchange, _ route: Route, _ star: Range<Int>, _ caller: APICaller
    ) {
        let service = registrations.service
        let answer: (APIResult) -> Void = { result in
            // The caller may have lost its access while the store was asked.
            exchange.respond(
                service.objection(to: caller).map { .failure($0) } ?? result, service)
        }
        let bytes = exchange.head.bytes
        let id = Bits128(base64URL: bytes.span.extracting(star)).map { RegistrationID($0) }
        let row = UInt32(decimalDigits: bytes.span.extracting(star))
        let name = String(decoding: bytes[star], as: UTF8.self)
        switch route {
        case .listRegistrations: registrations.list(caller, answer)
        case .register:
            let key = exchange.head.fields.joinedValue(of: "idempotency-key")
            registrations.register(exchange.body, key: key, caller, answer)
        case .showRegistration: registrations.show(id, caller, answer)
        case .revoke: registrations.revoke(id, caller, answer)
        case .rotate: registrations.rotate(id, caller, answer)
        case .replaceSecret: registrations.replaceSecret(id, exchange.body, caller, answer)
        case .changeTopic: registrations.changeTopic(id, exchange.body, caller, answer)
        case .listTokens: tokens.list(caller, answer)
        case .addToken: tokens.add(exchange.body, caller, answer)
        case .removeToken: tokens.remove(row, caller, answer)
        case .confirmToken: tokens.confirm(row, caller, answer)
        case .listForwards: forwards.list(caller, answer)
        case .addForward: forwards.add(exchange.body, caller, answer)
        case .removeForward: forwards.remove(row, caller, answer)
        case .confirmForward: forwards.confirm(row, exchange.body, caller, answer)
        case .forwardKey: forwards.key(answer)
        case .messages: messages.page(Self.query(of: exchange), caller, answer)
        case .takeMessages: messages.take(exchange.body, caller, answer)
        case .followMessages: messages.stream(exchange, Self.query(of: exchange), caller)
        case .ask: questions.ask(exchange, caller, answer)
        case .showQuestion: questions.show(name, exchange, caller, answer)
        case .withdrawQuestion: questions.withdraw(name, exchange, caller, answer)
        case .picture:
            messages.picture(name, exchange, caller) { exchange.respond(.failure($0), service) }
        case .pending: registrations.pending(Self.registration(in: exchange), caller, answer)
        case .fetch: registrations.fetch(exchange.body, caller, answer)
        case .presence: registrations.presence(id, caller, answer)
        case .pause: registrations.pause(id, exchange.body, caller, answer)
        case .engine: engines.admit(exchange, caller)
        }
    }

    private static func query(of exchange: HTTPExchange) -> [UInt8] {
        exchange.head.query.map { Array(exchange.head.text($0).utf8) } ?? []
    }

    /// `registration=ID` of the query.
    private static func registration(in exchange: HTTPExchange) -> RegistrationID? {
        let query = exchange.head.query.map { QueryItems(exchange.head.text($0)) }
        return query?["registration"].flatMap { RegistrationID(text: $0) }
    }
}

extension RegistrationID {
    init?(text: String) {
        let bytes = Array(text.utf8)
        guard let bits = Bits128(base64URL: bytes.span) else { return nil }
        self.init(bits)
    }
}

/// The API's part of each loop: the connected clients of engines, and the routes.
package final class APILoops: Sendable {
    /// The page answers all of them itself, so that each answer has its header fields.
    private static let anyMethod: [HTTPMethod] = [
        .get, .head, .post, .put, .delete, .options, .patch,
    ]

    private let service: ServiceState
    private let desks = Lock<[EngineDesk]>([])
    private let login = PageLogin()
    private let presses = PressesUnderWay()
    private let links: SharedPictureFetcher

    package init(_ service: ServiceState) {
        self.service = service
        links = SharedPictureFetcher(service)
    }

    /// Makes the routes for public listeners. Call it once for each loop, before the loop runs.
    package func routes(on loop: EventLoop, for intake: OwnerIntake) -> [FurtherRoute] {
        let engines = desk(on: loop)
        let dialogue = StoreDialogue(on: loop, service.store)
        let registrations = RegistrationRoutes(service, dialogue)
        let routes = APIRoutes(registrations, EngineAdmission(engines), links, on: loop)
        let api = PublicAPI(service, routes)
        let page = PageRoutes(
            service, login,
            PageDesk(
                devices: DeviceRoutes(service, dialogue), registrations: registrations,
                overview: OverviewDesk(service, dialogue),
                inbox: InboxDesk(messages: routes.messages),
                topics: TopicsDesk(
                    messages: routes.messages, tokens: routes.tokens, intake: intake),
                questions: routes.questions,
                passkeys: PasskeyDesk(service, dialogue, login.challenges),
                buttons: PageButtons(service, presses, on: loop), engines: engines,
                streams: PageStreams(service, login, on: loop)))
        return [
            FurtherRoute("/api/v1/**", [.get, .post, .put, .delete], label: "api") {
                api.serve($0, $1)
            },
            FurtherRoute("/ui", [.get], label: "ui") { page.serve($0, $1) },
            FurtherRoute("/ui/**", Self.anyMethod, label: "ui") { page.serve($0, $1) },
        ]
    }

    /// Makes the handler of the control socket. Call it for the loop that serves the socket.
    package func control(on loop: EventLoop, _ settings: ControlSettings) -> any HTTPHandler {
        let engines = desk(on: loop)
        let dialogue = StoreDialogue(on: loop, service.store)
        let api = APIRoutes(
            RegistrationRoutes(service, dialogue), EngineAdmission(engines), links, on: loop)
        return ControlHandler(
            service, dialogue, engines, api, ExportRoutes(on: loop, dialogue), login, settings)
    }

    private func desk(on loop: EventLoop) -> EngineDesk {
        let desk = EngineDesk(on: loop, service)
        desks.withLock { $0.append(desk) }
        return desk
    }

    /// The parameters of `registerDevice`, as callbacks carry them.
    package var describe: @Sendable (Registration) -> String {
        {
            [
                settings = service.settings, engines = service.index.engines,
                refused = service.refusedSenders
            ] registration in
            RegistrationReport(settings: settings, engines: engines, refusedSenders: refused)
                .parameters(of: registration)
        }
    }

    /// Call it when loops and store have ended.
    package func close() {
        links.close()
        for desk in desks.withLock({ $0 }) { desk.forgetAll() }
        desks.withLock { $0 = [] }
    }
}
