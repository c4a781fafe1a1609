import WebPush

/// The UnifiedPush distributor: registrations of applications, and the delivery of their messages.
///
/// Pure: it is told what happened and when, and leaves in `actions` what is to be done. Each
/// application has a queue of its own with one message under way, so that none waits for another.
package struct Distributor {
    /// When something happens: on the boot clock, and in seconds since 1970.
    package struct Moment: Equatable, Sendable {
        package let boot: Duration
        package let wall: Int64

        package init(boot: Duration, wall: Int64) {
            self.boot = boot
            self.wall = wall
        }
    }

    /// Applications give up a call of `Register` after 25 s.
    static let answerPause = Duration.seconds(4)
    static let registrationLimit = 100
    /// And of all applications together: outside of sandboxes each may call itself as it likes.
    static let allRegistrations = 5_000
    /// Calls of one program are let through so far apart, after as many at once as `burst`.
    static let callInterval = Duration.milliseconds(100)
    static let burst = 10
    /// Longer nobody is kept waiting: his program would give up first.
    static let longestDelay = Duration.seconds(12)
    /// Of a delivery time only as much as people look at is written to the disk.
    static let deliveryGrain: Int64 = 60
    /// Neither installed nor running for so long, an application is gone.
    static let purgeAge: Int64 = 30 * 86_400
    static let seenGrain: Int64 = 86_400

    private(set) var actions: [DistributorAction] = []
    var clients: [ClientKey: Client] = [:]
    var channels: [ChannelID: ClientKey] = [:]
    var peers: [String: Peer] = [:]
    /// The application that a call is under way to.
    var flights: [UInt64: String] = [:]
    /// Which fetch signals were heard last, and by whom: an engine tells them until it has noted that.
    var heardSignals: [(client: ClientKey, signal: FetchSignal)] = []
    /// When the next call of a program would be due, if it called evenly.
    var dueCalls: [String: Duration] = [:]
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

    /// Takes up what was stored. Names of connections meant something to the last session only.
    package mutating func load(_ records: [ClientRecord]) {
        for record in records {
            let client = Client(record)
            if client.isTransient {
                act(.link(.unregister(record.channel)))
                act(.forget(record.key))
                continue
            }
            add(client)
            act(
                .link(
                    .register(
                        record.channel, key: record.applicationKey, known: record.endpoint)))
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

    /// Lets go of a registration. What waits for it has nowhere to go.
    mutating func remove(_ key: ClientKey) -> Client? {
        guard let client = clients.removeValue(forKey: key) else { return nil }
        for call in client.calls { act(.answer(call.id, .failed(.internal))) }
        channels[client.record.channel] = nil
        act(.link(.unregister(client.record.channel)))
        act(.forget(key))
        let service = client.record.service
        peers[service]?.controls.removeAll { $0.client == key }
        peers[service]?.messages.removeAll { $0.client == key }
        return client
    }

    /// A name that nobody is registered under, and nothing waits for, is not watched any more.
    mutating func releasePeer(_ service: String) {
        guard let peer = peers[service], peer.isIdle,
            !clients.values.contains(where: { $0.record.service == service })
        else { return }
        peers[service] = nil
        act(.unwatch(service))
    }
}
