import Base
package import WebPush

/// Requests of the distributor to the receiver.
extension Link {
    /// `known`: the endpoint that the application has; only a different one is reported.
    package mutating func register(
        _ channel: ChannelID, key: ApplicationKey?, known: String?, at now: Duration
    ) {
        if let present = channels[channel], present.key == key, present.isRegistered {
            if let endpoint = present.endpoint, endpoint != known {
                act(.endpoint(channel, endpoint))
            }
            return
        }
        // The receiver's hello tells whether it still has the channel.
        channels[channel] = Channel(
            key: key, endpoint: known,
            isRegistered: known != nil && userAgent != nil && isRemembered)
        ended.remove(channel)
        if known == nil { hurry(at: now) }
        // Who registers wants a connection, also after the receiver asked for none.
        if phase == .resting, known == nil { return connect() }
        guard isOpen else { return start() }
        enqueue(.register(channel))
        ask(at: now)
    }

    private mutating func hurry(at now: Duration) {
        hurriedUntil = now + Self.hurry
        guard case .waiting(let end) = phase, !isHeldOff else { return }
        phase = .waiting(until: min(end, now + Self.hurriedWait))
    }

    package mutating func unregister(_ channel: ChannelID, at now: Duration) {
        guard let former = channels.removeValue(forKey: channel) else { return }
        unsent.removeAll { $0.channel == channel }
        remember()
        let request = Request.register(channel)
        let isUnknownThere = !former.isRegistered && !underWay.contains(request)
        guard userAgent != nil, !isUnknownThere || former.endpoint != nil else {
            requests.removeAll { $0 == request }
            act(.forget(channel))
            return rest()
        }
        ended.insert(channel)
        guard isOpen else { return start() }
        enqueue(.unregister(channel))
        ask(at: now)
    }

    /// The message is finished, `isDelivered` or not; the receiver need not send it again.
    package mutating func acknowledge(
        _ channel: ChannelID, version: String, isDelivered: Bool
    ) {
        guard isOpen else { return unsent.append((channel, version, isDelivered)) }
        var text: [UInt8] = []
        ClientRequest.appendAcknowledgement(
            channel, version: version, isDelivered: isDelivered, to: &text)
        act(.send(text))
    }

    /// Less urgent messages stay at the receiver.
    package mutating func setLeastUrgency(_ least: Urgency) {
        guard least != leastUrgency else { return }
        leastUrgency = least
        if isOpen { sendUrgency() }
    }

    mutating func sendUrgency() {
        // Other receivers close the connection when they get an unknown message.
        guard extensions.contains(.urgency) else { return }
        var text: [UInt8] = []
        ClientRequest.appendUrgency(leastUrgency, to: &text)
        act(.send(text))
    }

    mutating func requestMissing() {
        for (channel, content) in channels where !content.isRegistered {
            enqueue(.register(channel))
        }
        for channel in ended { enqueue(.unregister(channel)) }
    }

    private mutating func enqueue(_ request: Request) {
        guard !requests.contains(request), !underWay.contains(request) else { return }
        requests.append(request)
    }

    /// Sends as many requests as may be unanswered at once.
    mutating func ask(at now: Duration) {
        while underWay.count < Self.requestLimit, !requests.isEmpty {
            let request = requests.removeFirst()
            var text: [UInt8] = []
            switch request {
            case .register(let channel):
                guard let content = channels[channel] else { continue }
                ClientRequest.appendRegister(channel, key: content.key?.text, to: &text)
            case .unregister(let channel):
                ClientRequest.appendUnregister(channel, to: &text)
            }
            underWay.append(request)
            act(.send(text))
        }
        requestDeadline = underWay.isEmpty ? nil : now + Self.answerPatience
    }

    /// Without channels no connection is needed.
    mutating func rest() {
        guard !isWanted, underWay.isEmpty, phase != .idle else { return }
        // The next registration must not end the pause that the receiver asked for.
        if isHeldOff, case .waiting = phase { return }
        if phase != .resting { act(.disconnect) }
        phase = .idle
    }
}

/// Messages from the receiver.
extension Link {
    /// Handles one text message. Returns what is for an application: a notification, or the
    /// withdrawal of one.
    package mutating func received(
        _ text: Span<UInt8>, at now: Duration, chance: Double
    ) -> ServiceMessage? {
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
        case (.open, .notification), (.open, .withdrawn): return message
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
        text.utf8.count <= 1_000 && text.isWebAddress
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
