import Base
import Crypto
import Delivery
import HTTP
import Mailbox
import System
import Topics

/// Answers Gotify's clients and senders on one loop. A topic is an application to them, whose id is
/// the number of the registration, and a token is a client.
final class GotifyDesk {
    let service: ServiceState
    let desk: DeliveryDesk
    let door: TopicDoor
    let intake: TopicIntake
    let maker: TopicMaker
    private let streams: StreamIntake

    init(
        _ service: ServiceState, _ desk: DeliveryDesk, _ door: TopicDoor, _ intake: TopicIntake,
        _ streams: StreamIntake
    ) {
        self.service = service
        self.desk = desk
        self.door = door
        self.intake = intake
        self.streams = streams
        maker = TopicMaker(service, desk)
    }

    /// For callers with a credential: JSON may escape each byte of a text. Nil if the usual limit is
    /// enough.
    static func bodyLimit(of route: GotifyRoute) -> Int? {
        switch route.action {
        case .publish: 8 * GotifyPublication.longestText
        case .setPicture: TopicPicture.longest + 64 << 10
        default: nil
        }
    }

    func serve(_ route: GotifyRoute, _ exchange: HTTPExchange) throws(GotifyRefusal) {
        exchange.label = "gotify"
        guard try !serveEverybody(route, exchange) else { return }
        guard service.store.isCurrent else { throw .unavailable }
        let request = GotifyRequest(
            exchange: exchange, id: route.id, visitor: try visitor(route, exchange))
        switch route.action {
        case .publish: try publish(request)
        case .listMessages: try listMessages(request)
        case .listMessagesOfApplication: try listMessages(request, of: route.id)
        case .deleteMessages: deleteMessages(request)
        case .deleteMessagesOfApplication: deleteMessages(request, of: route.id)
        case .deleteMessage: deleteMessage(request)
        case .listApplications: listApplications(request)
        case .makeApplication: try makeApplication(request)
        case .changeApplication: try changeApplication(request)
        case .deleteApplication: deleteApplication(request)
        case .setPicture: try setPicture(request)
        case .removePicture: removePicture(request)
        case .listClients: listClients(request)
        case .makeClient: try makeClient(request)
        case .changeClient: try changeClient(request)
        case .deleteClient: deleteClient(request)
        case .user: showUser(request)
        case .stream: streams.openGotify(exchange, for: request.visitor)
        case .manageUsers: throw .notHere
        default: throw .unknownPath
        }
    }

    /// False for what needs a credential.
    private func serveEverybody(
        _ route: GotifyRoute, _ exchange: HTTPExchange
    ) throws(GotifyRefusal) -> Bool {
        let version = service.settings.version
        switch route.action {
        case .preflight: TopicAnswer.preflight(exchange)
        case .version: TopicAnswer.json(GotifyServer.Version(version).json, exchange)
        case .info: TopicAnswer.json(GotifyServer.Info(version).json, exchange)
        case .health:
            let isUsable = service.store.isUsable
            let health = GotifyServer.Health(version, isUsable: isUsable)
            TopicAnswer.json(health.json, exchange, isUsable ? 200 : 503)
        case .usualPicture: Self.show(Self.usualPicture, as: ".png", exchange)
        case .picture: try showPicture(named: route.name, exchange)
        default: return false
        }
        return true
    }

    private func visitor(
        _ route: GotifyRoute, _ exchange: HTTPExchange
    ) throws(GotifyRefusal) -> TopicVisitor {
        do throws(AccessRefusal) {
            let visitor = try door.visitor(exchange, at: .gotify)
            try route.admit(visitor.caller)
            if let credential = visitor.credential { service.presence.asked(credential.row) }
            return visitor
        } catch {
            let refusal = door.refusal(error, to: exchange.client)
            throw refusal == .tooManyRequests ? GotifyRefusal(ntfy: refusal) : GotifyRefusal(error)
        }
    }
}

/// A request of somebody who may do such a thing.
struct GotifyRequest {
    let exchange: HTTPExchange
    /// Of the path.
    let id: Int64
    let visitor: TopicVisitor

    var contentType: [UInt8] { exchange.head.fields.joinedValue(of: "content-type") ?? [] }

    func fields() throws(GotifyRefusal) -> GotifyFields {
        try GotifyFields(type: contentType.span, exchange.body, query: query.span)
    }

    var query: [UInt8] {
        let head = exchange.head
        return head.query.map { head.fields.bytes.span.extracting($0).array(0..<$0.count) } ?? []
    }

