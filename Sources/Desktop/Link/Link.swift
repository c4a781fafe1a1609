package import WebPush

/// The connection to one receiver: ours, or any other that speaks autopush.
///
/// Pure state: what happens and the time come in, what is to be done is left in `takeActions`. Times
/// are those of one clock that never goes back and goes on while the machine sleeps.
package struct Link: Sendable {
    package enum Action: Equatable, Sendable {
        /// Open a WebSocket, and say `opened` or `closed`.
        case connect
        /// Give it up; nothing is to be heard of it any more.
        case disconnect
        case send([UInt8])
        /// The receiver knows us by this name from now on.
        case remember(userAgent: String)
        /// The endpoint of a channel, at first or another one than before.
        case endpoint(ChannelID, String)
        case refuse(ChannelID, RegistrationFailure)
        /// Nothing comes on the channel any more.
        case forget(ChannelID)
    }

    enum Phase: Equatable, Sendable {
        /// Nothing is to be had from the receiver.
        case idle
        /// The receiver does not want to see us again by ourselves (code 4774).
        case resting
        case waiting(until: Duration)
        case connecting
        case greeting(until: Duration)
        case open(since: Duration)
    }

    struct Channel: Equatable, Sendable {
        let key: ApplicationKey?
        var endpoint: String?
        var isRegistered = false
    }

    enum Request: Hashable, Sendable {
        case register(ChannelID)
        case unregister(ChannelID)
    }

    static let answerPatience = Duration.seconds(10)
    static let greetingPatience = Duration.seconds(30)
    /// Upstream ends connections that ask for a sign of life more often than every 45 s.
    static let pingInterval = Duration.seconds(60)
    static let requestLimit = 8
    /// Before a registration that failed there is tried again.
    static let retryInterval = Duration.seconds(60)

    var phase = Phase.idle
    var backoff = LinkBackoff()
    var userAgent: String?
    /// What the receiver tells beyond the common protocol; ours tells all.
    package internal(set) var extensions: AutopushExtensions = []
    var channels: [ChannelID: Channel] = [:]
    /// Those that the receiver still has to be told of.
    var ended: Set<ChannelID> = []
    var requests: [Request] = []
    var underWay: [Request] = []
    var requestDeadline: Duration?
    var lastPing: Duration?
    var pingDeadline: Duration?
    var retryAt: Duration?
    var leastUrgency = Urgency.veryLow
    /// What was done with while there was no connection.
    var unsent: [(channel: ChannelID, version: String, isDelivered: Bool)] = []
    private var actions: [Action] = []

    /// `ended`: channels of which the receiver was not told that they have ended.
    package init(userAgent: String?, ended: [ChannelID] = []) {
        self.userAgent = userAgent
        self.ended = Set(ended)
    }

    package mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    mutating func act(_ action: Action) { actions.append(action) }

    /// A receiver of ours keeps what is not acknowledged until the time that it tells; another one
    /// may forget it earlier.
    package var isOurs: Bool { extensions.contains(.ttl) }

    package var isOpen: Bool { if case .open = phase { true } else { false } }

    /// For people.
    var isWanted: Bool { !channels.isEmpty || !ended.isEmpty }

    /// When `elapsed` has something to do.
    package var deadline: Duration? {
        switch phase {
        case .idle, .resting, .connecting: nil
        case .waiting(let end), .greeting(let end): end
        case .open:
            [requestDeadline, pingDeadline, retryAt].compactMap(\.self).min()
        }
    }
}

/// Connections, and the time between them.
extension Link {
    /// All channels there are have been told.
    package mutating func start() {
        if phase == .idle, isWanted { connect() }
    }

    mutating func connect() {
        phase = .connecting
        act(.connect)
    }

    package mutating func opened(at now: Duration) {
        guard phase == .connecting else { return }
        phase = .greeting(until: now + Self.greetingPatience)
        var text: [UInt8] = []
        ClientRequest.appendHello(userAgent, to: &text)
        act(.send(text))
    }

    /// The connection ended, or there was none. `pause`: how long the receiver asks us to stay away;
    /// `isFinal`: until somebody else wants us to come back.
    package mutating func closed(
        at now: Duration, chance: Double, pause: Duration = .zero, isFinal: Bool = false
    ) {
        if case .open(let since) = phase, now - since >= LinkBackoff.shortest * 30 {
            backoff.reset()
        }
        reset()
        guard isWanted else {
            phase = .idle
            return
        }
        guard !isFinal else {
            phase = .resting
            return
        }
        phase = .waiting(until: now + backoff.next(chance: chance, atLeast: pause))
    }

    private mutating func reset() {
        underWay = []
        requests = []
        requestDeadline = nil
        pingDeadline = nil
        retryAt = nil
        lastPing = nil
    }

    /// The network is back, the machine has slept, or the user wants it: what waits is tried at
    /// once, and an open connection has to show that it still is one.
    package mutating func wake(at now: Duration) {
        switch phase {
        case .waiting, .resting: connect()
        case .open where pingDeadline == nil:
            if let lastPing, now - lastPing < Self.pingInterval { return }
            lastPing = now
            pingDeadline = now + Self.answerPatience
            var text: [UInt8] = []
            ClientRequest.appendPing(to: &text)
            act(.send(text))
        case .open, .idle, .connecting, .greeting: break
        }
    }

    package mutating func elapsed(at now: Duration, chance: Double) {
        guard let deadline, now >= deadline else { return }
        switch phase {
        case .waiting: connect()
        case .greeting: giveUp(at: now, chance)
        case .open:
            if let pingDeadline, now >= pingDeadline { return giveUpAndReturn() }
            if let requestDeadline, now >= requestDeadline { return giveUp(at: now, chance) }
            retryAt = nil
            requestMissing()
            ask(at: now)
        case .idle, .resting, .connecting: break
        }
    }

    mutating func giveUp(at now: Duration, _ chance: Double) {
        act(.disconnect)
        closed(at: now, chance: chance)
    }

    /// A connection that went silent while the machine slept says nothing of the receiver.
    private mutating func giveUpAndReturn() {
        act(.disconnect)
        reset()
        connect()
    }
}
