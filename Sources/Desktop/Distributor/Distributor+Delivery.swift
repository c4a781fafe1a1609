import Base

/// Calls to applications.
extension Distributor {
    /// Longer than any bus waits for a program to start.
    private static let startLimit = Duration.seconds(150)
    /// A program that is starting might not have its object yet. After this many rounds it counts
    /// as a program without one.
    private static let roundLimit = 5

    /// Queues the application's endpoint, unless that is queued already.
    mutating func announce(_ key: ClientKey) {
        guard let service = clients[key]?.record.service else { return }
        if peers[service]?.announces(key) != true {
            peers[service]?.queue.items.append(Peer.Item(client: key, content: .endpoint))
        }
    }

    /// The end of a registration is no reason to start the application.
    mutating func sendUnregistered(_ client: Client) {
        let record = client.record
        act(
            .call(
                0,
                ConnectorCall(
                    destination: record.service, token: record.key.token,
                    content: .unregistered(isConfirmation: false), version: record.version,
                    path: record.path, startsService: false)))
    }

    /// Calls the application if something waits and no call is running.
    mutating func advance(_ service: String, at moment: Moment) {
        guard var peer = peers[service] else { return }
        discardExpired(&peer, at: moment.boot)
        if let item = next(isControl: true, &peer, at: moment.boot) {
            begin(item, service, &peer, at: moment.boot)
        }
        // The application must know the endpoint before it gets messages for it.
        if !peer.hasControl, let item = next(isControl: false, &peer, at: moment.boot) {
            begin(item, service, &peer, at: moment.boot)
        }
        peers[service] = peer
    }

    private func next(
        isControl: Bool, _ peer: inout Peer, at now: Duration
    ) -> Peer.Item? {
        let isRunning = peer.owner.isPresent
        let mayStart = peer.owner == .none && peer.starts.isOver(at: now) && peer.flights.isEmpty
        guard isRunning || mayStart,
            !peer.flights.contains(where: { $0.item.isControl == isControl })
        else { return nil }
        return peer.queue.next(at: now) {
            $0.isControl == isControl && !isHeldBack($0, isRunning: isRunning)
        }
    }

    private func isHeldBack(_ item: Peer.Item, isRunning: Bool) -> Bool {
        guard let record = clients[item.client]?.record else { return false }
        switch item.content {
        case .endpoint: return false
        case .fetch: return record.isMuted
        case .message(let message):
            return record.isMuted || (!isRunning && message.urgency < record.leastUrgency)
        }
    }

    private mutating func begin(
        _ item: Peer.Item, _ service: String, _ peer: inout Peer, at now: Duration
    ) {
        guard let client = clients[item.client], let content = content(item, client) else { return }
        let id = nextID()
        let isStart = peer.owner == .none
        let record = client.record
        // This tries the version and path that worked last, and then the others.
        let version = item.way % 2 == 0 ? record.version : record.version.other
        let otherPath =
            record.path == ConnectorCall.rootPath
            ? ConnectorCall.usualPath : ConnectorCall.rootPath
        let path = item.way < 2 ? record.path : otherPath
        flights[id] = service
        act(
            .call(
                id,
                ConnectorCall(
                    destination: service, token: record.key.token, content: content,
                    version: version, path: path, startsService: isStart)))
        #if PLANTED
            if PlantedMistake.acknowledgeBeforeReply.isMade,
                case .message(let message) = item.content
            {
                act(.acknowledge(message.channel, message: message.id))
            }
        #endif
        if isStart { peer.starts.begin(at: now) }
        let flight = Peer.Flight(
            id: id, item: item, version: version, path: path, endpoint: client.endpoint,
            owner: peer.owner,
            deadline: now + (isStart ? Self.startLimit : Peer.Flight.pause(version)))
        peer.flights.insert(flight, at: item.isControl ? 0 : peer.flights.count)
    }

    private func content(_ item: Peer.Item, _ client: Client) -> ConnectorCall.Content? {
        switch item.content {
        case .message(let message): .message(message.body, id: message.id)
        case .fetch(let signals):
            .message(Array("version=\(signals.last?.version ?? 0)".utf8), id: "")
        case .endpoint: client.endpoint.map { .endpoint($0) }
        }
    }

    private mutating func discardExpired(_ peer: inout Peer, at now: Duration) {
        var expired: [PushedMessage] = []
        peer.queue.items.removeAll { item in
            guard case .message(let message) = item.content, let expiry = item.expiry,
                expiry <= now
            else { return false }
            expired.append(message)
            return true
        }
        for message in expired { act(.reject(message.channel, message: message.id)) }
    }

