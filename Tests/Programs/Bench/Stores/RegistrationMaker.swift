import Base
import Crypto
import Delivery
import Mailbox
import WebPush

/// Fills a new store with registrations as the API makes them, each of an account of its own and
/// all bound to the same signer.
final class RegistrationMaker {
    private static let outstanding = 4_096
    /// As many accounts of one owner fit into what the store keeps for it.
    private static let share = 5_000

    private let store: SQLiteStore
    private let counter = AnswerCounter()
    private let sender: SenderRule
    private var mint: EndpointMint
    private var random = RandomSupply()
    private(set) var targets: RegisteredTargets

    init(_ store: SQLiteStore) throws {
        let privateKey = try PrivateKey.generate()
        var hash = try SHA256()
        let digest = try privateKey.publicKey.withSpan { point in try hash.digest(of: point) }
        let mint = try EndpointMint(key: store.endpointKey)
        self.store = store
        self.mint = mint
        sender = .key(KeyHash(Digest(digest)))
        targets = RegisteredTargets(
            signingKey: try privateKey.bytes,
            bearer: try Random.secret(count: DeviceCredential.secretLength))
        let access = try targets.bearer.withSpan { bearer in
            DeviceCredential(
                row: store.index.nextCredential(), secret: Digest(try hash.digest(of: bearer)),
                name: "clients", owner: Self.owner(0), created: 0)
        }
        store.submit(.addCredential(access), ticket: 0, to: counter)
        try counter.wait { counter.answers == 1 }
    }

    func make(_ count: Int) throws {
        for number in 0..<count {
            store.submit(try operation(number), ticket: 0, to: counter)
            try counter.wait { counter.answers + Self.outstanding > number }
        }
        try counter.wait { counter.answers == count + 1 }
        guard counter.failed.load(ordering: .relaxed) == 0 else {
            throw MadeStore.Failed(what: "the store refused registrations")
        }
    }

    private static func owner(_ number: Int) -> String { "owner\(number / share)" }

    private func terms(_ number: Int) throws -> RegistrationTerms {
        let account = RegisteredTargets.account(ofRegistration: number)
        let text = #"{"token_type":10,"app":"telegram","account":"\#(account)","vapid":true}"#
        return try RegistrationTerms(try JSONDocument(Array(text.utf8)).root)
    }

    private func operation(_ number: Int) throws -> StoreOperation {
        let device = store.index.nextDevice()
        let row = store.index.nextSubscription()
        let token = try mint.make()
        let keys = try ReceiverKeys.generate()
        let publicKey = keys.privateKey.publicKey
        let target = Registration.Target(
            subscription: row, token: token,
            keys: Registration.Keys(
                publicKey: publicKey, privateKey: try keys.privateKey.bytes, auth: keys.auth))
        let subscription = Subscription(
            address: Address(subscription: row, device: device), kind: .receiver,
            channel: ChannelID(high: 0, low: 0), sender: sender, token: token,
            digest: try mint.digest(of: token), created: 0)
        let registration = Registration(
            id: try RegistrationID(from: &random), device: device, owner: Self.owner(number),
            created: 0, terms: try terms(number), target: target, secret: nil, seen: store.clock.now
        )
        let bytes = token.bytes
        targets.targets.append(
            RegisteredTargets.Target(
                path: "/wpush/v2/" + Base64URL.text(bytes.span), publicKey: publicKey,
                auth: keys.auth))
        return .registration(
            .create(registration, subscription, credential: nil, limit: nil, nil))
    }
}