    func answer(_ json: [UInt8]) { TopicAnswer.json(json, exchange) }
    func answerDone() { TopicAnswer.empty(exchange) }
    func refuse(_ refusal: GotifyRefusal) { TopicAnswer.refuse(refusal, exchange) }

    /// Calls `body` with what the store has said, and answers if that fails.
    func use<Found>(
        _ found: Result<Found, GotifyRefusal>, _ body: (Found) throws(GotifyRefusal) -> Void
    ) {
        do throws(GotifyRefusal) { try body(try found.get()) } catch { refuse(error) }
    }
}

/// The topics that a visitor of Gotify's paths sees.
struct GotifyTopics {
    /// The number of their owner.
    let owner: UInt32
    let registrations: [UInt32: Registration]

    /// That of an application, or all of them.
    func devices(of application: Int64?) throws(GotifyRefusal) -> [UInt32] {
        guard let application else { return Array(registrations.keys) }
        return [try registration(application).device]
    }

    /// The topic of an application.
    func registration(_ id: Int64) throws(GotifyRefusal) -> Registration {
        guard let device = UInt32(exactly: id), let found = registrations[device] else {
            throw .unknownApplication
        }
        return found
    }

    func message(_ entry: TopicEntry) -> GotifyMessage? {
        GotifyMessage(
            entry.message, id: entry.position, application: Int64(entry.device),
            named: registrations[entry.device]?.title ?? "")
    }
}

extension TopicVisitor {
    /// What comes to topics of UnifiedPush is for an application alone.
    fileprivate func sees(_ registration: Registration) -> Bool {
        guard let name = registration.terms.topicName, !name.isUnifiedPush,
            registration.owner == owner
        else { return false }
        guard let grant = credential?.token else { return true }
        return grant.terms.pattern.matches(name)
            && (grant.device ?? registration.device) == registration.device
    }
}

extension GotifyDesk {
    /// Calls `then` once the store has done it, and refuses the request if it has not. A conflict is
    /// mostly one that the next attempt does not meet.
    func submit(
        _ operation: StoreOperation, for request: GotifyRequest, unknown: GotifyRefusal,
        conflict: GotifyRefusal = .unavailable, then: @escaping () -> Void
    ) {
        desk.submit(
            operation,
            .other { outcome in
                switch outcome {
                case .done: then()
                case .conflict: request.refuse(conflict)
                default: request.refuse(GotifyRefusal(outcome, unknown: unknown))
                }
            })
    }

    /// The topics that the visitor sees.
    func topics(
        of visitor: TopicVisitor, then: @escaping (Result<GotifyTopics, GotifyRefusal>) -> Void
    ) {
        desk.list(.registration(.all(owner: visitor.owner))) { [service] answer in
            guard case .registration(.all(let all)) = answer else {
                return then(.failure(.unavailable))
            }
            var seen: [UInt32: Registration] = [:]
            for registration in all where visitor.sees(registration) {
                seen[registration.device] = registration
            }
            let owner = seen.keys.first.map { service.index.owner(ofDevice: $0) } ?? 0
            then(.success(GotifyTopics(owner: owner, registrations: seen)))
        }
    }

    /// One topic that the visitor sees.
    func topic(
        _ id: Int64, of visitor: TopicVisitor,
        then: @escaping (Result<RegistrationCache.Entry, GotifyRefusal>) -> Void
    ) {
        guard let device = UInt32(exactly: id) else { return then(.failure(.unknownApplication)) }
        let load = service.index.registrations[device]
        if let load, visitor.sees(load.registration) { return then(.success(load)) }
        desk.list(.registration(.ofDevice(device))) { answer in
            switch answer {
            case .registration(.one(let registration, _)) where visitor.sees(registration):
                then(.success(RegistrationCache.Entry(registration)))
            case .registration: then(.failure(.unknownApplication))
            default: then(.failure(.unavailable))
            }
        }
    }

    private func showUser(_ request: GotifyRequest) {
        desk.list(.owners) { answer in
            guard case .owners(let owners) = answer,
                let owner = owners.first(where: { $0.name == request.visitor.owner })
            else { return request.refuse(.unavailable) }
            request.answer(GotifyUser(id: Int64(owner.row), name: owner.name).json)
        }
    }
}

extension GotifyRefusal {
    /// Why a change did not happen.
    init(_ outcome: StoreOutcome, unknown: GotifyRefusal) {
        switch outcome {
        case .notFound: self = unknown
        case .full, .registration(.tooMany): self = .tooMany
        default: self = .unavailable
        }
    }

    static let tooMany = GotifyRefusal(ntfy: .tooManyTopics)
}
