import Base

/// One connection of a user agent: what it may say when, and what it was sent.
///
/// Pure state: messages and the time come in; what is to be sent is appended to `reply`, and what is
/// to be done is the answer. Times are those of one clock that never goes back.
package struct AutopushSession: Sendable {
    package enum Action: Equatable, Sendable {
        case none
        /// Send the text in `reply` as one message.
        case send
        /// Send the text, and deliver what waits: the client takes more than before.
        case sendAndDeliver
        /// Deliver what waits: there is room again.
        case deliver
        /// Find this user agent, or make a new one, and then say `identified`.
        case identify(UserAgentID?)
        /// Make an endpoint, and then say `registered`.
        case register(ChannelID, key: [UInt8]?)
        /// End the subscription, and then say `unregistered`.
        case unregister(ChannelID)
        case close(AutopushClosing)
    }

    /// What becomes of a message that is there for this user agent.
    package enum Delivery: Equatable, Sendable {
        case send
        /// It stays where it is kept until the session asks for more by an action.
        case wait
        /// The client does not want messages of this urgency now.
        case withhold
    }

    private enum Phase: UInt8, Sendable {
        case waiting
        case identifying
        case open
        case closed
    }

    static let helloPatience: Duration = .seconds(5)
    static let pingInterval: Duration = .seconds(45)
    static let requestLimit: UInt8 = 16

    private let openedAt: Duration
    private var lastPing: Duration?
    private var window = DeliveryWindow()
    /// What hello will say of broadcasts; empty for `{}`.
    private var broadcasts: [UInt8] = []
    private var phase = Phase.waiting
    private var leastUrgency = Urgency.veryLow
    package private(set) var extensions: AutopushExtensions = []
    private var requestsUnderWay: UInt8 = 0
    /// A message was told to wait.
    private var isHoldingBack = false

    package init(at now: Duration) { openedAt = now }

    package var isOpen: Bool { phase == .open }
    package var isClosed: Bool { phase == .closed }
    package var outstanding: Int { window.count }

    /// Whether the next message may be given in. Until then nothing more should be read.
    package var isReady: Bool {
        phase != .identifying && requestsUnderWay < Self.requestLimit
    }

    /// When `elapsed` has something to do.
    package var deadline: Duration? {
        phase == .waiting ? openedAt + Self.helloPatience : nil
    }

    package mutating func elapsed(at now: Duration) -> Action {
        guard let deadline, now >= deadline else { return .none }
        return close(.helloTimeout)
    }

    /// The connection is over, from either side. What was not acknowledged has to be sent again.
    package mutating func end() -> [MessageID] {
        phase = .closed
        return window.removeAll()
    }

    private mutating func close(_ closing: AutopushClosing) -> Action {
        phase = .closed
        return .close(closing)
    }
}

/// What the user agent says.
extension AutopushSession {
    /// Takes one text message. `acknowledged` is called for each message that the client has done
    /// with, which may have been sent on an earlier connection: that it belongs to this user agent
    /// is for the callee to see.
    package mutating func received(
        _ payload: Span<UInt8>, at now: Duration, reply: inout [UInt8],
        acknowledged: (MessageID) -> Void
    ) -> Action {
        guard phase != .closed else { return .none }
        let message: ClientMessage
        do throws(AutopushClosing) {
            message = try ClientMessage(payload)
        } catch {
            return close(error)
        }
        switch message {
        case .ping: return ping(at: now, &reply)
        case .hello(let hello):
            guard phase == .waiting else { return close(.badState) }
            return identify(hello, payload)
        case .acknowledgement(let updates) where phase == .open:
            updates.forEach(in: payload) { id in
                _ = window.remove(id)
                acknowledged(id)
            }
            return deliverIfHalfEmpty()
        case _ where phase == .open: return request(message, payload, &reply)
        default: return close(.badState)
        }
    }

    private mutating func ping(at now: Duration, _ reply: inout [UInt8]) -> Action {
        if let lastPing, now - lastPing < Self.pingInterval { return close(.badState) }
        lastPing = now
        reply.append(contentsOf: ServerMessage.pong)
        return .send
    }

    private mutating func identify(
        _ hello: ClientMessage.Hello, _ payload: Span<UInt8>
    ) -> Action {
        phase = .identifying
        extensions = hello.extensions
        if !hello.broadcasts.isEmpty(in: payload) {
            hello.broadcasts.appendAnswer(payload, to: &broadcasts)
        }
        return .identify(hello.userAgent)
    }

