package import WebPush

/// Messages from the receiver.
extension Link {
    /// What arrived for applications.
    package enum Arrival: Sendable {
        case message(ReceivedNotification)
        case withdrawn(ChannelID, version: String)
    }

    /// Handles one text message.
    package mutating func received(
        _ text: Span<UInt8>, at now: Duration, chance: Double
    ) -> Arrival? {
        let message: ServiceMessage
        do throws(ServiceMessage.Unreadable) {
            message = try ServiceMessage(text)
        } catch {
            giveUp(at: now, chance)
            return nil
        }
        pingDeadline = nil
        switch (phase, message) {
        case (.greeting, .hello(let userAgent, let extensions)):
            greeted(as: userAgent, extensions, at: now)
        case (.open, .registered(let channel, let status, let endpoint)):
            registered(channel, status: status, endpoint, at: now)
        case (.open, .unregistered(let channel, let status)):
            unregistered(channel, status: status, at: now)
        case (.open, .notification(let notification)): return .message(notification)
        case (.open, .withdrawn(let channel, let version)):
            return .withdrawn(channel, version: version)
        default: break
        }
        return nil
    }

    private mutating func greeted(
        as name: String, _ extensions: AutopushExtensions, at now: Duration
    ) {
        phase = .open(since: now)
        isKnown = true
        act(.greeted(isSame: name == userAgent))
        self.extensions = extensions
        if name != userAgent {
            // The receiver does not know us, perhaps because it lost its store.
            for channel in channels.keys { channels[channel]?.isRegistered = false }
            for channel in ended { act(.forget(channel)) }
            ended = []
            unsent = []
            userAgent = name
            isRemembered = false
        } else if isOurs {
            // A Bellwire receiver answers with the existing endpoint; others would make a new one.
            for channel in channels.keys { channels[channel]?.isRegistered = false }
        }
        if leastUrgency > .veryLow { sendUrgency() }
        for (channel, version, isDelivered) in unsent {
            acknowledge(channel, version: version, isDelivered: isDelivered)
        }
        unsent = []
        remember()
        requestMissing()
        ask(at: now)
        rest()
    }

    private mutating func registered(
        _ channel: ChannelID, status: Int, _ endpoint: String?, at now: Duration
    ) {
        underWay.removeAll { $0 == .register(channel) }
        defer {
            remember()
            ask(at: now)
            rest()
        }
        guard let former = channels[channel] else { return }
        guard status < 500 else {
            retryAt = retryAt ?? now + Self.retryInterval
            return
        }
        guard let endpoint, Self.isEndpoint(endpoint) else {
            channels[channel] = nil
            return act(.refuse(channel, .internal))
        }
        channels[channel]?.isRegistered = true
        channels[channel]?.endpoint = endpoint
        if channels.values.allSatisfy({ $0.endpoint != nil }) { hurriedUntil = nil }
        if endpoint != former.endpoint { act(.endpoint(channel, endpoint)) }
    }

    private mutating func unregistered(_ channel: ChannelID, status: Int, at now: Duration) {
        underWay.removeAll { $0 == .unregister(channel) }
        if status < 500 {
            if ended.remove(channel) != nil { act(.forget(channel)) }
        } else {
            retryAt = retryAt ?? now + Self.retryInterval
        }
        ask(at: now)
        rest()
    }

    /// Channels without an endpoint are asked for at each start.
    mutating func remember() {
        guard !isRemembered, let userAgent,
            channels.values.allSatisfy({ $0.isRegistered || $0.endpoint == nil })
        else { return }
        isRemembered = true
        act(.remember(userAgent: userAgent))
    }

    /// An endpoint must not be empty, nor longer than the UnifiedPush specification allows.
    private static func isEndpoint(_ text: String) -> Bool {
        text.utf8.count <= 1_000 && (text.hasPrefix("https://") || text.hasPrefix("http://"))
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
