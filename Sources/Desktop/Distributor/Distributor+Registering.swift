import Base
package import WebPush

/// Requests of applications.
extension Distributor {
    /// How long a call has to wait for its turn; nil if too many wait before it. A program may have
    /// many registrations and send them all when it starts.
    package mutating func delay(of caller: String, at moment: Moment) -> Duration? {
        let now = moment.boot
        if paces.count > 1_024 { paces = paces.filter { !$0.value.isOver(at: now) } }
        return paces[caller, default: Pace()].delay(
            Self.calls, at: now, patience: Self.longestDelay)
    }

    package mutating func register(
        _ request: RegisterCall, call: UInt64, at moment: Moment
    ) {
        if let client = clients[request.key] {
            registerAgain(client, request, call, at: moment)
        } else {
            registerNew(request, call, at: moment)
        }
    }

    private mutating func registerNew(
        _ request: RegisterCall, _ call: UInt64, at moment: Moment
    ) {
        guard registrations(like: request) < Self.registrationLimit,
            clients.count < Self.allRegistrations
        else {
            return act(.answer(call, .failed(.actionRequired)))
        }
        var client = Client(
            ClientRecord(
                key: request.key, service: request.service, description: request.description,
                applicationKey: request.applicationKey, version: request.version,
                path: ConnectorCall.usualPath, channel: request.channel, endpoint: nil,
                created: moment.wall, lastDelivery: nil, lastSeen: moment.wall))
        client.calls = [(call, moment.boot + Self.answerPause)]
        add(client)
        act(.save(client.record))
        act(.register(request.channel, key: request.applicationKey, known: nil))
    }

    /// Counts registrations of the same sandbox, or outside sandboxes of the same application.
    private func registrations(like request: RegisterCall) -> Int {
        let sandbox = request.key.sandbox
        return clients.values.count {
            $0.record.key.sandbox == sandbox
                && (!sandbox.isEmpty || $0.record.service == request.service)
        }
    }

    private mutating func registerAgain(
        _ known: Client, _ request: RegisterCall, _ call: UInt64, at moment: Moment
    ) {
        let record = known.record
        guard record.service == request.service, record.applicationKey == request.applicationKey
        else { return replace(known, by: request, call, at: moment) }
        var client = known
        client.isStale = false
        client.trouble = nil
        client.record.description = request.description
        client.record.version = request.version
        if moment.wall - record.lastSeen >= Self.seenGrain { client.record.lastSeen = moment.wall }
        if client.endpoint == nil {
            client.calls.append((call, moment.boot + Self.answerPause))
        }
        clients[request.key] = client
        if client.record != record { act(.save(client.record)) }
        // The application runs, so deliveries that failed may work now.
        peers[record.service]?.queue.pause.reset()
        if client.endpoint != nil {
            announce(request.key)
            act(.answer(call, .registered))
        }
        advance(record.service, at: moment)
    }

    /// Another application or another key uses the same token. It gets a new endpoint, so that
    /// whoever has the old one cannot reach it.
    private mutating func replace(
        _ known: Client, by request: RegisterCall, _ call: UInt64, at moment: Moment
    ) {
        _ = remove(request.key)
        // Otherwise it would believe in an endpoint that has ended.
        if known.record.service != request.service { sendUnregistered(known) }
        releasePeer(known.record.service)
        registerNew(request, call, at: moment)
        guard known.record.isMuted || known.record.leastUrgency != .veryLow else { return }
        clients[request.key]?.record.isMuted = known.record.isMuted
        clients[request.key]?.record.leastUrgency = known.record.leastUrgency
        if let record = clients[request.key]?.record { act(.save(record)) }
    }

    /// Always confirms, even an unknown token, because some connectors wait for that.
    package mutating func unregister(
        _ key: ClientKey, from caller: String, version: ConnectorVersion, at moment: Moment
    ) {
        let client = remove(key)
        // It may be the repetition of a call whose end could not be stored.
        if client == nil { act(.forget(key)) }
        let service = client?.record.service
        let isPresent = service.map { peers[$0]?.owner.isPresent ?? false } ?? false
        act(
            .call(
                0,
                ConnectorCall(
                    destination: isPresent ? service ?? caller : caller, token: key.token,
                    content: .unregistered(isConfirmation: true), version: version,
                    path: client?.record.path ?? ConnectorCall.usualPath, startsService: false)))
        if let service {
            advance(service, at: moment)
            releasePeer(service)
        }
    }

