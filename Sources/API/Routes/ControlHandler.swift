import Base
import Configuration
import HTTP
import Mailbox
import PushService
import System

/// Serves the control socket to root, the service's own user and, if allowed, other users.
final class ControlHandler: HTTPHandler {
    private enum Route: Sendable {
        case listDevices
        case addDevice
        case removeDevice
        case confirmDevice
        case forgetDevice
        case exportDevice
        case listOwners
        case addOwner
        case removeOwner
        case forgetOwner
        case exportOwner
        case nextOfExport
        case overview
        case linkToPage
        case rotateMasterKey
        case showMasterKey
        case beginMove
        case showMove
        case health

        /// Whether it is about this node, which may not know what happened at others.
        var isOfThisNode: Bool {
            switch self {
            case .health, .overview, .linkToPage, .rotateMasterKey, .showMasterKey, .beginMove,
                .showMove:
                true
            default: false
            }
        }
    }

    private static let bodyLimit = 65_536

    private let service: ServiceState
    private let settings: ControlSettings
    private let setAside: SetAsideInputs
    private let devices: DeviceRoutes
    private let owners: OwnerRoutes
    private let exports: ExportRoutes
    private let farewells: FarewellRoutes
    private let overview: OverviewDesk
    private let login: PageLogin
    private let api: APIRoutes
    private let engines: EngineDesk
    private let routes: HTTPRouter<Route>

    init(
        _ service: ServiceState, _ dialogue: StoreDialogue, _ engines: EngineDesk,
        _ api: APIRoutes, _ exports: ExportRoutes, _ login: PageLogin, _ settings: ControlSettings
    ) {
        self.service = service
        self.settings = settings
        setAside = service.index.setAside
        self.exports = exports
        farewells = FarewellRoutes(dialogue, exports)
        overview = OverviewDesk(service, dialogue)
        self.login = login
        devices = DeviceRoutes(service, dialogue)
        owners = OwnerRoutes(service, dialogue)
        self.engines = engines
        self.api = api
        var routes = HTTPRouter<Route>()
        routes.add("/api/v1/devices", [(.get, .listDevices), (.post, .addDevice)])
        routes.add("/api/v1/devices/*", [(.delete, .removeDevice)])
        routes.add("/api/v1/devices/*/confirm", [(.post, .confirmDevice)])
        routes.add("/api/v1/devices/*/forget", [(.post, .forgetDevice)])
        routes.add("/api/v1/owners", [(.get, .listOwners), (.post, .addOwner)])
        routes.add("/api/v1/owners/*", [(.delete, .removeOwner)])
        routes.add("/api/v1/owners/*/forget", [(.post, .forgetOwner)])
        routes.add("/api/v1/devices/*/export", [(.post, .exportDevice)])
        routes.add("/api/v1/owners/*/export", [(.post, .exportOwner)])
        routes.add("/api/v1/exports/*", [(.post, .nextOfExport)])
        routes.add("/api/v1/overview", [(.get, .overview)])
        routes.add("/api/v1/page-links", [(.post, .linkToPage)])
        routes.add("/health", [(.get, .health)])
        routes.add(
            "/api/v1/master-key", [(.post, .rotateMasterKey), (.get, .showMasterKey)])
        routes.add("/api/v1/move", [(.post, .beginMove), (.get, .showMove)])
        self.routes = routes
    }

    func bodyLimit(for head: borrowing RequestHead) -> Int {
        head.method == .post && head.text(head.path) == MessageRoutes.path
            ? MessageRoutes.bodyLimit : Self.bodyLimit
    }

    func handle(_ exchange: HTTPExchange) {
        let head = exchange.head.bytes
        let body = exchange.body
        guard !setAside.contains(.request, head.span, body.span) else {
            return exchange.respond(.failure(.setAside), service)
        }
        CrashMarker.mark(.request, head.span, body.span) { lead(exchange) }
    }

    private func lead(_ exchange: HTTPExchange) {
        guard let caller = caller(exchange.peerCredentials) else {
            return exchange.respond(.failure(.notAllowed), service)
        }
        let bytes = exchange.head.bytes
        let path = bytes.span.extracting(exchange.head.path)
        switch routes.find(exchange.head.method, path) {
        case .found(let match) where match.action.isOfThisNode || service.store.isCurrent:
            serve(exchange, match, caller)
        case .otherMethod: exchange.respond(.failure(.http(.methodNotAllowed)), service)
        // Another node of the cluster may have made what this one does not know. A client that
        // wants to end it must not be told that it does not exist.
        case .found: exchange.respond(.failure(.unavailable), service)
        case .unknown:
            guard service.store.isCurrent else {
                return exchange.respond(.failure(.unavailable), service)
            }
            let user = exchange.peerCredentials?.userID
            api.serve(exchange, exchange.head.path, APICaller(caller, userID: user))
        }
    }

