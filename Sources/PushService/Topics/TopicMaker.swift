import Base
import Crypto
import Delivery
import Mailbox
import System
import Topics

/// Makes the topics that are asked for by name for the first time.
final class TopicMaker {
    /// So many are made for programs of this machine without a credential.
    private static let limitOfThisMachine = 100

    private let service: ServiceState
    private let desk: DeliveryDesk

    typealias Answer = (Result<UInt32, NtfyRefusal>) -> Void

    init(_ service: ServiceState, _ desk: DeliveryDesk) {
        self.service = service
        self.desk = desk
    }

    /// Gives the registration of the topic, new or made by another meanwhile.
    func make(
        _ name: TopicName, for visitor: TopicVisitor, by door: TopicDoor, then: @escaping Answer
    ) {
        guard let owner = visitor.owner else { return then(.failure(.forbidden)) }
        guard visitor.caller == .thisMachine else {
            return create(name, visitor, door, then)
        }
        desk.list(.registration(.all(owner: owner))) { [self] answer in
            guard case .registration(.all(let registrations)) = answer else {
                return then(.failure(.failed))
            }
            guard registrations.count(where: \.terms.isOnlyShown) < Self.limitOfThisMachine else {
                return then(.failure(.tooManyTopics))
            }
            create(name, visitor, door, then)
        }
    }

    private func create(
        _ name: TopicName, _ visitor: TopicVisitor, _ door: TopicDoor, _ then: @escaping Answer
    ) {
        var terms = TopicTerms()
        // Application servers have no credential; whoever has one has asked for the topic.
        terms.isOpen = name.isUnifiedPush
        create(name, terms, visitor) { created in
            switch created {
            case .success(let registration?): then(.success(registration.device))
            case .success(nil): then(Self.known(name, visitor, door))
            case .failure(let refusal): then(.failure(refusal))
            }
        }
    }

    /// Makes a topic that nobody has asked for before: nil if there is one of that name.
    func create(
        _ name: TopicName, _ terms: TopicTerms, _ visitor: TopicVisitor,
        then: @escaping (Result<Registration?, NtfyRefusal>) -> Void
    ) {
        guard let owner = visitor.owner else { return then(.failure(.forbidden)) }
        let registration: Registration
        let subscription: Subscription
        do throws(OpenSSLError) {
            (registration, subscription) = try draft(name, terms, owner)
        } catch { return then(.failure(.failed)) }
        let creation = RegistrationOperation.create(
            registration, subscription, credential: visitor.credential?.row,
            limit: OwnerLimits.registrations, nil)
        desk.submit(
            .registration(creation),
            .other { outcome in
                switch outcome {
                case .done: then(.success(registration))
                case .registration(.nameTaken): then(.success(nil))
                case .registration(.tooMany), .full: then(.failure(.tooManyTopics))
                // The credential was revoked meanwhile.
                case .notFound: then(.failure(.unauthorized))
                default: then(.failure(.failed))
                }
            })
    }

    private static func known(
        _ name: TopicName, _ visitor: TopicVisitor, _ door: TopicDoor
    ) -> Result<UInt32, NtfyRefusal> {
        // Whoever may make a topic may publish to it.
        guard case .topic(let device)? = try? door.place(of: name, for: .publish, visitor) else {
            return .failure(.failed)
        }
        return .success(device)
    }

    private func draft(
        _ name: TopicName, _ terms: TopicTerms, _ owner: String
    ) throws(OpenSSLError) -> (Registration, Subscription) {
        let created = Int64(service.now()) * 1_000
        let device = service.index.nextDevice()
        let all = RegistrationTerms.topic(name, terms)
        let draft = try TargetDraft(all, device: device, service, created: created)
        let registration = Registration(
            id: try RegistrationID(from: &desk.random), device: device, owner: owner,
            created: created, terms: all, target: draft.target, secret: nil,
            seen: service.store.clock.now)
        return (registration, draft.subscription)
    }
}
