import Base
import Delivery
import HTTP
import Mailbox
import Topics

/// Takes what is published to topics.
final class TopicIntake {
    let service: ServiceState
    let desk: DeliveryDesk
    private let door: TopicDoor
    private let maker: TopicMaker
    private let files: FileDesk
    let questions: QuestionDesk
    @exclusivity(unchecked) var drafts: QuestionDraft
    let zones = TimeZones()

    init(
        _ service: ServiceState, _ desk: DeliveryDesk, _ door: TopicDoor, _ files: FileDesk,
        _ questions: QuestionDesk
    ) {
        self.questions = questions
        drafts = QuestionDraft(service)
        self.files = files
        self.service = service
        self.desk = desk
        self.door = door
        maker = TopicMaker(service, desk)
    }

    /// A request to the address of a topic.
    func publish(
        _ exchange: HTTPExchange, to topic: TopicName, sequence: String
    ) throws(NtfyRefusal) {
        var fields = NtfyFields(of: exchange)
        fields.record(topic: topic, sequence: sequence)
        try publish(exchange, to: topic, fields, exchange.body)
    }

    /// A request to the root, whose body names the topic.
    func publishJSON(_ exchange: HTTPExchange) throws(NtfyRefusal) {
        // A wrong credential counts before whatever else is wrong.
        do throws(AccessRefusal) { _ = try door.visitor(exchange, at: .ntfy) } catch {
            throw door.refusal(error, to: exchange.client)
        }
        var fields = NtfyFields(of: exchange)
        let published = try fields.record(json: exchange.body)
        try publish(exchange, to: published.topic, fields, published.text)
    }

    private func publish(
        _ exchange: HTTPExchange, to topic: TopicName, _ fields: NtfyFields, _ body: [UInt8]
    ) throws(NtfyRefusal) {
        let (visitor, place) = try reach(topic, for: .publish, exchange)
        // What is refused makes no topic.
        let first = place == .new ? try read(fields, body, of: visitor, isRaw: false) : nil
        find(topic, place, visitor) { [self] found in
            do throws(NtfyRefusal) {
                let entry = try found.get()
                let publication: Publication
                if let first {
                    publication = first
                } else {
                    publication = try read(fields, body, of: visitor, at: entry.registration)
                }
                take(
                    publication.allowed(by: entry.registration, of: visitor),
                    ttl: UInt32(fields[.ttl]), at: entry, topic, exchange, by: visitor)
            } catch { TopicAnswer.refuse(error, exchange) }
        }
    }

    private func read(
        _ fields: NtfyFields, _ body: [UInt8], of visitor: TopicVisitor, isRaw: Bool
    ) throws(NtfyRefusal) -> Publication {
        let publication = try Publication(
            fields, body,
            Publication.Circumstances(
                now: now, mayUpload: visitor.isKnown, isRaw: isRaw, zone: zones.rule))
        guard publication.question == nil || visitor.isKnown else { throw .noAskingStrangers }
        guard publication.upload == nil || service.index.files.isOn else { throw .noAttachments }
        return publication
    }

    /// The same for a topic that is there, whose owner is told what is wrong.
    private func read(
        _ fields: NtfyFields, _ body: [UInt8], of visitor: TopicVisitor, at topic: Registration
    ) throws(NtfyRefusal) -> Publication {
        do throws(NtfyRefusal) {
            return try read(fields, body, of: visitor, isRaw: topic.terms.topic.isRaw)
        } catch {
            service.note(error, of: visitor, at: topic)
            throw error
        }
    }

    private func take(
        _ publication: Publication, ttl: UInt32?, at entry: RegistrationCache.Entry,
        _ topic: TopicName, _ exchange: HTTPExchange, by visitor: TopicVisitor
    ) {
        keepFile(of: publication, at: entry) { [self] kept in
            do throws(NtfyRefusal) {
                let file = try kept.get()
                if let wish = publication.question, let asker = visitor.credential {
                    return try ask(wish, publication, with: file, at: entry, by: asker, exchange)
                }
                submit(publication, ttl: ttl, with: file, to: entry) { [service] accepted in
                    switch accepted {
                    case .success: service.metrics.noteAnswered(after: exchange.age)
                    case .failure(let refusal):
                        service.note(refusal, of: visitor, at: entry.registration)
                    }
                    Self.answer(exchange, accepted, to: topic)
                }
            } catch { TopicAnswer.refuse(error, exchange) }
        }
    }

    typealias Accepted = Result<TopicMessage, NtfyRefusal>

