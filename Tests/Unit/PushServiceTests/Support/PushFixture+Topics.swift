import Base
import Crypto
import Delivery
import Foundation
import Testing
import Topics

@testable import Mailbox
@testable import PushService

extension PushFixture {
    /// With a listener at which programs of this machine may publish.
    static func ofThisMachine() throws -> PushFixture {
        try PushFixture { $0.listener.isForThisMachine = true }
    }

    /// A request in ntfy's language.
    func ntfy(
        _ method: String, _ target: String, _ bearer: String? = nil, _ body: String? = nil,
        _ fields: Fields = []
    ) throws -> HTTPAnswer {
        let credential = bearer.map { [("Authorization", "Bearer \($0)")] } ?? []
        return try request(method, target, credential + fields, body: body.map { Array($0.utf8) })
    }

    /// What the topic of an owner keeps, oldest first.
    func history(_ topic: String, of owner: String = "tester") throws -> [TopicMessage] {
        guard let device = try device(ofTopic: topic, of: owner) else { return [] }
        let request = TopicPageRequest(
            owner: store.index.owner(ofDevice: device), devices: [device], limit: 100)
        guard case .topic(.page(let page)) = load(.topic(.page(request))) else { return [] }
        return page.entries.map(\.message).reversed()
    }

    func device(ofTopic topic: String, of owner: String = "tester") throws -> UInt32? {
        guard case .registration(.all(let all)) = load(.registration(.all(owner: owner))) else {
            return nil
        }
        return all.first { $0.terms.account == topic }?.device
    }

    /// Makes a topic, as a subscription to it does.
    @discardableResult
    func addTopic(
        _ name: String, of owner: String = "tester", isOpen: Bool = false
    ) throws -> UInt32 {
        var terms = TopicTerms()
        terms.isOpen = isOpen
        let all = RegistrationTerms.topic(try #require(TopicName(name)), terms)
        let device = store.index.nextDevice()
        let draft = try TargetDraft(all, device: device, service, created: 1)
        var random = RandomSupply()
        let registration = Registration(
            id: try RegistrationID(from: &random), device: device, owner: owner, created: 1,
            terms: all, target: draft.target, secret: nil, seen: store.clock.now)
        let outcome = submit(
            .registration(
                .create(registration, draft.subscription, credential: nil, limit: nil, nil)))
        #expect(outcome == .done)
        return device
    }

    func submit(_ operation: StoreOperation) -> StoreOutcome? {
        let answer = StoreAnswer()
        store.submit(operation, ticket: 0, to: answer)
        return answer.outcome
    }

    func load(_ request: LoadRequest) -> LoadAnswer? {
        let answer = StoreAnswer()
        store.load(request, ticket: 0, to: answer)
        return answer.loaded
    }
}

/// What a store answers to one question.
// Unchecked: the semaphore orders all access.
private final class StoreAnswer: StoreSink, @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private var (known, found): (StoreOutcome?, LoadAnswer?)

    func completed(_ completions: [CompletedOperation]) {
        known = completions.first?.outcome
        semaphore.signal()
    }

    func loaded(_ answer: LoadAnswer, ticket: UInt64) {
        found = answer
        semaphore.signal()
    }

    var outcome: StoreOutcome? {
        semaphore.wait()
        return known
    }

    var loaded: LoadAnswer? {
        semaphore.wait()
        return found
    }
}

extension HTTPAnswer {
    /// The number of an error in ntfy's language, which has no other members than these; 0 for
    /// anything else.
    var refusal: Int {
        let members = (try? object()) ?? [:]
        guard Set(members.keys) == ["code", "http", "error"],
            members["http"] as? Int == status, self["content-type"] == "application/json",
            self["access-control-allow-origin"] == "*"
        else { return 0 }
        return members["code"] as? Int ?? 0
    }

    func text(_ name: String) -> String { (try? object())?[name] as? String ?? "" }
}
