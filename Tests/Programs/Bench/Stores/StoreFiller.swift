import Base
import Crypto
import Delivery
import Mailbox
import WebPush

/// Fills a store with user agents of one endpoint each, as many for an owner as may be, and with
/// messages that wait for them.
final class StoreFiller {
    private static let bodyLength = 1_024
    private static let lifetime: UInt32 = 86_400
    private static let userAgentsOfOwner = 500
    /// How many operations the store may not have answered yet.
    private static let outstanding = 8_192

    private let store: SQLiteStore
    private let counter = AnswerCounter()
    private var submitted = 0
    private var addresses: [Address] = []
    /// As the load program pushes to them.
    private(set) var agents: [KnownAgent] = []

    init(_ store: SQLiteStore) { self.store = store }

    func addEndpoints(_ count: Int) throws {
        var mint = try EndpointMint(key: store.endpointKey)
        var random = RandomSupply()
        var credential: UInt32 = 0
        for number in 0..<count {
            if number % Self.userAgentsOfOwner == 0 {
                credential = store.index.nextCredential()
                try submit(
                    .addCredential(
                        DeviceCredential(
                            row: credential, secret: try mint.digest(of: try mint.make()),
                            name: "device", owner: "filled\(credential)", created: 0)))
            }
            let row = store.index.nextDevice()
            let userAgent = try mint.digest(of: try mint.make())
            try submit(
                .addDevice(
                    KnownUserAgent(
                        row: row, userAgent: userAgent, credential: credential, created: 0)))
            let token = try mint.make()
            let address = Address(subscription: store.index.nextSubscription(), device: row)
            try submit(
                .register(
                    Subscription(
                        address: address, kind: .channel, channel: try ChannelID(from: &random),
                        sender: .anyone, token: token, digest: try mint.digest(of: token),
                        created: 0)))
            addresses.append(address)
            let bytes = token.bytes
            let path = "/wpush/v1/" + Base64URL.text(bytes.span)
            agents.append(KnownAgent(name: "filled\(row)", path: path))
        }
        try waitForAll()
    }

    /// They are spread over all endpoints.
    func addMessages(_ count: Int) throws {
        var random = RandomSupply()
        let body = [UInt8](repeating: 7, count: Self.bodyLength)
        for number in 0..<count {
            let address = addresses[number * addresses.count / count]
            let content = MessageContent(
                body: body, headers: PayloadHeaders(encoding: .aes128gcm), ttl: Self.lifetime)
            var reservation = Reservation()
            guard store.index.reserve(content, for: address, in: &reservation) else {
                throw MadeStore.Failed(what: "no room for a message")
            }
            try submit(
                .store(
                    Message(
                        id: try MessageID(from: &random), location: try LocationID(from: &random),
                        address: address, sequence: store.index.nextSequence(), content: content,
                        arrival: 0, expiry: store.clock.now.adding(seconds: Self.lifetime),
                        reservation: reservation)))
        }
        try waitForAll()
    }

    private func submit(_ operation: StoreOperation) throws {
        store.submit(operation, ticket: 0, to: counter)
        submitted += 1
        guard submitted % 64 == 0 else { return }
        try counter.wait { counter.answers + Self.outstanding > submitted }
    }

    private func waitForAll() throws {
        try counter.wait { counter.answers == submitted }
        guard counter.failed.load(ordering: .relaxed) == 0 else {
            throw MadeStore.Failed(what: "the store refused an operation")
        }
    }
}
