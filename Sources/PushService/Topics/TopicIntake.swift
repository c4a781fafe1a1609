import Base
import Crypto
import Delivery
import HTTP
import Mailbox
import System
import Topics
import WebPush

/// Takes what is published to topics.
final class TopicIntake {
    private let service: ServiceState
    private let desk: DeliveryDesk
    private let door: TopicDoor
    private let maker: TopicMaker
    private let zones = TimeZones()

    init(_ service: ServiceState, _ desk: DeliveryDesk, _ door: TopicDoor) {
        self.service = service
        self.desk = desk
        self.door = door
        maker = TopicMaker(service, desk)
    }

    /// A request to the address of a topic.
    func publish(
        _ exchange: HTTPExchange, to topic: TopicName, sequence: String
    ) throws(NtfyRefusal) {
        var fields = Self.fields(of: exchange)
        fields.record(topic: topic, sequence: sequence)
        try publish(exchange, to: topic, fields, exchange.body)
    }

    /// A request to the root, whose body names the topic.
    func publishJSON(_ exchange: HTTPExchange) throws(NtfyRefusal) {
        var fields = Self.fields(of: exchange)
        let published = try fields.record(json: exchange.body)
        try publish(exchange, to: published.topic, fields, published.text)
    }

    static func fields(of exchange: HTTPExchange) -> NtfyFields {
        let head = exchange.head
        var fields = NtfyFields()
        head.fields.forEach { fields.record($0, $1) }
        if let query = head.query {
            fields.record(query: head.fields.bytes.span.extracting(query))
        }
        return fields
    }

    private func publish(
        _ exchange: HTTPExchange, to topic: TopicName, _ fields: NtfyFields, _ body: [UInt8]
    ) throws(NtfyRefusal) {
        let (visitor, place) = try reach(topic, for: .publish, exchange)
        let publication = try Publication(
            fields, body,
            Publication.Circumstances(now: now, mayUpload: visitor.isKnown, zone: zones.rule))
        find(topic, place, visitor) { [self] found in
            do throws(NtfyRefusal) {
                let entry = try found.get()
                let (operation, message) = try operation(publication, to: entry)
                submit(operation, to: entry) { [service] outcome in
                    guard Verdict(outcome) == .accepted else {
                        return TopicAnswer.refuse(NtfyRefusal(outcome), exchange)
                    }
                    service.metrics.noteAnswered(after: exchange.age)
                    TopicAnswer.json(NtfyJSON.message(message, topic: topic), exchange)
                }
            } catch { TopicAnswer.refuse(error, exchange) }
        }
    }

    var now: Int64 { Int64(service.now()) }

    private func reach(
        _ topic: TopicName, for use: TopicUse, _ exchange: HTTPExchange
    ) throws(NtfyRefusal) -> (TopicVisitor, TopicDoor.Place) {
        do throws(AccessRefusal) {
            let visitor = try door.visitor(
                exchange, at: .ntfy, changesByGET: exchange.head.method == .get)
            return (visitor, try door.place(of: topic, for: use, visitor))
        } catch { throw door.refusal(error, to: exchange.client) }
    }
}

/// From the name to the registration.
extension TopicIntake {
    typealias Found = Result<RegistrationCache.Entry, NtfyRefusal>

    /// Finds the topic, or makes it.
    func find(
        _ topic: TopicName, _ place: TopicDoor.Place, _ visitor: TopicVisitor,
        then: @escaping (Found) -> Void
    ) {
        switch place {
        case .topic(let device): load(device, then)
        case .new:
            maker.make(topic, for: visitor, by: door) { [self] made in
                switch made {
                case .success(let device): load(device, then)
                case .failure(let refusal): then(.failure(refusal))
                }
            }
        }
    }

    func load(_ device: UInt32, _ then: @escaping (Found) -> Void) {
        if let entry = service.index.registrations[device] { return then(.success(entry)) }
        desk.list(.registration(.ofDevice(device))) { answer in
            guard case .registration(.one(let registration, _)) = answer else {
                return then(.failure(.failed))
            }
            then(.success(RegistrationCache.Entry(registration)))
        }
    }
}

/// From the publication to the store.
extension TopicIntake {
    /// In seconds. Nothing waits for it but a screen that is not there.
    private static let ttl: UInt32 = 86_400

    private func operation(
        _ publication: Publication, to entry: RegistrationCache.Entry
    ) throws(NtfyRefusal) -> (RegistrationOperation, TopicMessage) {
        let registration = entry.registration
        let lifetime = publication.isKept ? service.historyLifetime(of: registration) : 0
        let message = publication.message(
            try messageID(), now: now, keptFor: Int64(lifetime))
        let post = TopicPost(message, keptFor: lifetime)
        let address = Address(
            subscription: registration.target.subscription, device: registration.device)
        let isShown = !publication.isUnifiedPush && message.kind == .message
        if let due = publication.due {
            let wait = UInt32(clamping: due - now)
            let scheduled = ScheduledPost(
                post, to: address, at: service.store.clock.now.adding(seconds: wait),
                isShown: isShown)
            return (.schedule(scheduled), message)
        }
        guard isShown else { return (.post(post, address), message) }
        return (try operation(showing: post, to: entry), message)
    }

    /// The message is for the screen, too.
    func operation(
        showing post: TopicPost, to entry: RegistrationCache.Entry
    ) throws(NtfyRefusal) -> RegistrationOperation {
        let address = Address(
            subscription: entry.registration.target.subscription,
            device: entry.registration.device)
        let shown = try shown(post.message.content, at: address)
        return .receive(shown, nil, entry.push.ofText, post)
    }

    func messageID() throws(NtfyRefusal) -> TopicMessageID {
        do throws(OpenSSLError) {
            return TopicMessageID(number: try desk.random.word())
        } catch { throw .failed }
    }

    /// The message that the engine of the topic gets.
    private func shown(
        _ content: TopicContent, at address: Address
    ) throws(NtfyRefusal) -> Message {
        let shown = MessageContent(
            body: content.plainPayload, urgency: .normal, ttl: Self.ttl)
        var reservation = Reservation()
        guard service.index.reserve(shown, for: address, in: &reservation) else {
            throw .tooManyRequests
        }
        do throws(PushRefusal) {
            return try desk.makeMessage(shown, .clear, to: address, reservation, isShown: true)
        } catch { throw .failed }
    }

    func submit(
        _ operation: RegistrationOperation, to entry: RegistrationCache.Entry,
        then: @escaping (StoreOutcome) -> Void
    ) {
        desk.submit(
            .registration(operation),
            .other { [service] outcome in
                if Verdict(outcome) == .accepted {
                    let device = entry.registration.device
                    service.countAccepted(device)
                    service.lastPushes.note(device, at: Int64(service.now() * 1_000))
                    if case .receive = operation { service.noteShown(entry.registration) }
                }
                then(outcome)
            })
    }
}

extension NtfyRefusal {
    /// Why something was not accepted.
    init(_ outcome: StoreOutcome) {
        switch outcome {
        case .full: self = .tooManyRequests
        default: self = .failed
        }
    }
}