    private func caller(_ peer: PeerCredentials?) -> ControlCaller? {
        ControlCaller(
            userID: peer?.userID, ownUserID: ProcessOwner.userID,
            allowsLocalUsers: service.admission.allowsLocalUsers)
    }

    func lineHandler(for peer: PeerCredentials?) -> (any LineHandler)? {
        EngineLines(
            engines, caller(peer).map { APICaller($0, userID: peer?.userID) })
    }

    private func serve(
        _ exchange: HTTPExchange, _ match: HTTPRouter<Route>.Match, _ caller: ControlCaller
    ) {
        let answer: (APIResult) -> Void = { [service] result in
            let isAdmitted = service.admission.admit(caller.pass)
            exchange.respond(isAdmitted ? result : .failure(.notAllowed), service)
        }
        switch match.action {
        case .rotateMasterKey, .showMasterKey:
            guard caller == .administrator else { return answer(.failure(.notAllowed)) }
            answer(match.action == .showMasterKey ? masterKey : rotateMasterKey())
        case .beginMove, .showMove:
            guard caller == .administrator else { return answer(.failure(.notAllowed)) }
            answer(match.action == .showMove ? move : beginMove(exchange))
        case .health: answer(health)
        case .linkToPage: answer(login.link(for: caller, at: service.settings.page))
        case .overview:
            overview.load(for: APICaller(caller, userID: nil)) { overview in
                answer(overview.map { .success((200, $0.json)) } ?? .failure(.unavailable))
            }
        case .listDevices: devices.list(caller, answer)
        case .listOwners: owners.list(caller, answer)
        case .addDevice, .addOwner:
            guard exchange.isJSON else {
                return answer(.failure(.badBody("the body is not application/json")))
            }
            match.action == .addDevice
                ? devices.add(exchange.body, caller, answer)
                : owners.add(exchange.body, caller, answer)
        case .removeDevice, .forgetDevice, .exportDevice, .confirmDevice, .removeOwner,
            .forgetOwner, .exportOwner, .nextOfExport:
            let path = exchange.head.text(exchange.head.path)
            let digits = Array(path.utf8)[match.first]
            guard let row = UInt32(decimalDigits: digits.span) else {
                return answer(.failure(.unknown))
            }
            serve(row, match.action, caller, answer)
        }
    }

    /// Changes, ends or exports a device or an owner.
    private func serve(
        _ row: UInt32, _ route: Route, _ caller: ControlCaller,
        _ answer: @escaping (APIResult) -> Void
    ) {
        switch route {
        case .removeDevice: devices.remove(row, caller, answer)
        case .confirmDevice: devices.confirm(row, caller, answer)
        case .forgetDevice:
            devices.find(row, caller, answer) { [farewells] in
                farewells.forget(.device(row), answer)
            }
        case .exportDevice:
            devices.find(row, caller, answer) { [farewells] in
                farewells.export(.device(row), caller, answer)
            }
        case .forgetOwner:
            owners.find(row, caller, answer) { [farewells] in
                farewells.forget(.owner(row), answer)
            }
        case .exportOwner:
            owners.find(row, caller, answer) { [farewells] in
                farewells.export(.owner(row), caller, answer)
            }
        case .nextOfExport: exports.next(row, caller, answer)
        default: owners.remove(row, caller, answer)
        }
    }

    /// Who asks here wants to know whether pushes are accepted, so the store decides.
    private var health: APIResult {
        guard service.store.isUsable else { return .failure(.unavailable) }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("status", "OK")
            writer.member("version", service.settings.version)
            writer.member("base_url", settings.baseURL.description)
        }
        return .success((200, writer.bytes))
    }

    /// Whether stored data is being sealed under a new key, and how far that is.
    private var masterKey: APIResult {
        let rotation = settings.rotation()
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("sealing", rotation.progress != nil)
            if let progress = rotation.progress {
                writer.member("done", progress.done)
                writer.member("total", progress.total)
            }
            guard rotation.isShared else { return }
            writer.member("shared", true)
            writer.member("unopened", rotation.unopened)
            if let failure = rotation.failure { writer.member(text: "failure", failure) }
        }
        return .success((200, writer.bytes))
    }

    private var move: APIResult { .success((200, settings.move(nil).json)) }

    private func beginMove(_ exchange: HTTPExchange) -> APIResult {
        guard exchange.isJSON, let wish = MoveWish(exchange.body) else {
            return .failure(.badBody("the body is not a wish to move"))
        }
        return .success((202, settings.move(wish).json))
    }

    private func rotateMasterKey() -> APIResult {
        do {
            var writer = JSONWriter()
            let id = try settings.rotateMasterKey()
            writer.object { $0.member("id", id) }
            return .success((202, writer.bytes))
        } catch let refusal as RotationRefusal {
            return .failure(.cannotRotateYet(refusal.reason))
        } catch {
            // The log has the details.
            return .failure(.cannotRotate)
        }
    }

    func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8]) {
        APIRefusal.http(refusal).answer(service.errorPage).parts
    }
}