    /// Takes a message that did not come in ntfy's language: finds or makes the topic, keeps the
    /// file of the message, and then the message itself.
    func accept(
        _ publication: Publication, to topic: TopicName, _ place: TopicDoor.Place,
        by visitor: TopicVisitor, then: @escaping (Accepted) -> Void
    ) {
        guard publication.upload == nil || service.index.files.isOn else {
            return then(.failure(.noAttachments))
        }
        find(topic, place, visitor) { [self] found in
            do throws(NtfyRefusal) {
                let entry = try found.get()
                let publication = publication.allowed(by: entry.registration, of: visitor)
                keepFile(of: publication, at: entry) { [self] kept in
                    do throws(NtfyRefusal) {
                        submit(publication, with: try kept.get(), to: entry, then: then)
                    } catch { then(.failure(error)) }
                }
            } catch { then(.failure(error)) }
        }
    }

    private func keepFile(
        of publication: Publication, at entry: RegistrationCache.Entry,
        then: @escaping (Result<KeptUpload?, NtfyRefusal>) -> Void
    ) {
        guard let upload = publication.upload else { return then(.success(nil)) }
        files.keep(upload, publication.content.attachment, at: entry) { then($0.map { $0 }) }
    }

    func submit(
        _ publication: Publication, ttl: UInt32? = nil, with file: KeptUpload?,
        to entry: RegistrationCache.Entry, then: @escaping (Accepted) -> Void
    ) {
        do throws(NtfyRefusal) {
            let (operation, message) = try operation(
                publication, ttl: ttl, with: file, to: entry)
            submit(operation, to: entry) { then(Self.accepted(message, $0)) }
        } catch { then(.failure(error)) }
    }

    /// Ends what the messages of a sequence said: nobody is shown it any more.
    func end(
        _ exchange: HTTPExchange, _ sequence: String, of topic: TopicName,
        _ kind: TopicMessage.Kind
    ) throws(NtfyRefusal) {
        let (visitor, place) = try reach(topic, for: .end, exchange)
        find(topic, place, visitor) { [self] found in
            do throws(NtfyRefusal) {
                let entry = try found.get()
                let lifetime = service.historyLifetime(of: entry.registration)
                let event = TopicMessage(
                    id: try messageID(), kind, sequence: sequence, time: now, keptFor: lifetime)
                let operation = RegistrationOperation.post(
                    TopicPost(event, keptFor: lifetime), Self.address(of: entry.registration))
                submit(operation, to: entry) {
                    Self.answer(exchange, Self.accepted(event, $0), to: topic)
                }
            } catch { TopicAnswer.refuse(error, exchange) }
        }
    }

    private static func accepted(_ message: TopicMessage, _ outcome: StoreOutcome) -> Accepted {
        Verdict(outcome) == .accepted ? .success(message) : .failure(NtfyRefusal(outcome))
    }

    private static func answer(
        _ exchange: HTTPExchange, _ accepted: Accepted, to topic: TopicName
    ) {
        do throws(NtfyRefusal) {
            TopicAnswer.json(NtfyJSON.message(try accepted.get(), topic: topic), exchange)
        } catch { TopicAnswer.refuse(error, exchange) }
    }

    var now: Int64 { Int64(service.now()) }

    private func reach(
        _ topic: TopicName, for use: TopicUse, _ exchange: HTTPExchange
    ) throws(NtfyRefusal) -> (TopicVisitor, TopicDoor.Place) {
        try door.judge(exchange) { () throws(AccessRefusal) in
            let visitor = try door.visitor(
                exchange, at: .ntfy, changesByGET: exchange.head.method == .get, about: topic)
            return (visitor, try door.reach(topic, for: use, visitor))
        }
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

extension NtfyFields {
    /// What the header and the query of a request say.
    init(of exchange: HTTPExchange) {
        self.init()
        let head = exchange.head
        head.fields.forEach { record($0, $1) }
        if let query = head.query { record(query: head.fields.bytes.span.extracting(query)) }
    }
}

extension Publication {
    /// Only a sender with a credential of the owner is given what the owner allowed.
    fileprivate func allowed(by topic: Registration, of visitor: TopicVisitor) -> Publication {
        var publication = self
        publication.isByOwner = visitor.isKnown(to: topic.owner, for: topic.terms.topicName)
        let hosts = topic.terms.topic.inside
        guard !hosts.isEmpty, publication.isByOwner else { return publication }
        publication.letButtonsStayInside { url in
            ClientURL(http: url).map { hosts.contains($0.host) } ?? false
        }
        return publication
    }
}
