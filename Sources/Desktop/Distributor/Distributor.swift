import Base
package import WebPush

/// The UnifiedPush distributor: registrations of applications, and delivery of their messages.
///
/// It is pure state: events and the time go in, and `actions` says what to do. Each application has
/// a queue of its own with one message at a time, so that none waits for another.
package struct Distributor {
    /// The time of an event: on the boot clock, and in seconds since 1970.
    package struct Moment: Equatable, Sendable {
        package let boot: Duration
        package let wall: Int64

        package init(boot: Duration, wall: Int64) {
            self.boot = boot
            self.wall = wall
        }
    }

    /// Applications stop waiting for `Register` after 25 s.
    static let answerPause = Duration.seconds(4)
    static let registrationLimit = 100
    /// The limit for all applications together, because outside sandboxes a program can use any
    /// name.
    static let allRegistrations = 5_000
    /// How many calls of one program are accepted.
    static let calls = PaceLimit(atOnce: 10, perSecond: 10)
    /// A program would give up after a longer delay.
    static let longestDelay = Duration.seconds(12)
    /// Delivery times are stored to the minute, to save writes.
    static let deliveryGrain: Int64 = 60
    /// An application that was neither installed nor running for this long is removed.
    static let purgeAge: Int64 = 30 * 86_400
    static let seenGrain: Int64 = 86_400

    private(set) var actions: [DistributorAction] = []
    var clients: [ClientKey: Client] = [:]
    var channels: [ChannelID: ClientKey] = [:]
    var peers: [String: Peer] = [:]
    /// The running calls, with the applications called.
    var flights: [UInt64: String] = [:]
    /// Fetch signals that applications have already. Engines repeat a signal until they recorded
    /// its confirmation.
    var heardSignals: [(client: ClientKey, signal: FetchCall)] = []
    /// How fast each program calls.
    var paces: [String: Pace] = [:]
    /// When all registrations end because no receiver is listed, in seconds since 1970.
    var end: Int64?
    private var lastID: UInt64 = 0

    package init() {}

    package mutating func takeActions() -> [DistributorAction] {
        defer { actions = [] }
        return actions
    }

    mutating func act(_ action: DistributorAction) { actions.append(action) }

    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Restores stored registrations. Unique bus names of the last session mean nothing any more.
    package mutating func load(_ records: [ClientRecord]) {
        for record in records {
            let client = Client(record)
            if client.isTransient {
                act(.unregister(record.channel))
                act(.forget(record.key))
                continue
            }
            add(client)
            act(
                .register(record.channel, key: record.applicationKey, known: record.endpoint))
        }
    }

    mutating func add(_ client: Client) {
        clients[client.record.key] = client
        channels[client.record.channel] = client.record.key
        let service = client.record.service
        if peers[service] == nil {
            peers[service] = Peer()
            act(.watch(service))
        }
    }

    /// Removes a registration and what waits for it.
    mutating func remove(_ key: ClientKey) -> Client? {
        guard let client = clients.removeValue(forKey: key) else { return nil }
        for call in client.calls { act(.answer(call.id, .failed(.internal))) }
        channels[client.record.channel] = nil
        act(.unregister(client.record.channel))
        act(.forget(key))
        let service = client.record.service
        peers[service]?.giveUp { $0.client == key }
        return client
    }

    /// Stops watching a name that no registration and no queue needs.
    mutating func releasePeer(_ service: String) {
        guard let peer = peers[service], peer.isIdle,
            !clients.values.contains(where: { $0.record.service == service })
        else { return }
        peers[service] = nil
        act(.unwatch(service))
    }
}

/// What the shell has to do for the distributor, in this order.
package enum DistributorAction: Equatable, Sendable {
    /// Answer a call of `Register`.
    case answer(UInt64, RegisterAnswer)
    /// Call a connector. Report the outcome under this number, unless it is zero.
    case call(UInt64, ConnectorCall)
    /// Get an endpoint, bound to the key if there is one. At every start each registration repeats
    /// this with the endpoint it has, and hears only of a different one.
    case register(ChannelID, key: ApplicationKey?, known: String?)
    /// End the channel. There is no answer.
    case unregister(ChannelID)
    /// The application has the message.
    case acknowledge(ChannelID, message: String)
    /// The application will never take the message.
    case reject(ChannelID, message: String)
    /// An application has this signal.
    case fetched(FetchCall)
    case save(ClientRecord)
    case forget(ClientKey)
    /// Report the owner of a bus name, now and at each change.
    case watch(String)
    case unwatch(String)
}

/// Deadlines.
extension Distributor {
    /// When `tick` is due, on the boot clock.
    package var nextTick: Duration? {
        var next: Duration?
        func consider(_ time: Duration?) {
            guard let time else { return }
            next = min(next ?? time, time)
        }
        for client in clients.values { for call in client.calls { consider(call.deadline) } }
        for peer in peers.values {
            for flight in peer.flights { consider(flight.deadline) }
            guard !peer.queue.items.isEmpty, peer.flights.count < 2 else { continue }
            consider(peer.queue.pause.end)
            if peer.owner == .none { consider(peer.starts.end) }
        }
        return next
    }

    package mutating func tick(at moment: Moment) {
        answerWaiting(at: moment.boot)
        for service in peers.keys.sorted() {
            for index in peers[service]?.flights.indices ?? 0..<0 {
                peers[service]?.flights[index].excuse(at: moment.boot)
            }
            guard let peer = peers[service] else { continue }
            for flight in peer.flights where flight.deadline <= moment.boot {
                // A running application of the first generation has the message, and need not
                // answer.
                let isDelivered = flight.version == .one && peer.owner.isPresent
                answered(
                    flight.id, isDelivered ? .taken : .unreachable("it does not answer"),
                    at: moment)
            }
            peers[service]?.queue.pause.clear(at: moment.boot)
            peers[service]?.starts.clear(at: moment.boot)
            advance(service, at: moment)
        }
    }

    /// Answers "registered" without an endpoint, which follows when the receiver can be reached.
    private mutating func answerWaiting(at now: Duration) {
        for key in clients.keys {
            guard let client = clients[key], !client.calls.isEmpty else { continue }
            for call in client.calls where call.deadline <= now {
                act(.answer(call.id, .registered))
            }
            clients[key]?.calls.removeAll { $0.deadline <= now }
        }
    }
}

extension Peer.Flight {
    /// A tick this late means that the machine slept.
    private static let oversleep = Duration.seconds(5)

    /// Extends deadlines that passed while the machine slept.
    fileprivate mutating func excuse(at now: Duration) {
        if now - deadline > Self.oversleep { deadline = now + Self.pause(version) }
    }
}
