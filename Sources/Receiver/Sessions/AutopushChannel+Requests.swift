import Base
import Crypto
import Mailbox
import System
import WebPush

/// What the user agent asks for.
extension AutopushChannel {
    private var store: any MessageStore { desk.service.store }

    /// Finds the user agent, which is usable only under the credential that it was made under. An
    /// unknown one gets a new name, of which nothing is kept until it registers something.
    func identify(_ wanted: UserAgentID?) {
        stopTimer()
        if let wanted, let digest = try? Self.digest(wanted.bytes.span),
            let known = store.index.userAgent(digest), known.credential == credential
        {
            userAgent = wanted
            device = known.device
            desk.attach(self, device: known.device)
            desk.submit(.touchDevice(known.device, at: Self.wallMilliseconds), .ignored)
            isLoading = true
            return desk.load(.subscriptions(device: known.device), for: self)
        }
        // Without random numbers nothing can be named; the client comes again.
        guard let made = try? UserAgentID(from: &desk.random) else { return replaced() }
        userAgent = made
        sayHello(to: made)
    }

    func identified(with subscriptions: [Subscription]) {
        isLoading = false
        for subscription in subscriptions {
            channels.add(subscription.address.subscription, subscription.channel)
        }
        if let userAgent { sayHello(to: userAgent) }
    }

    private func sayHello(to userAgent: UserAgentID) {
        var reply: [UInt8] = []
        let action = session.identified(as: userAgent, reply: &reply)
        perform(action, reply)
        readOn()
    }

    private static var wallMilliseconds: Int64 { Int64(WallClock.now * 1_000) }

    private static func digest(_ bytes: Span<UInt8>) throws(OpenSSLError) -> Digest {
        var hash = try SHA256()
        return Digest(try hash.digest(of: bytes))
    }

    /// A channel that is known already is answered as it was; with another key it begins anew.
    func register(_ channel: ChannelID, _ key: [UInt8]?) {
        let sender: SenderRule
        do throws(OpenSSLError) {
            sender =
                try key.map { key throws(OpenSSLError) in
                    .key(KeyHash(try Self.digest(key.span)))
                } ?? .anyone
        } catch {
            return registered(channel, .failed)
        }
        guard let known = channels.subscription(of: channel) else {
            guard !channels.isFull else { return registered(channel, .failed) }
            return make(channel, sender)
        }
        channels.remove(known)
        desk.submit(
            .unregister(subscription: known),
            .other { [self] outcome in
                outcome == .unavailable ? registered(channel, .failed) : make(channel, sender)
            })
    }

    private func make(_ channel: ChannelID, _ sender: SenderRule) {
        guard let endpoint = desk.makeEndpoint() else {
            return registered(channel, .failed)
        }
        guard let device = device ?? addDevice() else { return registered(channel, .failed) }
        let row = store.index.nextSubscription()
        let subscription = Subscription(
            address: Address(subscription: row, device: device), kind: .channel, channel: channel,
            sender: sender, token: endpoint.token, digest: endpoint.digest,
            created: Self.wallMilliseconds)
        let url = desk.service.settings.endpoint(endpoint.token, isBound: sender != .anyone)
        desk.submit(
            .register(subscription),
            .other { [self] outcome in
                switch outcome {
                case .done:
                    channels.replace(row, channel)
                    registered(channel, .registered(endpoint: url))
                // The beginning of its digest was taken: with 64 bits that is once in a lifetime.
                case .conflict: make(channel, sender)
                default: registered(channel, .failed)
                }
            })
    }

    /// The first subscription makes a user agent worth keeping.
    private func addDevice() -> UInt32? {
        guard let userAgent, let digest = try? Self.digest(userAgent.bytes.span) else { return nil }
        let row = store.index.nextDevice()
        desk.submit(
            .addDevice(
                Device(
                    row: row, userAgent: digest, credential: credential,
                    created: Self.wallMilliseconds)), .ignored)
        device = row
        desk.attach(self, device: row)
        return row
    }

    private func registered(_ channel: ChannelID, _ outcome: RegistrationOutcome) {
        var reply: [UInt8] = []
        let action = session.registered(channel, outcome, reply: &reply)
        perform(action, reply)
        readOn()
    }

    func unregister(_ channel: ChannelID) {
        guard let subscription = channels.subscription(of: channel) else {
            return unregistered(channel, isDone: true)
        }
        desk.submit(
            .unregister(subscription: subscription),
            .other { [self] outcome in
                if outcome != .unavailable { end(subscription) }
                unregistered(channel, isDone: outcome != .unavailable)
            })
    }

    /// Its messages ended with it; those that are held have been delivered, so they were accepted.
    private func end(_ subscription: UInt32) {
        channels.remove(subscription)
        let ended = outstanding.filter { $0.reference.address.subscription == subscription }
        outstanding.removeAll { $0.reference.address.subscription == subscription }
        for entry in ended {
            if case .held(let slot, let reply) = entry.state {
                desk.settle(entry.message, slot, reply)
            }
        }
    }

    private func unregistered(_ channel: ChannelID, isDone: Bool) {
        var reply: [UInt8] = []
        let action = session.unregistered(channel, isDone: isDone, reply: &reply)
        perform(action, reply)
        readOn()
    }
}
