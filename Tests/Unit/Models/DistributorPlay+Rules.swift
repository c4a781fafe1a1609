import Desktop
import WebPush

/// Judges what the distributor does.
extension DistributorPlay {
    /// Applications stop waiting for `Register` after this time.
    private static let answerLimit = Duration.seconds(25)
    /// At most one start in this time.
    private static let startPause = Duration.seconds(5)

    mutating func perform() {
        for action in distributor.takeActions() {
            switch action {
            case .answer(let call, _):
                if hall.calls.removeValue(forKey: call) == nil {
                    fail("a call of Register is answered twice")
                }
            case .call(let id, let call): called(id, call)
            case .register(let channel, _, _): registered(channel)
            case .unregister(let channel): unregistered(channel)
            case .acknowledge(_, let id): acknowledged(id)
            case .reject(_, let id): reject(id)
            case .save(let record): hall.saved[record.key.token] = record
            case .forget(let key): hall.saved[key.token] = nil
            case .watch(let name): watch(name, true)
            case .unwatch(let name): watch(name, false)
            case .fetched: break
            }
        }
    }

    private mutating func watch(_ name: String, _ isWatched: Bool) {
        guard let service = DistributorHall.services.firstIndex(of: name) else { return }
        if hall.isWatched[service] == isWatched { fail("a name is watched or left twice") }
        hall.isWatched[service] = isWatched
        hall.isKnown[service] = false
        if !isWatched { hall.lastStart[service] = nil }
    }

    private mutating func called(_ id: UInt64, _ call: ConnectorCall) {
        if case .unregistered = call.content { return }
        guard let service = DistributorHall.services.firstIndex(of: call.destination),
            let slot = Int(call.token), let client = hall.clients[slot],
            DistributorHall.number(ofSlot: slot) == service
        else { return fail("a program is called that has no such registration") }
        judgeStart(service, call.startsService)
        var message: String?
        var endpoint: String?
        switch call.content {
        case .message(_, let text):
            message = text
            judge(text, slot, client, service)
        case .endpoint(let text):
            endpoint = text
            if text != client.endpoint { fail("an application gets an endpoint of the past") }
        case .unregistered: break
        }
        hall.flights.append(
            DistributorHall.Flight(
                id: id, service: service, slot: slot, channel: client.channel, message: message,
                endpoint: endpoint,
                isStart: call.startsService, version: call.version,
                deadline: hall.now
                    + (call.startsService
                        ? DistributorHall.Flight.startPause
                        : DistributorHall.Flight.pause(call.version))))
    }

    private mutating func judgeStart(_ service: Int, _ isStart: Bool) {
        guard hall.isKnown[service] else { return fail("it calls before it knows who runs") }
        if isStart != (hall.owners[service] == nil) {
            fail("a running application is started, or one that does not run is called")
        }
        guard isStart else { return }
        if hall.flights.contains(where: { $0.service == service && $0.isStart }) {
            fail("two starts of an application at once")
        }
        if let last = hall.lastStart[service], hall.now - last < Self.startPause {
            fail("an application is started too often")
        }
        hall.lastStart[service] = hall.now
    }

    private mutating func judge(
        _ id: String, _ slot: Int, _ client: DistributorHall.Client, _ service: Int
    ) {
        guard let message = hall.messages[id], message.slot == slot else {
            return fail("a message goes to an application that it is not for")
        }
        if !hall.isLive(id) { fail("a message is delivered that has come to its end") }
        if message.isTaken { fail("a message is delivered again after it was taken") }
        if client.isMuted { fail("a muted application gets a message") }
        if let deadline = message.pushed.deadline, deadline <= hall.now {
            fail("a message is delivered after its end")
        }
        if client.taken == nil || client.taken != client.endpoint, !client.isExcused {
            fail("a message is delivered before the endpoint")
        }
        if hall.flights.contains(where: { $0.service == service && $0.message != nil }) {
            fail("an application gets two messages at once")
        }
        let isEarlier = hall.live(slot).contains {
            $0.number < message.number && ($0.pushed.deadline.map { $0 > hall.now } ?? false)
        }
        if isEarlier { fail("a message overtakes another") }
    }

