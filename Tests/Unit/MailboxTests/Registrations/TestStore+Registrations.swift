import Base
import Crypto
import Delivery
import WebPush

import enum Notifications.TrustLevel

@testable import Mailbox

extension TestStore {
    struct NoRegistration: Error {}

    static let terms = #"{"token_type":10,"app":"telegram","account":"me"}"#

    func terms(_ json: String = TestStore.terms) throws -> RegistrationTerms {
        try RegistrationTerms(try JSONDocument(Array(json.utf8)).root)
    }

    var now: StoreTime { store.clock.time(at: clocks.now) }

    /// A new endpoint with keys, for a registration of this device.
    func target(
        _ device: UInt32, kind: SubscriptionKind = .receiver
    ) throws -> (Registration.Target, Subscription) {
        let subscription = try subscription(device, kind: kind)
        let keys = try ReceiverKeys.generate()
        let target = Registration.Target(
            subscription: subscription.address.subscription, token: subscription.token,
            keys: Registration.Keys(
                publicKey: keys.privateKey.publicKey, privateKey: try keys.privateKey.bytes,
                auth: keys.auth))
        return (target, subscription)
    }

    func draft(
        _ json: String = TestStore.terms, owner: String = "admin", secret: Secret? = nil
    ) throws -> (Registration, Subscription) {
        let device = store.index.nextDevice()
        let (target, subscription) = try target(device)
        let id = RegistrationID(Bits128(high: 1, low: UInt64(device)))
        let registration = Registration(
            id: id, device: device, owner: owner, created: 4_000, terms: try terms(json),
            target: target, secret: secret, seen: now)
        return (registration, subscription)
    }

    func addRegistration(
        _ json: String = TestStore.terms, owner: String = "admin", secret: Secret? = nil
    ) throws -> (Registration, Subscription) {
        let (registration, subscription) = try draft(json, owner: owner, secret: secret)
        try expectDone(
            .registration(.create(registration, subscription, credential: nil, limit: nil, nil)))
        return (registration, subscription)
    }

    /// Nil if there is none.
    func find(_ id: RegistrationID) throws -> Registration? {
        guard case .registration(let answer) = try load(.registration(.one(id))) else {
            throw NoRegistration()
        }
        if case .one(let registration, _) = answer { return registration }
        return nil
    }

    func undecryptable(_ id: RegistrationID) throws -> [String: Int] {
        guard case .registration(.one(_, let counts)) = try load(.registration(.one(id))) else {
            throw NoRegistration()
        }
        return Dictionary(uniqueKeysWithValues: counts.map { ($0.reason, $0.count) })
    }

    /// Receives a decrypted payload for a registration.
    func receive(
        _ address: Address, _ body: String, mark: ReplayMark? = nil, ttl: UInt32 = 3_600,
        level: TrustLevel = .webpush, topic: String? = nil
    ) throws -> StoreOutcome {
        let message = try message(address, body, topic: topic, ttl: ttl, level: level)
        return try run(.registration(.receive(message, mark, try push(address.device))))
    }

    /// The target of pushes to a registration.
    func push(_ device: UInt32) throws -> EnginePush {
        let stored = try load(.registration(.ofDevice(device)))
        if case .registration(.one(let registration, _)) = stored {
            return registration.enginePush
        }
        // It has ended, and a push under way does not know yet.
        return EnginePush(engine: device, dialect: .telegram, userID: nil, isFetched: true)
    }

    func fetch(_ device: UInt32) throws -> (bodies: [String], signals: FetchSignals) {
        let outcome = try run(.registration(.fetch(device: device)))
        guard case .registration(.fetched(let waiting)) = outcome else {
            throw Unexpected(outcome: outcome)
        }
        let bodies = waiting.messages.map { String(decoding: $0.content.body, as: UTF8.self) }
        return (bodies, waiting.signals)
    }

    /// Lets time pass until the store has done what is due.
    func pass(seconds: Int64) throws {
        clocks.advance(seconds: seconds)
        // The writer may not have rested before the next operation.
        for _ in 0..<2 { _ = try run(.touchDevice(0, at: 0)) }
    }

    func answer(_ subscription: Subscription) -> StoreIndex.EndpointAnswer {
        store.index.endpoint(subscription.digest)
    }
}
