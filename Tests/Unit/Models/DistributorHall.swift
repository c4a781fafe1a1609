import Base
import Desktop
import WebPush

/// What applications, bus, link and disk know, as plain lists.
struct DistributorHall {
    struct Client {
        let channel: ChannelID
        /// What the link gave, and what the application took last.
        var endpoint: String?
        var taken: String?
        var isMuted = false
        /// The application could not take the endpoint, so it may be left without.
        var isExcused = false
    }

    struct Message {
        let pushed: PushedMessage
        let slot: Int
        let number: Int
        var isWithdrawn = false
        var isAcknowledged = false
        var isRejected = false
        /// An application took it.
        var isTaken = false
        /// An application answered that it cannot have it.
        var hasFailed = false
    }

    struct Flight {
        let id: UInt64
        let service: Int
        let slot: Int
        let channel: ChannelID
        let message: String?
        let endpoint: String?
        let isStart: Bool
        let version: ConnectorVersion
        /// When the distributor stops waiting for the answer.
        var deadline: Duration

        /// Applications of the first generation need not answer.
        static func pause(_ version: ConnectorVersion) -> Duration {
            .seconds(version == .one ? 25 : 300)
        }
        static let startPause = Duration.seconds(150)
    }

    static let tokens = 3
    static let services = ["org.example.One", "org.example.Two"]

    static func key(_ slot: Int) -> ClientKey { ClientKey(sandbox: "", token: "\(slot)") }
    /// Two registrations belong to the first application.
    static func service(of slot: Int) -> String { services[number(ofSlot: slot)] }
    static func number(ofSlot slot: Int) -> Int { slot == 2 ? 1 : 0 }

    var now = Duration.seconds(1_000)
    var clients: [Int: Client] = [:]
    var messages: [String: Message] = [:]
    var flights: [Flight] = []
    var owners: [String?] = [nil, nil]
    /// The bus has said who owns the name.
    var isKnown = [false, false]
    var isWatched = [false, false]
    /// When the bus last had to start the application.
    var lastStart: [Duration?] = [nil, nil]
    /// Calls of `Register` without an answer.
    var calls: [UInt64: Duration] = [:]
    /// Channels that the link has.
    var linked: [(channel: ChannelID, slot: Int)] = []
    var saved: [String: ClientRecord] = [:]
    private var number = 0

    mutating func nextNumber() -> Int {
        number += 1
        return number
    }

    mutating func nextChannel() -> ChannelID {
        ChannelID(Bits128(high: 0, low: UInt64(nextNumber())))
    }

    mutating func nextCall(_ slot: Int) -> UInt64 {
        let call = UInt64(nextNumber())
        calls[call] = now
        return call
    }

    /// A message of the link for a registration that has an endpoint.
    mutating func makeMessage(_ slot: Int, _ seconds: Int64?) -> PushedMessage? {
        guard let client = clients[slot], client.endpoint != nil else { return nil }
        let number = nextNumber()
        let message = PushedMessage(
            channel: client.channel, id: "m\(number)", body: [],
            deadline: seconds.map { now + .seconds($0) })
        messages[message.id] = Message(pushed: message, slot: slot, number: number)
        return message
    }

    func isLive(_ id: String) -> Bool {
        guard let message = messages[id] else { return false }
        return !message.isAcknowledged && !message.isRejected && !message.isWithdrawn
    }

    /// The messages of a registration that the link still has.
    func live(_ slot: Int) -> [Message] {
        messages.values.filter { $0.slot == slot && isLive($0.pushed.id) }
            .sorted { $0.number < $1.number }
    }

    func offered(_ slot: Int) -> PushedMessage? { live(slot).first?.pushed }

    mutating func end(_ slot: Int) {
        clients[slot] = nil
        for id in messages.keys where messages[id]?.slot == slot {
            messages[id]?.isWithdrawn = true
        }
    }

    mutating func land(_ flight: Flight, _ outcome: ConnectorOutcome) {
        flights.removeAll { $0.id == flight.id }
        if let id = flight.message {
            switch outcome {
            case .taken: messages[id]?.isTaken = true
            case .unreachable:
                if messages[id]?.pushed.deadline == nil { messages[id]?.hasFailed = true }
            case .unsupported, .failed, .refused: messages[id]?.hasFailed = true
            }
        } else if clients[flight.slot]?.channel == flight.channel {
            switch outcome {
            case .taken: clients[flight.slot]?.taken = flight.endpoint
            case .unsupported, .failed, .refused: clients[flight.slot]?.isExcused = true
            case .unreachable: break
            }
        }
    }

    /// The application runs: from now on it has as long as any other.
    mutating func shorten(_ service: Int) {
        for index in flights.indices where flights[index].service == service {
            let most = now + Flight.pause(flights[index].version)
            flights[index].deadline = min(flights[index].deadline, most)
        }
    }

    /// A running application of the first generation that does not answer has the message.
    mutating func expireFlights() {
        for flight in flights where flight.deadline <= now {
            let isTaken = flight.version == .one && owners[flight.service] != nil
            land(flight, isTaken ? .taken : .unreachable(""))
        }
    }

    /// The desktop is killed. Messages that could not wait are gone.
    mutating func restart() {
        (flights, calls, linked) = ([], [:], [])
        isWatched = [false, false]
        lastStart = [nil, nil]
        for slot in clients.keys {
            guard let record = saved["\(slot)"], record.channel == clients[slot]?.channel else {
                end(slot)
                continue
            }
            clients[slot]?.isMuted = record.isMuted
        }
        for id in messages.keys where messages[id]?.pushed.deadline == nil {
            messages[id]?.isWithdrawn = true
        }
    }
}