    private mutating func registered(_ channel: ChannelID) {
        guard let slot = hall.clients.first(where: { $0.value.channel == channel })?.key else {
            return fail("the link gets a channel that nobody registered")
        }
        if hall.linked.contains(where: { $0.channel == channel }) {
            fail("the link gets a channel twice")
        }
        hall.linked.append((channel, slot))
    }

    private mutating func unregistered(_ channel: ChannelID) {
        if hall.clients.values.contains(where: { $0.channel == channel }) {
            fail("the link loses a channel that is in use")
        }
        hall.linked.removeAll { $0.channel == channel }
    }

    private mutating func acknowledged(_ id: String) {
        guard let message = hall.messages[id], message.isTaken else {
            return fail("a message is acknowledged that nobody took")
        }
        if message.isRejected { fail("a message is acknowledged after it was rejected") }
        hall.messages[id]?.isAcknowledged = true
    }

    private mutating func reject(_ id: String) {
        guard let message = hall.messages[id] else { return }
        let deadline = message.pushed.deadline
        let isExpired = deadline.map { $0 <= hall.now } ?? true
        if message.isTaken { fail("a message is rejected although it was taken") }
        if !isExpired, !message.hasFailed, !message.isWithdrawn {
            fail("a message is rejected that the application could still take")
        }
        hall.messages[id]?.isRejected = true
    }

    mutating func check() {
        for began in hall.calls.values where hall.now - began > Self.answerLimit {
            fail("a call of Register is not answered in time")
        }
        if hall.linked.count != hall.clients.count {
            fail("the link has other channels than there are registrations")
        }
    }

    /// Both applications run, take everything, and the link is well.
    package mutating func settle() {
        for service in DistributorHall.services.indices {
            happen(.appear(service))
            happen(.mute(service, false))
        }
        for slot in hall.clients.keys.sorted() where hall.clients[slot]?.endpoint == nil {
            happen(.endpoint(slot))
        }
        happen(.woken)
        var steps = 0
        while finding == nil, steps < 2_000 {
            steps += 1
            if let flight = hall.flights.first {
                happen(.answer(flight.service, .taken))
            } else if distributor.nextTick != nil {
                happen(.passToTick)
            } else {
                break
            }
        }
        if steps == 2_000 { fail("it never comes to rest") }
        for (slot, client) in hall.clients where finding == nil {
            if client.taken != client.endpoint, !client.isExcused {
                fail("an application has an old endpoint")
            }
            let left = hall.live(slot).first { $0.pushed.deadline.map { $0 > hall.now } ?? false }
            if left != nil { fail("a message was not delivered although its application runs") }
        }
        if finding == nil, !hall.calls.isEmpty { fail("a call of Register is never answered") }
    }

    package struct State: Hashable {
        let clients: [[Int]]
        let services: [[Int]]
        let calls: Int
    }

    package var state: State {
        let clients = (0..<DistributorHall.tokens).map { slot -> [Int] in
            guard let client = hall.clients[slot] else { return [] }
            let live = hall.live(slot)
            return [
                client.endpoint == nil
                    ? 0
                    : client.taken == nil
                        ? 1
                        : client.taken == client.endpoint ? 2 : 3,
                client.isMuted ? 1 : 0, min(live.count, 4),
                live.contains { $0.pushed.deadline == nil } ? 1 : 0,
                live.contains { $0.hasFailed } ? 1 : 0,
            ]
        }
        let services = DistributorHall.services.indices.map { service -> [Int] in
            let flights = hall.flights.filter { $0.service == service }
            return [
                hall.owners[service] == nil ? 0 : 1, hall.isKnown[service] ? 1 : 0,
                hall.isWatched[service] ? 1 : 0, flights.count,
                flights.contains { $0.message != nil } ? 1 : 0,
                flights.contains { $0.isStart } ? 1 : 0,
                hall.lastStart[service].map { hall.now - $0 < Self.startPause ? 2 : 1 } ?? 0,
            ]
        }
        return State(clients: clients, services: services, calls: min(hall.calls.count, 3))
    }
}