    private mutating func request(
        _ message: ClientMessage, _ payload: Span<UInt8>, _ reply: inout [UInt8]
    ) -> Action {
        switch message {
        case .register(let channel?, let key): return register(channel, key, &reply)
        case .unregister(let channel): return begin(.unregister(channel))
        case .broadcastSubscription(let names):
            guard !names.isEmpty(in: payload) else { return .none }
            ServerMessage.appendBroadcasts(names, in: payload, to: &reply)
            return .send
        case .urgency(let least):
            let takesMore = least < leastUrgency
            leastUrgency = least
            ServerMessage.appendUrgency(least, to: &reply)
            return takesMore ? .sendAndDeliver : .send
        case .failureReport: return .none
        case .register(nil, _), .hello, .ping, .acknowledgement: return close(.badState)
        }
    }

    private mutating func register(
        _ channel: ChannelID, _ key: ClientMessage.Key, _ reply: inout [UInt8]
    ) -> Action {
        switch key {
        case .absent: return begin(.register(channel, key: nil))
        case .bytes(let bytes): return begin(.register(channel, key: bytes))
        case .malformed:
            ServerMessage.appendRegistered(channel, .badKey, to: &reply)
            return .send
        }
    }

    /// Requests are done in their order by whoever keeps the subscriptions.
    private mutating func begin(_ action: Action) -> Action {
        guard requestsUnderWay < Self.requestLimit else { return close(.badState) }
        requestsUnderWay += 1
        return action
    }
}

/// What came of an action.
extension AutopushSession {
    package mutating func identified(as userAgent: UserAgentID, reply: inout [UInt8]) -> Action {
        guard phase == .identifying else { return .none }
        phase = .open
        ServerMessage.appendHello(
            userAgent, broadcasts: broadcasts.span, extensions: extensions, to: &reply)
        broadcasts = []
        return .sendAndDeliver
    }

    package mutating func registered(
        _ channel: ChannelID, _ outcome: RegistrationOutcome, reply: inout [UInt8]
    ) -> Action {
        guard endRequest() else { return .none }
        ServerMessage.appendRegistered(channel, outcome, to: &reply)
        return .send
    }

    package mutating func unregistered(
        _ channel: ChannelID, isDone: Bool, reply: inout [UInt8]
    ) -> Action {
        guard endRequest() else { return .none }
        ServerMessage.appendUnregistered(channel, isDone: isDone, to: &reply)
        return .send
    }

    private mutating func endRequest() -> Bool {
        guard phase == .open, requestsUnderWay > 0 else { return false }
        requestsUnderWay -= 1
        return true
    }

    /// A newer connection has said hello for the same user agent.
    package mutating func replaced() -> Action {
        phase == .closed ? .none : close(.badState)
    }
}

/// What the user agent is sent.
extension AutopushSession {
    /// Asks whether a message may be sent now. Several are under way at once, up to a bound; those
    /// below the client's urgency wait until it asks for them.
    package mutating func deliver(_ id: MessageID, length: Int, urgency: Urgency) -> Delivery {
        guard phase == .open else { return .wait }
        guard wants(urgency) else { return .withhold }
        guard window.add(id, length: length) else {
            isHoldingBack = true
            return .wait
        }
        return .send
    }

    /// Whether the client takes messages of this urgency now.
    package func wants(_ urgency: Urgency) -> Bool { urgency >= leastUrgency }

    /// A message that was sent has ended, and the client need not hear of it.
    package mutating func forget(_ id: MessageID) -> Action {
        window.remove(id) && phase == .open ? deliverIfHalfEmpty() : .none
    }

    /// Adds what this client asked to be told of each message.
    package func extend(
        _ message: inout NotificationMessage, ttl: UInt32, topic: Topic?, urgency: Urgency
    ) {
        if extensions.contains(.ttl) { message.ttl = ttl }
        if extensions.contains(.topic) { message.topic = topic }
        if extensions.contains(.urgency) { message.urgency = urgency }
    }

    /// A message was withdrawn, or replaced by a later one of its topic.
    package mutating func withdrawn(
        _ id: MessageID, _ channel: ChannelID, reply: inout [UInt8]
    ) -> Action {
        guard window.remove(id), phase == .open else { return .none }
        guard extensions.contains(.withdrawn) else { return deliverIfHalfEmpty() }
        ServerMessage.appendWithdrawn(id, channel, to: &reply)
        return deliverIfHalfEmpty() == .deliver ? .sendAndDeliver : .send
    }

    private mutating func deliverIfHalfEmpty() -> Action {
        guard isHoldingBack, window.isHalfEmpty else { return .none }
        isHoldingBack = false
        return .deliver
    }
}
