import Base
package import DeliveryModel
import Desktop
package import WebPush

/// The link of a desktop to a receiver that answers, fails, forgets and closes as it likes.
package struct LinkPlay: Play {
    package enum Event: Sendable {
        case register(Int)
        /// The application registers again, and knows its endpoint.
        case registerAgain(Int)
        case unregister(Int)
        /// The receiver accepts the connection, or answers hello.
        case welcome
        /// It answers the oldest request.
        case answer(status: Int)
        /// It handles all requests, and the connection is lost before it answers.
        case loseAnswers
        case close(pause: Int64)
        case closeForGood
        /// It sends something that is no message.
        case rubbish
        /// It loses its store and its connections; the next hello gives a new name.
        case forget
        case message(Int)
        case finish(Bool)
        case pong
        case wake
        case urgency(Urgency)
        case pass(milliseconds: Int64)
        case passToDeadline
        case restart
    }

    package static let name = "link"
    package static let alphabet: [Event] = [
        .register(0), .unregister(0), .welcome, .answer(status: 200), .answer(status: 500),
        .loseAnswers, .forget, .passToDeadline, .restart, .closeForGood,
    ]

    package static func draw(_ dice: inout Dice) -> Event {
        let slot = dice.roll(LinkHall.slots)
        switch dice.roll(48) {
        case 0..<4: return .register(slot)
        case 4: return .registerAgain(slot)
        case 5..<8: return .unregister(slot)
        case 8..<16: return .welcome
        case 16..<25: return .answer(status: 200)
        case 25: return .answer(status: [401, 409, 500, 503][dice.roll(4)])
        case 26: return .loseAnswers
        case 27, 28: return .close(pause: [0, 0, 2, 60, 100_000][dice.roll(5)])
        case 29: return dice.hits(3) ? .closeForGood : .rubbish
        case 30: return dice.hits(3) ? .forget : .pong
        case 31..<34: return .message(slot)
        case 34..<37: return .finish(dice.hits(2))
        case 37: return .wake
        case 38: return .urgency([.veryLow, .low, .normal, .high][dice.roll(4)])
        case 39..<41: return .pass(milliseconds: [1, 700, 5_000, 90_000][dice.roll(4)])
        case 41..<46: return .passToDeadline
        default: return dice.hits(3) ? .restart : .pong
        }
    }

    var link: Link
    var hall = LinkHall()
    var receiver = LinkReceiver()
    var now = Duration.seconds(1_000)
    /// The receiver asked for no connection before this time.
    var holdUntil = Duration.zero
    /// The receiver asked for no connection at all.
    var isToldToStay = false
    var isWoken = false
    var lastPing: Duration?
    package var finding: String?

    package init() {
        link = Link(userAgent: nil)
        act { $0.start() }
    }

    mutating func fail(_ text: String) { finding = finding ?? text }

    package mutating func happen(_ event: Event) {
        switch event {
        case .register(let slot): register(slot)
        case .registerAgain(let slot):
            guard let channel = hall.channels[slot] else { break }
            let known = hall.endpoints[channel]
            if known == nil { isToldToStay = false }
            isWoken = known == nil
            act { link, now in link.register(channel, key: nil, known: known, at: now) }
            isWoken = false
        case .unregister(let slot): unregister(slot)
        case .welcome: welcome()
        case .answer(let status): answer(status)
        case .loseAnswers:
            guard receiver.place.isUp else { break }
            while receiver.handleNext(status: 200) != nil {}
            close()
        case .close(let pause): if receiver.place != .away { close(pause: .seconds(pause)) }
        case .closeForGood: if receiver.place.isUp { close(isFinal: true) }
        case .rubbish: if receiver.place.isUp { hear("[]") }
        case .forget:
            if receiver.place != .away { close() }
            receiver.forget()
        case .message(let slot): push(slot)
        case .finish(let isDelivered): finish(isDelivered)
        case .pong: if receiver.owesPong { hear("{}") }
        case .wake:
            (isToldToStay, holdUntil) = (false, .zero)
            act { $0.wake(at: $1) }
        case .urgency(let least): act { link, _ in link.setLeastUrgency(least) }
        case .pass(let milliseconds): pass(.milliseconds(milliseconds))
        case .passToDeadline: if let deadline = link.deadline { pass(max(deadline - now, .zero)) }
        case .restart: restart()
        }
        check()
    }

    mutating func act(_ body: (inout Link, Duration) -> Void) {
        body(&link, now)
        perform()
    }

    private mutating func act(_ body: (inout Link) -> Void) { act { link, _ in body(&link) } }

    private mutating func register(_ slot: Int) {
        guard hall.channels[slot] == nil else { return }
        let channel = hall.open(slot)
        // Who has just registered wants a connection, whatever the receiver asked before.
        isWoken = isToldToStay
        isToldToStay = false
        act { $0.register(channel, key: nil, known: nil, at: $1) }
        isWoken = false
    }

    private mutating func unregister(_ slot: Int) {
        guard let channel = hall.close(slot) else { return }
        act { $0.unregister(channel, at: $1) }
    }

    private mutating func welcome() {
        switch receiver.place {
        case .away, .greeted: break
        case .dialled:
            receiver.place = .up
            act { $0.opened(at: $1) }
        case .up:
            guard let name = receiver.greet() else { break }
            if name != hall.greetedAs { hall.unsent = [] }
            hall.greetedAs = name
            hear(receiver.hello(name))
            if receiver.place == .greeted, !hall.unsent.isEmpty {
                fail("finished messages are not acknowledged after hello")
            }
        }
    }

    private mutating func answer(_ status: Int) {
        guard receiver.place == .greeted, let text = receiver.handleNext(status: status) else {
            return
        }
        hall.expected = receiver.lastAnswer
        hear(text)
        hall.expected = nil
    }

    private mutating func hear(_ text: String) {
        receiver.owesPong = false
        let bytes = Array(text.utf8)
        _ = link.received(bytes.span, at: now, chance: 0.5)
        perform()
    }

    private mutating func push(_ slot: Int) {
        guard receiver.place == .greeted, let channel = hall.channels[slot],
            receiver.endpoint(of: channel) != nil
        else { return }
        let version = hall.nextVersion()
        let bytes = Array(LinkReceiver.notification(channel, version).utf8)
        receiver.owesPong = false
        let arrival = link.received(bytes.span, at: now, chance: 0.5)
        perform()
        guard case .notification(let message)? = arrival, message.version == version,
            message.channel == channel
        else { return fail("a message does not arrive") }
        hall.unfinished.append((channel, version))
    }

    private mutating func finish(_ isDelivered: Bool) {
        guard !hall.unfinished.isEmpty else { return }
        let (channel, version) = hall.unfinished.removeFirst()
        hall.unsent.append((channel, version))
        act { link, _ in
            link.acknowledge(channel, version: version, isDelivered: isDelivered)
        }
        if receiver.place == .greeted, !hall.unsent.isEmpty {
            fail("a finished message is not acknowledged at once")
        }
    }

    private mutating func close(pause: Duration = .zero, isFinal: Bool = false) {
        receiver.hangUp()
        holdUntil = now + min(pause, .seconds(3_600))
        isToldToStay = isFinal
        act { $0.closed(at: $1, chance: 0.5, pause: pause, isFinal: isFinal) }
    }

    private mutating func pass(_ time: Duration) {
        let end = now + time
        var steps = 0
        while let deadline = link.deadline, deadline <= end {
            now = max(now, deadline)
            act { $0.elapsed(at: $1, chance: 0.5) }
            steps += 1
            if steps > 1_000 { return fail("it always wants to be called again at once") }
        }
        now = end
    }

    private mutating func restart() {
        receiver.hangUp()
        (holdUntil, isToldToStay) = (.zero, false)
        hall.restart()
        link = Link(userAgent: hall.name, ended: Array(hall.ended))
        for channel in hall.channels.compactMap(\.self) {
            let known = hall.endpoints[channel]
            act { $0.register(channel, key: nil, known: known, at: $1) }
        }
        act { $0.start() }
    }
}
