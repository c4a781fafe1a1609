package import HTTP
package import Mailbox
package import Reactor
import System

/// Serves the control socket: the owner of the service, and its users, by who they are to the
/// kernel.
package final class ControlHandler: HTTPHandler {
    private enum Route: Sendable {
        case listDevices
        case addDevice
        case removeDevice
        case listOwners
        case addOwner
        case removeOwner
    }

    private static let bodyLimit = 65_536

    private let settings: ControlSettings
    private let devices: DeviceRoutes
    private let owners: OwnerRoutes
    private let routes: HTTPRouter<Route>

    package init(on loop: EventLoop, store: any MessageStore, _ settings: ControlSettings) {
        self.settings = settings
        let dialogue = StoreDialogue(on: loop, store)
        devices = DeviceRoutes(store, dialogue, settings)
        owners = OwnerRoutes(store, dialogue)
        var routes = HTTPRouter<Route>()
        routes.add("/api/v1/devices", [(.get, .listDevices), (.post, .addDevice)])
        routes.add("/api/v1/devices/*", [(.delete, .removeDevice)])
        routes.add("/api/v1/owners", [(.get, .listOwners), (.post, .addOwner)])
        routes.add("/api/v1/owners/*", [(.delete, .removeOwner)])
        self.routes = routes
    }

    package func bodyLimit(for head: borrowing RequestHead) -> Int { Self.bodyLimit }

    package func handle(_ exchange: HTTPExchange) {
        let caller = ControlCaller(
            userID: exchange.peerCredentials?.userID, ownUserID: ProcessOwner.userID,
            allowsLocalUsers: settings.allowsLocalUsers)
        guard let caller else { return respond(to: exchange, .failure(.notAllowed)) }
        let bytes = exchange.head.bytes
        let path = bytes.span.extracting(exchange.head.path)
        switch routes.find(exchange.head.method, path) {
        case .found(let match): serve(exchange, match, caller)
        case .otherMethod: respond(to: exchange, .failure(.http(.methodNotAllowed)))
        case .unknown: respond(to: exchange, .failure(.unknown))
        }
    }

    private func serve(
        _ exchange: HTTPExchange, _ match: HTTPRouter<Route>.Match, _ caller: ControlCaller
    ) {
        let answer: DeviceRoutes.Answer = { [self] in respond(to: exchange, $0) }
        switch match.action {
        case .listDevices: devices.list(caller, answer)
        case .listOwners: owners.list(caller, answer)
        case .addDevice, .addOwner:
            guard isJSON(exchange) else {
                return answer(.failure(.badBody("the body is not application/json")))
            }
            match.action == .addDevice
                ? devices.add(exchange.body, caller, answer)
                : owners.add(exchange.body, caller, answer)
        case .removeDevice, .removeOwner:
            let path = exchange.head.text(exchange.head.path)
            let digits = Array(path.utf8)[match.first]
            guard let row = UInt32(decimalDigits: digits.span) else {
                return answer(.failure(.unknown))
            }
            match.action == .removeDevice
                ? devices.remove(row, caller, answer) : owners.remove(row, caller, answer)
        }
    }

    /// What a web page cannot send without asking.
    private func isJSON(_ exchange: HTTPExchange) -> Bool {
        guard let value = exchange.head.fields.firstValue(of: "content-type") else { return false }
        let type = exchange.head.text(value).prefix { $0 != ";" && $0 != " " }
        return type.lowercased() == "application/json"
    }

    private func respond(
        to exchange: HTTPExchange, _ result: Result<(status: Int, body: [UInt8]), ControlRefusal>
    ) {
        var (status, body): (Int, [UInt8])
        switch result {
        case .success(let answer): (status, body) = answer
        case .failure(let refusal): (status, body) = (refusal.status, refusal.json)
        }
        var head = exchange.answer(status)
        if !body.isEmpty { head.fields.append("Content-Type", "application/json") }
        head.fields.append("Cache-Control", "no-store")
        exchange.respond(head, body: body)
    }

    package func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8]) {
        let refusal = ControlRefusal.http(refusal)
        var head = ResponseHead(status: refusal.status)
        head.fields.append("Content-Type", "application/json")
        return (head, refusal.json)
    }
}
