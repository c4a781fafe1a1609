import Base
package import DeliveryModel
package import Desktop
import WebPush

/// The distributor between two applications and a link, all of which do what they like.
package struct DistributorPlay: Play {
    package enum Event: Sendable {
        case register(Int)
        case unregister(Int)
        case endpoint(Int)
        case refuse(Int)
        /// `seconds`: its life; nil means now or never.
        case push(Int, seconds: Int64?)
        /// The link offers a message again.
        case repeatPush(Int)
        case withdraw(Int)
        case appear(Int)
        case vanish(Int)
        case answer(Int, ConnectorOutcome)
        case mute(Int, Bool)
        case woken
        case pass(milliseconds: Int64)
        case passToTick
        case restart
    }

    package static let name = "distributor"
    package static let alphabet: [Event] = [
        .register(0), .unregister(0), .endpoint(0), .push(0, seconds: 3_600), .appear(0),
        .vanish(0), .answer(0, .taken), .answer(0, .unreachable("it is not running")),
        .passToTick, .restart,
    ]

    package static func draw(_ dice: inout Dice) -> Event {
        let slot = dice.roll(DistributorHall.tokens)
        let service = dice.roll(DistributorHall.services.count)
        switch dice.roll(50) {
        case 0..<4: return .register(slot)
        case 4: return .unregister(slot)
        case 5..<9: return .endpoint(slot)
        case 9: return dice.hits(4) ? .refuse(slot) : .woken
        case 10..<18: return .push(slot, seconds: [nil, 10, 600, 3_600, 86_400][dice.roll(5)])
        case 18: return .repeatPush(slot)
        case 19: return .withdraw(slot)
        case 20..<25: return .appear(service)
        case 25..<27: return .vanish(service)
        case 27..<40: return .answer(service, outcome(&dice))
        case 40: return .mute(service, dice.hits(2))
        case 41..<43: return .pass(milliseconds: [10, 1_000, 6_000, 100_000][dice.roll(4)])
        case 43..<48: return .passToTick
        case 48: return dice.hits(3) ? .restart : .woken
        default: return .appear(service)
        }
    }

    private static func outcome(_ dice: inout Dice) -> ConnectorOutcome {
        switch dice.roll(16) {
        case 0..<10: .taken
        case 10, 11: .unreachable("it ended without answering")
        case 12, 13: .unsupported
        case 14: .failed
        default: dice.hits(3) ? .refused : .failed
        }
    }

    var distributor = Distributor()
    var hall = DistributorHall()
    package var finding: String?

    package init() {}

    mutating func fail(_ text: String) { finding = finding ?? text }

    var moment: Distributor.Moment {
        Distributor.Moment(
            boot: hall.now, wall: 1_700_000_000 + hall.now.components.seconds)
    }

    package mutating func happen(_ event: Event) {
        switch event {
        case .register(let slot): register(slot)
        case .unregister(let slot): unregister(slot)
        case .endpoint(let slot): giveEndpoint(to: slot)
        case .refuse(let slot): refuse(slot)
        case .push(let slot, let seconds):
            guard let message = hall.makeMessage(slot, seconds) else { break }
            hear { $0.received(message, at: $1) }
        case .repeatPush(let slot):
            guard let message = hall.offered(slot) else { break }
            hear { $0.received(message, at: $1) }
        case .withdraw(let slot): withdraw(slot)
        case .appear(let service): appear(service)
        case .vanish(let service): vanish(service)
        case .answer(let service, let outcome): answer(service, outcome)
        case .mute(let service, let isMuted): mute(service, isMuted)
        case .woken: hear { $0.woken(at: $1) }
        case .pass(let milliseconds): pass(.milliseconds(milliseconds))
        case .passToTick:
            if let tick = distributor.nextTick { pass(max(tick - hall.now, .zero)) }
        case .restart: restart()
        }
        check()
    }

    private mutating func hear(_ event: (inout Distributor, Distributor.Moment) -> Void) {
        event(&distributor, moment)
        perform()
    }

    private mutating func register(_ slot: Int) {
        let channel = hall.nextChannel()
        let call = hall.nextCall(slot)
        let key = DistributorHall.key(slot)
        if hall.clients[slot] == nil {
            hall.clients[slot] = DistributorHall.Client(channel: channel)
        } else {
            hall.clients[slot]?.isExcused = false
        }
        distributor.register(
            RegisterCall(
                key: key, service: DistributorHall.service(of: slot), description: "",
                applicationKey: nil, version: .two, channel: channel), call: call, at: moment)
        perform()
    }

    private mutating func unregister(_ slot: Int) {
        let isKnown = hall.clients[slot] != nil
        hall.end(slot)
        distributor.unregister(
            DistributorHall.key(slot), from: ":1.9", version: .two, at: moment)
        perform()
        if isKnown, hall.linked.contains(where: { $0.slot == slot }) {
            fail("the link still has the channel of an application that has unregistered")
        }
    }

    private mutating func giveEndpoint(to slot: Int) {
        guard let client = hall.clients[slot] else { return }
        let endpoint = "https://push.example/\(hall.nextNumber())"
        hall.clients[slot]?.endpoint = endpoint
        hall.clients[slot]?.isExcused = false
        hear { $0.obtained(endpoint, for: client.channel, at: $1) }
    }

    private mutating func refuse(_ slot: Int) {
        guard let client = hall.clients[slot], client.endpoint == nil else { return }
        hall.end(slot)
        hear { $0.refused(client.channel, .internal, at: $1) }
    }

    private mutating func withdraw(_ slot: Int) {
        guard let client = hall.clients[slot], let message = hall.offered(slot) else { return }
        hall.messages[message.id]?.isWithdrawn = true
        hear { machine, _ in machine.withdrawn(client.channel, message: message.id) }
    }

    private mutating func appear(_ service: Int) {
        guard hall.isWatched[service] else { return }
        let owner = hall.owners[service]
        guard owner == nil || !hall.isKnown[service] else { return }
        hall.owners[service] = owner ?? ":1.\(hall.nextNumber())"
        hall.isKnown[service] = true
        hall.shorten(service)
        distributor.ownerChanged(
            of: DistributorHall.services[service], to: hall.owners[service], at: moment)
        perform()
    }

    private mutating func vanish(_ service: Int) {
        guard hall.isWatched[service] else { return }
        hall.owners[service] = nil
        hall.isKnown[service] = true
        distributor.ownerChanged(of: DistributorHall.services[service], to: nil, at: moment)
        perform()
    }

    mutating func answer(_ service: Int, _ outcome: ConnectorOutcome) {
        guard let flight = hall.flights.first(where: { $0.service == service }) else { return }
        hall.land(flight, outcome)
        distributor.answered(flight.id, outcome, at: moment)
        perform()
        if let id = flight.message, outcome == .taken, hall.isLive(id) {
            fail("a message was taken and is not acknowledged")
        }
    }

    private mutating func mute(_ service: Int, _ isMuted: Bool) {
        let name = DistributorHall.services[service]
        for slot in hall.clients.keys where DistributorHall.service(of: slot) == name {
            hall.clients[slot]?.isMuted = isMuted
        }
        _ = distributor.setMuted(isMuted, name, at: moment)
        perform()
    }

    mutating func pass(_ time: Duration) {
        let end = hall.now + time
        var steps = 0
        while let tick = distributor.nextTick, tick <= end {
            hall.now = max(hall.now, tick)
            hall.expireFlights()
            distributor.tick(at: moment)
            perform()
            steps += 1
            if steps > 1_000 { return fail("it always wants to be called again at once") }
        }
        hall.now = end
    }

    /// The desktop is killed. Only what was saved is known afterwards.
    private mutating func restart() {
        hall.restart()
        distributor = Distributor()
        distributor.load(hall.saved.values.sorted { $0.key.token < $1.key.token })
        perform()
        // The link gives what differs from the saved endpoints, and all messages again.
        for (slot, client) in hall.clients.sorted(by: { $0.key < $1.key }) {
            if let endpoint = client.endpoint, endpoint != hall.saved["\(slot)"]?.endpoint {
                hear { $0.obtained(endpoint, for: client.channel, at: $1) }
            }
            for message in hall.live(slot) { hear { $0.received(message.pushed, at: $1) } }
        }
    }
}
