import Crypto
import System

/// The handshakes of one loop, on all its listeners. Only the loop's thread uses it.
final class HandshakeDesk: TimerHandler {
    /// For the records after handshakes of TLS 1.3; nil if OpenSSL keeps them.
    let ciphers: RecordCiphers?
    private let loop: EventLoop
    private let limits: HandshakeLimits
    @exclusivity(unchecked) private var turns: HandshakeTurns<HTTPConnection>
    @exclusivity(unchecked) private var turn: Instant?
    /// When the timer fires; nil if none is set.
    @exclusivity(unchecked) private var nextTurn: Instant?

    init(on loop: EventLoop, _ limits: HandshakeLimits, _ ciphers: RecordCiphers? = nil) {
        self.ciphers = ciphers
        self.loop = loop
        self.limits = limits
        turns = HandshakeTurns(limits)
    }

    /// Forgets the handshakes that wait, which hold their server and so this desk. Call it after
    /// the loop has ended.
    func forgetAll() { _ = exchange(&turns, with: HandshakeTurns(limits)) }

    /// The peer has sent something. Goes on with the handshake now, or later in its turn.
    func add(_ connection: HTTPConnection) {
        begin()
        let network = connection.peer.network
        if turns.hasRoom(for: network) { return run(connection, network) }
        connection.beginWaiting()
        let givenUp = turns.wait(connection, of: network, hasBegun: connection.hasBegunTLS)
        givenUp?.giveUp()
        callAgain()
    }

    /// It was closed while it waited.
    func remove(_ connection: HTTPConnection) {
        turns.remove(of: connection.peer.network) { $0 === connection }
    }

    func timerFired(_ cookie: UInt64) {
        if let due = nextTurn.take() {
            turns.rested(late: .nanoseconds(Instant.now.nanoseconds - due.nanoseconds))
        }
        begin()
        while let (connection, network) = turns.next() {
            connection.endWaiting()
            run(connection, network)
        }
        callAgain()
    }

    private func begin() {
        guard turn != loop.now else { return }
        turn = loop.now
        turns.beginTurn()
    }

    private func run(_ connection: HTTPConnection, _ network: UInt64) {
        let start = Instant.now
        connection.shakeHands()
        let time = Instant.now.nanoseconds - start.nanoseconds
        turns.spend(.nanoseconds(time), for: network)
    }

    private func callAgain() {
        guard nextTurn == nil, turns.count > 0 else { return }
        let (now, rest) = (Instant.now, Interval(limits.rest))
        nextTurn = now + rest
        _ = loop.schedule(after: Interval(from: loop.now, to: now + rest), self)
    }
}

extension SocketAddress {
    /// What counts as one client. All without an address count as one.
    fileprivate var network: UInt64 {
        if case .ip(let address, _) = self { address.network } else { 0 }
    }
}

package struct HandshakeLimits: Sendable {
    /// What handshakes may take of a turn, all together and those of one network, on a busy machine.
    /// The last one may take longer.
    package var all = Duration.milliseconds(1)
    package var each = Duration.microseconds(500)
    /// So many times as much where nothing else wants the processor, which is known after so many
    /// turns: the more handshakes follow each other, the less each of them costs.
    package var calm = 8
    package var calmTurns = 50
    /// How long waiting handshakes have no turn after one. A loop that never sleeps would get the
    /// processor late, as long as other programs keep the machine busy.
    package var rest = Duration.milliseconds(1)
    /// How many may wait on one loop. One that has not begun costs little more than its descriptor,
    /// and those of one network have their turn within some seconds.
    package var waiting = 8_192

    package init() {}

    init(all: Duration, each: Duration, waiting: Int = 1_024) {
        (self.all, self.each, self.waiting) = (all, each, waiting)
    }
}

