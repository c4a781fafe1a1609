import Base
import Crypto
import Delivery
import Mailbox
import System
import WebPush

/// Requests of the user agent.
extension UserAgentConnection {
    private var index: StoreIndex { desk.service.index }

    /// Finds the user agent, which must have the credential that it was made under. An unknown one
    /// gets a new id, and is not stored until it registers a channel.
    func identify(_ wanted: UserAgentID?) {
        stopTimer()
        if let wanted, let digest = try? Self.digest(wanted.bytes.span),
            let known = index.userAgent(digest), known.credential == credential
        {
            userAgent = wanted
            delivery.pointee.device = known.device
            return desk.attach(self, device: known.device)
        }
        if let wanted, let digest = try? Self.digest(wanted.bytes.span),
            index.userAgent(digest) == nil, index.mayBeElsewhere(digest)
        {
            return replaced()
        }
        renew()
    }

    /// The store works in order: once it has recorded this, it also has what earlier connections of
    /// the device left to it, so nothing is sent out of order.
    func attached() {
        guard let device else { return }
        let time = Self.wallMilliseconds
        desk.submit(
            .touchDevice(device, at: time),
            .other { [self] outcome in
                seen = outcome == .unavailable ? nil : time
                outcome == .conflict && hasToMove(device)
                    ? retire(device) : findSubscriptions(of: device)
            })
    }

    /// The former address still leads here, so there is time to deliver what waits.
    private func hasToMove(_ device: UInt32) -> Bool {
        session.pointee.learnsAddressesByIdentity && index.usage(ofDevice: device).messages == 0
    }

    private func retire(_ device: UInt32) {
        desk.detach(self, device: device)
        delivery.pointee.device = nil
        desk.submit(
            .retireDevice(device),
            // If a message came meanwhile, the client gets it when it connects again.
            .other { [self] in $0 == .done ? renew() : replaced() })
    }

    /// Gives the client a new id. It then registers its channels again, if it has any.
    private func renew() {
        // Without random numbers no id can be made; the client connects again later.
        guard let made = try? UserAgentID(from: &desk.random) else { return replaced() }
        userAgent = made
        sayHello(to: made)
    }

    private func findSubscriptions(of device: UInt32) {
        desk.list(.subscriptions(device: device)) { [self] answer in
            guard case .subscriptions(let subscriptions) = answer else { return replaced() }
            for subscription in subscriptions {
                delivery.pointee.endpoints.add(
                    subscription.address.subscription, subscription.channel)
            }
            if let userAgent { sayHello(to: userAgent) }
        }
    }

    private func sayHello(to userAgent: UserAgentID) {
        var reply: [UInt8] = []
        let action = session.pointee.identified(as: userAgent, reply: &reply)
        perform(action, reply)
        readOn()
    }

    private static var wallMilliseconds: Int64 { Int64(WallClock.now * 1_000) }

    private static func digest(_ bytes: Span<UInt8>) throws(OpenSSLError) -> Digest {
        var hash = try SHA256()
        return Digest(try hash.digest(of: bytes))
    }

    func begin(_ request: Request) {
        requests.append(request)
        if requests.count == 1 { run(request) }
    }

    private func run(_ request: Request) {
        switch request {
        // The client is gone and would never learn its endpoint.
        case .register where !session.pointee.isOpen: finish()
        case .register(let channel, let key): register(channel, key)
        case .unregister(let channel): unregister(channel)
        }
    }

    private func finish() {
        requests.removeFirst()
        if let next = requests.first { run(next) } else { readOn() }
    }

    private func register(_ channel: ChannelID, _ key: [UInt8]?) {
        let sender: SenderRule
        do throws(OpenSSLError) {
            sender =
                try key.map { key throws(OpenSSLError) in
                    .key(KeyHash(try Self.digest(key.span)))
                } ?? .anyone
        } catch {
            return registered(channel, .failed)
        }
        if let known = delivery.pointee.endpoints.subscription(of: channel) {
            registerAgain(channel, sender, known)
        } else if delivery.pointee.endpoints.isFull {
            registered(channel, .failed)
        } else if let device {
            make(channel, sender, device)
        } else {
            addDevice { [self] device in make(channel, sender, device) }
        }
    }

