import Base
import Crypto
import Delivery
import System
import Topics
import WebPush

@testable import Mailbox

/// A topic of a store, for tests.
struct TestTopic {
    let registration: Registration
    let address: Address

    var device: UInt32 { address.device }
}

extension TestStore {
    @discardableResult
    func addTopic(
        _ name: String = "builds", owner: String = "admin", _ settings: String = "{}"
    ) throws -> TestTopic {
        let (registration, subscription) = try addRegistration(
            topicTerms(name, settings), owner: owner)
        return TestTopic(registration: registration, address: subscription.address)
    }

    func topicTerms(_ name: String, _ settings: String = "{}") -> String {
        """
        {"token_type":10,"app":"script","account":"\(name)","dialect":"plain","clear":true,
        "trust_clear":true,"topic":\(settings)}
        """
    }

    /// The registration of the topic with this name, as requests find it.
    func device(_ naming: TopicNaming) throws -> UInt32? {
        var namer = try TopicNamer(key: store.endpointKey)
        return store.index.topics.device(named: try namer.digest(of: naming))
    }

    /// Pushes a text to a topic: also to its engine, unless it is only for readers.
    @discardableResult
    func post(
        _ text: String, to topic: TestTopic, _ kind: TopicMessage.Kind = .message,
        id number: UInt64? = nil, sequence: String? = nil, time: Int64 = 100,
        lifetime: UInt32 = 3_600, isShown: Bool = false
    ) throws -> TopicMessage {
        let message = try message(
            text, kind, id: number, sequence: sequence, time: time, lifetime: lifetime)
        let post = TopicPost(message, keptFor: lifetime)
        if isShown {
            let shown = try self.message(topic.address, text, level: .clear)
            let push = try push(topic.device)
            guard case .stored = try run(.registration(.receive(shown, nil, push, post))) else {
                throw NoRegistration()
            }
        } else {
            guard case .stored = try run(.registration(.post(post, topic.address))) else {
                throw NoRegistration()
            }
        }
        return message
    }

    func message(
        _ text: String, _ kind: TopicMessage.Kind = .message, id number: UInt64? = nil,
        sequence: String? = nil, time: Int64, lifetime: UInt32 = 86_400
    ) throws -> TopicMessage {
        var random = RandomSupply()
        var content = TopicContent()
        content.text = text
        return TopicMessage(
            id: TopicMessageID(number: try number ?? random.word()), kind, sequence: sequence,
            time: time, expires: time + Int64(lifetime), content)
    }

    /// Newest first.
    func page(
        _ topics: [TestTopic], before position: Int64? = nil, limit: Int = 100,
        since: Int64? = nil, kind: TopicMessage.Kind? = nil
    ) throws -> TopicPage {
        let owner = store.index.owner(ofDevice: topics[0].device)
        let request = TopicPageRequest(
            owner: owner, devices: topics.map(\.device), before: position, limit: limit,
            since: since, kind: kind)
        guard case .topic(.page(let page)) = try load(.topic(.page(request))) else {
            throw NoRegistration()
        }
        return page
    }

    /// The next page of a stream.
    func read(_ request: StreamPageRequest, _ topics: TestTopic...) throws -> StreamPage {
        let owner = store.index.owner(ofDevice: topics[0].device)
        let names = try topics.map { topic in
            guard let name = topic.registration.terms.topicName else { throw NoRegistration() }
            return (topic.device, name)
        }
        let subscription = TopicSubscription(
            owner: owner, topics: Dictionary(uniqueKeysWithValues: names))
        guard case .topic(.stream(let page)) = try load(.topic(.stream(request, subscription)))
        else { throw NoRegistration() }
        return page
    }

    /// What a replay has, oldest first.
    func texts(_ topics: TestTopic..., since: StreamSince = .everything) throws -> [String] {
        guard topics.count == 1 else {
            return try read(.replay(since), topics[0], topics[1]).messages.map(\.text)
        }
        return try read(.replay(since), topics[0]).messages.map(\.text)
    }

    /// A token for all topics of an owner.
    func token(
        _ name: String, _ rights: TopicRights = .usual, owner: String = "admin",
        parent: UInt32? = nil, topic device: UInt32? = nil, end: Int64? = nil
    ) throws -> DeviceCredential {
        guard let pattern = TopicPattern("*") else { throw NoRegistration() }
        return DeviceCredential(
            row: store.index.nextCredential(), secret: try digest(), name: name, owner: owner,
            created: 1,
            token: TokenGrant(
                TokenTerms(.access, pattern, rights, end: end), parent: parent, device: device))
    }
}

/// Keeps what a reader's loop hears.
final class TopicListener: StoreListener {
    private let news = Lock<[TopicNews]>([])

    var heard: [TopicNews] { news.withLock { $0 } }
    func receive(_ news: [TopicNews]) { self.news.withLock { $0 += news } }
    func storeReturned() {}
}

extension PlacedMessage {
    var text: String { message.content.text }
}
