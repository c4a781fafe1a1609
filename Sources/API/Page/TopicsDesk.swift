import Base
import Mailbox
import PushService
import StatusPage
import Topics
import WebPush

/// Puts together the topics of a visitor, with what opens them. Whatever rights a visitor has on the
/// server, only topics of the visitor's own are found.
struct TopicsDesk {
    /// How many times it looks whether a token opens a topic. With more of both, the list does not say
    /// it: how long each time takes is up to who chose the patterns.
    private static let comparisons = 20_000

    let messages: MessageRoutes
    let tokens: TokenRoutes
    let intake: OwnerIntake

    private var service: ServiceState { messages.service }
    var registrations: RegistrationRoutes { messages.registrations }

    typealias Found<Value> = (Result<Value, APIRefusal>) -> Void

    /// By what people call them.
    func list(of caller: APICaller, then: @escaping Found<[OwnTopic]>) {
        load(for: caller) { loaded in
            then(
                loaded.map { topics in
                    topics.map { $0.shown }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
                })
        }
    }

    /// One of them, by its id.
    func find(
        _ id: String, _ caller: APICaller, then: @escaping Found<(Registration, OwnTopic)>
    ) {
        load(id, for: caller) { loaded in
            switch loaded {
            case .failure(let refusal): then(.failure(refusal))
            case .success(let topics):
                guard let found = topics.first else { return then(.failure(.unknown)) }
                then(.success((found.registration, found.shown)))
            }
        }
    }

    private typealias Loaded = (registration: Registration, shown: OwnTopic)

    /// All of them, or the one with this id.
    private func load(
        _ id: String? = nil, for caller: APICaller, then: @escaping Found<[Loaded]>
    ) {
        messages.find(nil, caller) { found in
            do throws(APIRefusal) {
                let own = try found.get().read(service.index).all.filter { topic in
                    topic.terms.isOnlyShown && (id == nil || topic.id.text == id)
                }
                guard let first = own.first else { return then(.success([])) }
                let owner = service.index.owner(ofDevice: first.device)
                registrations.dialogue.load(.topic(.kept(owner: owner))) { answer in
                    guard case .topic(.kept(let kept)) = answer else {
                        return then(.failure(.unavailable))
                    }
                    loadTokens(of: own, kept, for: caller, then)
                }
            } catch { then(.failure(error)) }
        }
    }

    private func loadTokens(
        of topics: [Registration], _ kept: [UInt32: KeptMessages], for caller: APICaller,
        _ then: @escaping Found<[Loaded]>
    ) {
        let failed = { (result: APIResult) in
            if case .failure(let refusal) = result { then(.failure(refusal)) }
        }
        tokens.withTokens(of: caller, failed) { all in
            let own = all.filter { $0.owner == caller.owner }
            let isKnown = topics.count * own.count <= Self.comparisons
            then(
                .success(
                    topics.map { topic in
                        let tokens = isKnown ? own.filter { $0.opens(topic) } : nil
                        return (topic, shown(topic, kept[topic.device], tokens))
                    }))
        }
    }

    private func shown(
        _ topic: Registration, _ kept: KeptMessages?, _ tokens: [DeviceCredential]?
    ) -> OwnTopic {
        var shown = OwnTopic()
        (shown.id, shown.name) = (topic.id.text, topic.terms.account)
        shown.details = registrations.report.topic(of: topic, after: nil) ?? TopicDetails()
        shown.service = topic.terms.dialect.isOfService ? topic.terms.dialect.word : nil
        shown.isUnheard = service.index.engines.isUnheard(topic)
        (shown.messages, shown.bytes) = (kept?.count ?? 0, kept?.bytes ?? 0)
        let times = [kept?.newest, service.lastPushes[topic.device].map { $0 / 1_000 }]
        shown.last = times.compactMap(\.self).max().map { Int($0) }
        shown.refusal = service.refusedSenders[topic.device]
        shown.tokens = tokens?.compactMap { ListedToken($0, service.presence, for: topic.owner) }
        return shown
    }
}

extension DeviceCredential {
    /// Whether it is a token that opens the topic, which is of the same owner.
    fileprivate func opens(_ topic: Registration) -> Bool {
        guard let grant = token, let name = topic.terms.topicName else { return false }
        return grant.terms.pattern.matches(name) && (grant.device ?? topic.device) == topic.device
    }
}
