import Base

/// One connection of a user agent: which messages are allowed when, and the answers.
///
/// It is pure state: messages and times come in; the text to send is appended to `reply`, and the
/// action to take is returned. All times come from one clock that never goes back.
package struct AutopushSession: Sendable {
    package enum Action: Equatable, Sendable {
        case none
        /// Send the text in `reply` as one message.
        case send
        /// Hello is done: send the text, and deliver what waits.
        case open
        /// Send the text, and from now on only messages of this urgency and above.
        case want(Urgency)
        /// All acknowledged messages have been reported.
        case acknowledged
        /// Find this user agent or make a new one, then call `identified`.
        case identify(UserAgentID?)
        /// Make an endpoint, then call `registered`.
        case register(ChannelID, key: [UInt8]?)
        /// End the subscription, then call `unregistered`.
        case unregister(ChannelID)
        case close(AutopushClosing)
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
    /// The broadcasts in the answer to hello; empty for `{}`.
    private var broadcasts: [UInt8] = []
    private var phase = Phase.waiting
    package private(set) var extensions: AutopushExtensions = []
    private var usesWebPush = false
    private var requestsUnderWay: UInt8 = 0

    package init(at now: Duration) { openedAt = now }

    package var isOpen: Bool { phase == .open }
    package var isClosed: Bool { phase == .closed }

    /// Whether the next message can be received. Until then nothing more should be read.
    package var isReady: Bool {
        phase != .identifying && requestsUnderWay < Self.requestLimit
    }

    /// The client registers its channels again when it gets another identity, and only then. Our
    /// own, which asks for extensions, does so after each hello. KUnifiedPush never does.
    package var learnsAddressesByIdentity: Bool { usesWebPush && extensions.isEmpty }

    /// When `elapsed` has something to do.
    package var deadline: Duration? {
        phase == .waiting ? openedAt + Self.helloPatience : nil
    }

    package mutating func elapsed(at now: Duration) -> Action {
        guard let deadline, now >= deadline else { return .none }
        return close(.helloTimeout)
    }

    /// The connection was closed, by either side.
    package mutating func end() { phase = .closed }

    private mutating func close(_ closing: AutopushClosing) -> Action {
        phase = .closed
        return .close(closing)
    }
}

/// Messages from the user agent.
extension AutopushSession {
    /// Receives one text message. `acknowledged` is called for each message that the client has
    /// handled. It may have been sent on an earlier connection, so the callee checks that it
    /// belongs to this user agent.
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
            updates.forEach(in: payload, acknowledged)
            return .acknowledged
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
        usesWebPush = hello.usesWebPush
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
            ServerMessage.appendUrgency(least, to: &reply)
            return .want(least)
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

    /// The owner of the subscriptions carries out requests in order.
    private mutating func begin(_ action: Action) -> Action {
        guard requestsUnderWay < Self.requestLimit else { return close(.badState) }
        requestsUnderWay += 1
        return action
    }
}

/// Results of actions.
extension AutopushSession {
    package mutating func identified(as userAgent: UserAgentID, reply: inout [UInt8]) -> Action {
        guard phase == .identifying else { return .none }
        phase = .open
        ServerMessage.appendHello(
            userAgent, broadcasts: broadcasts.span, extensions: extensions, to: &reply)
        broadcasts = []
        return .open
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

/// Messages to the user agent.
extension AutopushSession {
    /// Adds the members that this client asked for.
    package func extend(
        _ message: inout NotificationMessage, ttl: UInt32, topic: Topic?, urgency: Urgency
    ) {
        if extensions.contains(.ttl) { message.ttl = ttl }
        if extensions.contains(.topic) { message.topic = topic }
        if extensions.contains(.urgency) { message.urgency = urgency }
    }
}

/// Why the push service closes a WebSocket: code and reason of the close frame.
package enum AutopushClosing: Error, Equatable, Sendable {
    /// The message is not JSON, is unknown, or has a member that is missing or of the wrong type.
    case badMessage
    /// A message at the wrong time, too many messages, or a newer connection.
    case badState
    case helloTimeout
    case binary

    package var code: UInt16 { self == .binary ? 1003 : 1011 }

    package var reason: StaticString {
        switch self {
        case .badMessage: "Json"
        case .badState: "SM"
        case .helloTimeout: "HandshakeTimeout"
        case .binary: "UnsupportedMessage"
        }
    }
}

/// How many delivered messages a user agent may leave unacknowledged.
package enum DeliveryWindow {
    package static let countLimit = 128
    /// Bytes of all bodies together. A single message is always sent.
    package static let byteLimit = 1 << 20
}
