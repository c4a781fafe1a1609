import Base
package import WebPush

/// The connection to one receiver: Bellwire, or any other that speaks autopush.
///
/// It is pure state: events and the time go in, and `takeActions` says what to do. Times are of one
/// clock that never goes back and continues while the machine sleeps.
package struct Link: Sendable {
    package enum Action: Equatable, Sendable {
        /// Open a WebSocket, and report `opened` or `closed`.
        case connect
        /// Close it, and report nothing more about it.
        case disconnect
        /// The receiver has answered hello, under the user agent id of before or another.
        case greeted(isSame: Bool)
        case send([UInt8])
        /// Store the user agent id that the receiver gave.
        case remember(userAgent: String)
        /// The endpoint of a channel: the first one, or a new one.
        case endpoint(ChannelID, String)
        case refuse(ChannelID, RegistrationFailure)
        /// The channel has ended.
        case forget(ChannelID)
    }

    enum Phase: Equatable, Sendable {
        /// Nothing needs this receiver.
        case idle
        /// The receiver asked us not to reconnect by ourselves (code 4774).
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
    /// Mozilla's service ends connections that ping more often than every 45 s.
    static let pingInterval = Duration.seconds(60)
    static let requestLimit = 8
    /// The wait before a failed registration is repeated.
    static let retryInterval = Duration.seconds(60)
    /// An application that has just registered gets its endpoint soon after the receiver returns:
    /// this long, the link tries at least every `hurriedWait`.
    static let hurry = Duration.seconds(600)
    static let hurriedWait = Duration.milliseconds(800)

    var phase = Phase.idle
    var backoff = Backoff.ofConnections
    var userAgent: String?
    /// The name was given to be stored. A new one waits until the receiver has all channels under
    /// it: a restart before that comes back under the former name, and asks for them again.
    var isRemembered = true
    /// The extensions of the common protocol that the receiver supports. A Bellwire receiver
    /// supports all.
    package internal(set) var extensions: AutopushExtensions = []
    var channels: [ChannelID: Channel] = [:]
    /// Ended channels that the receiver does not know of yet.
    var ended: Set<ChannelID> = []
    var requests: [Request] = []
    var underWay: [Request] = []
    var requestDeadline: Duration?
    var lastPing: Duration?
    var pingDeadline: Duration?
    var retryAt: Duration?
    /// Until then an application waits for its first endpoint.
    var hurriedUntil: Duration?
    /// The receiver asked us to wait.
    var isHeldOff = false
    /// The receiver has answered since the start, so the user knows that it works.
    var isKnown = false
    var leastUrgency = Urgency.veryLow
    /// Messages that were finished while there was no connection.
    var unsent: [(channel: ChannelID, version: String, isDelivered: Bool)] = []
    private var actions: [Action] = []

    /// `ended`: ended channels that the receiver does not know of yet.
    package init(userAgent: String?, ended: [ChannelID] = []) {
        self.userAgent = userAgent
        self.ended = Set(ended)
    }

    package mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    mutating func act(_ action: Action) { actions.append(action) }

    /// A Bellwire receiver keeps an unacknowledged message until the expiry it names; others may
    /// drop it earlier.
    package var isOurs: Bool { extensions.contains(.ttl) }

    package var isOpen: Bool { if case .open = phase { true } else { false } }

    /// Something needs this receiver, or nobody knows yet whether it works.
    var isWanted: Bool { !channels.isEmpty || !ended.isEmpty || !isKnown }

    /// When to call `elapsed`.
    package var deadline: Duration? {
        switch phase {
        case .idle, .resting, .connecting: nil
        case .waiting(let end), .greeting(let end): end
        case .open:
            [requestDeadline, pingDeadline, retryAt].compactMap(\.self).min()
        }
    }
}

/// Connecting, and the time between connections.
extension Link {
    /// Call it after all channels are registered. It connects once even if nothing needs the
    /// receiver, to see whether it works.
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

    /// The connection ended, or the attempt failed. `pause`: how long the receiver asks us to wait;
    /// `isFinal`: it asks us to stay away until the user wants a connection. A connection has worked
    /// if it was open for `proof`: the next wait is the shortest, as after a restart of the receiver.
    package mutating func closed(
        at now: Duration, chance: Double, pause: Duration = .zero, isFinal: Bool = false,
        provenAfter proof: Duration = Backoff.ofConnections.first
    ) {
        if case .open(let since) = phase, now - since >= proof { backoff.reset() }
        reset()
        guard isWanted || pause > .zero else {
            phase = .idle
            return
        }
        guard !isFinal else {
            phase = .resting
            return
        }
        isHeldOff = pause > .zero
        let isHurried = hurriedUntil.map { now < $0 } ?? false
        let most = isHurried ? Self.hurriedWait : nil
        phase = .waiting(until: now + backoff.next(chance: chance, atLeast: pause, atMost: most))
    }

    private mutating func reset() {
        underWay = []
        requests = []
        requestDeadline = nil
        pingDeadline = nil
        retryAt = nil
        lastPing = nil
    }

    /// The network is back, the machine has slept, or the user wants it: it connects at once, or
    /// checks that an open connection still works.
    package mutating func wake(at now: Duration) {
        switch phase {
        case .waiting, .resting: resume()
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
        case .waiting: resume()
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

    private mutating func resume() {
        if isWanted { connect() } else { phase = .idle }
    }

    mutating func giveUp(at now: Duration, _ chance: Double) {
        act(.disconnect)
        // A receiver that answers hello and nothing else does not work.
        closed(at: now, chance: chance, provenAfter: backoff.first * 30)
    }

    /// A connection that died while the machine slept is no failure of the receiver.
    private mutating func giveUpAndReturn() {
        act(.disconnect)
        reset()
        connect()
    }
}