    /// The record could not be stored, so the registration is refused.
    package mutating func saveFailed(_ key: ClientKey) {
        guard let client = clients[key], client.record.endpoint == nil, client.endpoint == nil
        else { return }
        _ = remove(key)
        releasePeer(client.record.service)
    }

    /// A bus name got another owner or lost it.
    package mutating func ownerChanged(of name: String, to owner: String?, at moment: Moment) {
        guard var peer = peers[name] else { return }
        peer.owner = owner.map { .some($0) } ?? .none
        if owner != nil {
            peer.queue.pause.reset()
            // It has started; from now on the shorter deadline for its answer counts.
            for index in peer.flights.indices {
                peer.flights[index].started(peer.owner, moment.boot)
            }
        }
        peers[name] = peer
        guard owner != nil || !name.hasPrefix(":") else {
            for key in keys(of: name) { _ = remove(key) }
            return releasePeer(name)
        }
        advance(name, at: moment)
    }

    func keys(of service: String) -> [ClientKey] {
        clients.values.filter { $0.record.service == service }.map(\.record.key)
            .sorted { ($0.sandbox, $0.token) < ($1.sandbox, $1.token) }
    }

    /// `names` are those that are owned or can be started. An application that was missing for long
    /// is removed.
    package mutating func seen(_ names: Set<String>, at moment: Moment) {
        for key in clients.keys.sorted(by: { ($0.sandbox, $0.token) < ($1.sandbox, $1.token) }) {
            guard var client = clients[key] else { continue }
            let age = moment.wall - client.record.lastSeen
            if names.contains(client.record.service) {
                guard age >= Self.seenGrain else { continue }
                client.record.lastSeen = moment.wall
                clients[key] = client
                act(.save(client.record))
            } else if age > Self.purgeAge {
                _ = remove(key)
                releasePeer(client.record.service)
            }
        }
    }
}

/// Answers of the receivers.
extension Distributor {
    /// The endpoint of a channel: the first one, or a new one.
    package mutating func obtained(
        _ endpoint: String, for channel: ChannelID, at moment: Moment
    ) {
        // An application must never get an empty endpoint.
        guard let key = channels[channel], var client = clients[key], !endpoint.isEmpty
        else { return }
        let calls = client.calls
        guard client.endpoint != endpoint || !calls.isEmpty else { return }
        client.endpoint = endpoint
        client.calls = []
        clients[key] = client
        announce(key)
        advance(client.record.service, at: moment)
        for call in calls { act(.answer(call.id, .registered)) }
    }

    /// There is no endpoint, and waiting does not help. Being offline is not a refusal.
    package mutating func refused(
        _ channel: ChannelID, _ reason: RegistrationFailure, at moment: Moment
    ) {
        guard let key = channels[channel], var client = clients[key] else { return }
        let calls = client.calls
        client.calls = []
        clients[key] = client
        for call in calls { act(.answer(call.id, .failed(reason))) }
        _ = remove(key)
        // An application that got "registered" must learn that it is not.
        if calls.isEmpty { sendUnregistered(client) }
        advance(client.record.service, at: moment)
        releasePeer(client.record.service)
    }
}

extension Peer.Flight {
    /// Applications of the first generation need not answer, so the wait is short.
    static let firstGenerationPause = Duration.seconds(25)
    /// A second call while the application still works on the first would double the message.
    static let secondGenerationPause = Duration.seconds(300)

    static func pause(_ version: ConnectorVersion) -> Duration {
        version == .one ? firstGenerationPause : secondGenerationPause
    }

    fileprivate mutating func started(_ newOwner: Peer.Owner, _ now: Duration) {
        if owner == .none { owner = newOwner }
        deadline = min(deadline, now + Self.pause(version))
    }
}