    /// Answers a known channel with its endpoint, or replaces that if the key is another one.
    private func registerAgain(_ channel: ChannelID, _ sender: SenderRule, _ known: UInt32) {
        guard let device else { return registered(channel, .failed) }
        desk.list(.subscriptions(device: device)) { [self] answer in
            guard case .subscriptions(let subscriptions) = answer else {
                return registered(channel, .failed)
            }
            let former = subscriptions.first { $0.address.subscription == known }
            if let former, former.sender == sender {
                return registered(channel, .registered(endpoint: url(of: former)))
            }
            desk.submit(
                .unregister(subscription: known),
                .other { [self] outcome in
                    guard outcome != .unavailable else { return registered(channel, .failed) }
                    desk.update(self) { $0.ended(known, &$1) }
                    make(channel, sender, device)
                })
        }
    }

    private func make(_ channel: ChannelID, _ sender: SenderRule, _ device: UInt32) {
        guard let endpoint = desk.makeEndpoint() else { return registered(channel, .failed) }
        let row = index.nextSubscription()
        let subscription = Subscription(
            address: Address(subscription: row, device: device), kind: .channel, channel: channel,
            sender: sender, token: endpoint.token, digest: endpoint.digest,
            created: Self.wallMilliseconds)
        desk.submit(
            .register(subscription, seen: seen),
            .other { [self] outcome in
                switch outcome {
                case .done:
                    delivery.pointee.endpoints.add(row, channel)
                    registered(channel, .registered(endpoint: url(of: subscription)))
                // Another endpoint has the same first 64 bits in its digest, which is very rare.
                case .conflict: make(channel, sender, device)
                default: registered(channel, .failed)
                }
            })
    }

    private func url(of subscription: Subscription) -> [UInt8] {
        desk.service.settings.endpoint(
            subscription.token, isBound: subscription.sender != .anyone)
    }

    /// A user agent is stored with its first subscription.
    private func addDevice(_ body: @escaping (UInt32) -> Void) {
        guard let userAgent, let digest = try? Self.digest(userAgent.bytes.span),
            let stranger = try? desk.service.strangerNumber(place?.network)
        else { return refuseRegistration() }
        let row = index.nextDevice()
        let added = KnownUserAgent(
            row: row, userAgent: digest, credential: credential, stranger: stranger,
            created: Self.wallMilliseconds)
        desk.submit(
            .addDevice(added),
            .other { [self] outcome in
                guard session.pointee.isOpen, outcome == .done else { return refuseRegistration() }
                delivery.pointee.device = row
                seen = added.created
                desk.claim(self, device: row)
                body(row)
            })
    }

    private func refuseRegistration() {
        guard case .register(let channel, _)? = requests.first else { return }
        registered(channel, .failed)
    }

    private func registered(_ channel: ChannelID, _ outcome: RegistrationOutcome) {
        var reply: [UInt8] = []
        let action = session.pointee.registered(channel, outcome, reply: &reply)
        perform(action, reply)
        finish()
    }

    private func unregister(_ channel: ChannelID) {
        guard let subscription = delivery.pointee.endpoints.subscription(of: channel) else {
            return unregistered(channel, isDone: true)
        }
        desk.submit(
            .unregister(subscription: subscription),
            .other { [self] outcome in
                if outcome != .unavailable { desk.update(self) { $0.ended(subscription, &$1) } }
                unregistered(channel, isDone: outcome != .unavailable)
            })
    }

    private func unregistered(_ channel: ChannelID, isDone: Bool) {
        var reply: [UInt8] = []
        let action = session.pointee.unregistered(channel, isDone: isDone, reply: &reply)
        perform(action, reply)
        finish()
    }
}

/// Messages of a client that cannot be handled yet, in order and up to a limit.
struct Inbox {
    private var texts: [[UInt8]] = []
    private var first = 0
    private var bytes = 0

    private static let countLimit = 4_096
    private static let byteLimit = 256 * 1024

    var isEmpty: Bool { first == texts.count }

    /// Returns false, and keeps nothing, if there is no room.
    mutating func put(_ text: Span<UInt8>) -> Bool {
        guard texts.count < Self.countLimit, bytes + text.count <= Self.byteLimit else {
            return false
        }
        texts.append(text.array(text.indices))
        bytes += text.count
        return true
    }

    mutating func removeFirst() -> [UInt8]? {
        guard first < texts.count else { return nil }
        let text = texts[first]
        first += 1
        if isEmpty { self = Inbox() }
        return text
    }
}
