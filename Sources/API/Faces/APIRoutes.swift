import Base
import HTTP
import Mailbox
import PushService

/// The paths of `/api/v1`, for the public listeners and for the control socket. One for each loop.
final class APIRoutes {
    private enum Route: Sendable {
        case listRegistrations, register, showRegistration, revoke, rotate, replaceSecret
        case pending, fetch
        case presence, pause
        case engine
    }

    private let registrations: RegistrationRoutes
    private let engines: EngineAdmission
    private let router: HTTPRouter<Route>

    init(_ registrations: RegistrationRoutes, _ engines: EngineAdmission) {
        self.registrations = registrations
        self.engines = engines
        var router = HTTPRouter<Route>()
        router.add(
            "/api/v1/registrations", [(.get, .listRegistrations), (.post, .register)])
        router.add(
            "/api/v1/registrations/*", [(.get, .showRegistration), (.delete, .revoke)])
        router.add("/api/v1/registrations/*/rotate", [(.post, .rotate)])
        router.add("/api/v1/registrations/*/secret", [(.post, .replaceSecret)])
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
        switch route {
        case .listRegistrations: registrations.list(caller, answer)
        case .register:
            let key = exchange.head.fields.joinedValue(of: "idempotency-key")
            registrations.register(exchange.body, key: key, caller, answer)
        case .showRegistration: registrations.show(id, caller, answer)
        case .revoke: registrations.revoke(id, caller, answer)
        case .rotate: registrations.rotate(id, caller, answer)
        case .replaceSecret: registrations.replaceSecret(id, exchange.body, caller, answer)
        case .pending: registrations.pending(Self.registration(in: exchange), caller, answer)
        case .fetch: registrations.fetch(exchange.body, caller, answer)
        case .presence: registrations.presence(id, caller, answer)
        case .pause: registrations.pause(id, exchange.body, caller, answer)
        case .engine: engines.admit(exchange, caller)
        }
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