/// Which TLS handshakes go on in this turn of a loop, and which wait for a later one. A value: the
/// time is passed in.
///
/// A handshake costs the server far more than its peer. So all of them get only a part of each turn,
/// those of one network half of that part, and networks take turns. What has begun comes before what
/// has not: it holds what OpenSSL needs, and needs little time. If too many wait, the newest of the
/// network with most of them is given up: a client that is alone in its network is served as long as
/// there are fewer networks than places.
struct HandshakeTurns<Waiting> {
    /// The handshakes of a network that wait, the oldest first.
    private struct Line {
        var begun: [Waiting] = []
        var fresh: [Waiting] = []

        var count: Int { begun.count + fresh.count }

        mutating func takeFirst() -> Waiting {
            begun.isEmpty ? fresh.removeFirst() : begun.removeFirst()
        }

        mutating func take(where isIt: (Waiting) -> Bool) -> Waiting? {
            if let index = fresh.firstIndex(where: isIt) { return fresh.remove(at: index) }
            return begun.firstIndex(where: isIt).map { begun.remove(at: $0) }
        }
    }

    private let limits: HandshakeLimits
    private var spent = Duration.zero
    private var spentByNetwork: [UInt64: Duration] = [:]
    private var waiting: [UInt64: Line] = [:]
    /// In the order of their turns.
    private var networks: [UInt64] = []
    private(set) var count = 0
    /// So many rests in a row were not longer than they had to be.
    private var calmTurns = 0
    private var size: Int { calmTurns < limits.calmTurns ? 1 : limits.calm }

    init(_ limits: HandshakeLimits) { self.limits = limits }

    /// The loop has rested after a turn, and goes on so much later than it wanted to. If that is long,
    /// other programs or other work of the loop have the processor.
    mutating func rested(late: Duration) {
        calmTurns = late < limits.rest / 2 ? calmTurns + 1 : 0
    }

    mutating func beginTurn() {
        spent = .zero
        spentByNetwork.removeAll(keepingCapacity: true)
    }

    /// Whether a handshake of this network may go on at once. Waiting ones come first.
    func hasRoom(for network: UInt64) -> Bool { count == 0 && hasShare(network) }

    mutating func spend(_ time: Duration, for network: UInt64) {
        spent += time
        spentByNetwork[network, default: .zero] += time
    }

    private func hasShare(_ network: UInt64) -> Bool {
        spent < limits.all * size && spentByNetwork[network, default: .zero] < limits.each * size
    }

    /// Returns what is given up for it, perhaps itself. `hasBegun`: an earlier turn was its first.
    mutating func wait(
        _ handshake: Waiting, of network: UInt64, hasBegun: Bool = false
    ) -> Waiting? {
        if waiting[network] == nil { networks.append(network) }
        if hasBegun {
            waiting[network, default: Line()].begun.append(handshake)
        } else {
            waiting[network, default: Line()].fresh.append(handshake)
        }
        count += 1
        guard count > limits.waiting else { return nil }
        var most = network
        for (other, line) in waiting where line.count > waiting[most]?.count ?? 0 { most = other }
        return take(from: most) { $0.fresh.popLast() ?? $0.begun.popLast() }
    }

    /// The next one that may go on in this turn.
    mutating func next() -> (handshake: Waiting, network: UInt64)? {
        guard let index = networks.firstIndex(where: hasShare) else { return nil }
        let network = networks.remove(at: index)
        networks.append(network)
        return take(from: network) { $0.takeFirst() }.map { ($0, network) }
    }

    /// It ended while it waited.
    mutating func remove(of network: UInt64, where isIt: (Waiting) -> Bool) {
        _ = take(from: network) { $0.take(where: isIt) }
    }

    private mutating func take(
        from network: UInt64, _ body: (inout Line) -> Waiting?
    ) -> Waiting? {
        guard var line = waiting.removeValue(forKey: network) else { return nil }
        let taken = body(&line)
        if taken != nil { count -= 1 }
        if line.count == 0 {
            networks.removeAll { $0 == network }
        } else {
            waiting[network] = line
        }
        return taken
    }
}