    /// Handles the result of a call.
    package mutating func answered(
        _ id: UInt64, _ outcome: ConnectorOutcome, at moment: Moment
    ) {
        guard let service = flights.removeValue(forKey: id), var peer = peers[service],
            let index = peer.flights.firstIndex(where: { $0.id == id })
        else { return }
        let flight = peer.flights.remove(at: index)
        switch outcome {
        case .taken where flight.isOver:
            peer.recordAnswer()
            finish(flight.item)
        case .unreachable where flight.isOver, .failed where flight.isOver:
            peer.recordFailure(at: moment.boot)
        case .unsupported where flight.isOver, .refused where flight.isOver: break
        case .taken:
            peer.recordAnswer()
            recordDelivery(flight, at: moment)
        case .unreachable(let reason):
            clients[flight.item.client]?.trouble = reason
            // The called instance has passed its name on to another one, which is running.
            let isHandedOver = peer.owner.isPresent && peer.owner != flight.owner
            if !isHandedOver { peer.recordFailure(at: moment.boot) }
            putBack(flight.item, &peer)
        case .unsupported: tryOtherWay(flight.item, &peer, at: moment.boot)
        case .refused:
            peer.recordAnswer()
            clients[flight.item.client]?.isStale = true
            drop(flight.item, "it no longer knows its token")
        case .failed:
            peer.recordFailure(at: moment.boot)
            tryAgain(flight.item, "it answered with an error", &peer)
        }
        peers[service] = peer
        advance(service, at: moment)
        releasePeer(service)
    }

    /// A message was taken although it had come to its end meanwhile.
    private mutating func finish(_ item: Peer.Item) {
        guard case .message(let message) = item.content else { return }
        if channels[message.channel] == item.client {
            clients[item.client]?.delivered.insert(message.id, ())
        }
        act(.acknowledge(message.channel, message: message.id))
    }

    private mutating func recordDelivery(_ flight: Peer.Flight, at moment: Moment) {
        guard var client = clients[flight.item.client] else { return }
        let before = client.record
        client.trouble = nil
        client.record.version = flight.version
        client.record.path = flight.path
        switch flight.item.content {
        case .endpoint: client.record.endpoint = flight.endpoint
        case .fetch(let signals):
            client.record.lastDelivery = moment.wall
            for signal in signals { recordHeard(signal, by: flight.item.client) }
        case .message(let message):
            client.delivered.insert(message.id, ())
            client.record.lastDelivery = moment.wall
            act(.acknowledge(message.channel, message: message.id))
        }
        let unsaved = moment.wall - (client.savedDelivery ?? .min / 2)
        var stored = client.record
        stored.lastDelivery = before.lastDelivery
        let isNews =
            client.record.lastDelivery != before.lastDelivery && unsaved >= Self.deliveryGrain
        if stored != before || isNews {
            client.savedDelivery = client.record.lastDelivery
            act(.save(client.record))
        }
        clients[flight.item.client] = client
    }

    /// Returns the item to the front of its queue.
    private mutating func putBack(_ item: Peer.Item, _ peer: inout Peer) {
        guard clients[item.client] != nil else { return }
        if case .message(let message) = item.content, message.deadline == nil {
            return drop(item, "it did not accept a message that could not wait")
        }
        // A newer endpoint of the same registration replaces it.
        if !item.isControl || !peer.announces(item.client) { peer.queue.putBack(item) }
    }

    private mutating func tryOtherWay(
        _ item: Peer.Item, _ peer: inout Peer, at now: Duration
    ) {
        var item = item
        item.way += 1
        if item.way == Peer.wayCount {
            item.way = 0
            peer.recordFailure(at: now)
            return tryAgain(item, "it has no UnifiedPush connector", &peer)
        }
        putBack(item, &peer)
    }

    private mutating func tryAgain(
        _ item: Peer.Item, _ reason: String, _ peer: inout Peer
    ) {
        var item = item
        item.rounds += 1
        clients[item.client]?.trouble = reason
        if item.rounds < Self.roundLimit {
            putBack(item, &peer)
        } else {
            drop(item, reason)
        }
    }

    private mutating func drop(_ item: Peer.Item, _ reason: String) {
        clients[item.client]?.trouble = reason
        if case .message(let message) = item.content {
            act(.reject(message.channel, message: message.id))
        }
    }
}
