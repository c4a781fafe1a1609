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
    /// Whether a timer is set.
    @exclusivity(unchecked) private var hasTurn = false

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
        let givenUp = turns.wait(connection, of: network)
        givenUp?.giveUp()
        callAgain()
    }

    /// It was closed while it waited.
    func remove(_ connection: HTTPConnection) {
        turns.remove(of: connection.peer.network) { $0 === connection }
    }

    func timerFired(_ cookie: UInt64) {
        hasTurn = false
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
        guard !hasTurn, turns.count > 0 else { return }
        hasTurn = true
        let spent = Duration.nanoseconds(Instant.now.nanoseconds - loop.now.nanoseconds)
        _ = loop.schedule(after: Interval(spent + limits.rest), self)
    }
}

extension SocketAddress {
    /// What counts as one client. All without an address count as one.
    fileprivate var network: UInt64 {
        if case .ip(let address, _) = self { address.network } else { 0 }
    }
}

package struct HandshakeLimits: Sendable {
    /// What handshakes may take of a turn, all together and those of one network. The last one may
    /// take longer.
    package var all = Duration.milliseconds(1)
    package var each = Duration.microseconds(500)
    /// How long waiting handshakes have no turn after one. A loop that never sleeps would get the
    /// processor late, as long as other programs keep the machine busy.
    package var rest = Duration.milliseconds(1)
    /// How many may wait on one loop.
    package var waiting = 1_024

    package init() {}

    init(all: Duration, each: Duration, waiting: Int = 1_024) {
        (self.all, self.each, self.waiting) = (all, each, waiting)
    }
}

/// Which TLS handshakes go on in this turn of a loop, and which wait for a later one. A value: the
/// time is passed in.
///
/// A handshake costs the server far more than its peer. So all of them get only a part of each turn,
/// those of one network half of that part, and networks take turns. If too many wait, the newest of
/// the network with most of them is given up: a client that is alone in its network is served as
/// long as there are fewer networks than places.
struct HandshakeTurns<Waiting> {
    private let limits: HandshakeLimits
    private var spent = Duration.zero
    private var spentByNetwork: [UInt64: Duration] = [:]
    /// The handshakes that wait, by network, the oldest first; and the networks in the order of
    /// their turns.
    private var waiting: [UInt64: [Waiting]] = [:]
    private var networks: [UInt64] = []
    private(set) var count = 0

    init(_ limits: HandshakeLimits) { self.limits = limits }

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
        spent < limits.all && spentByNetwork[network, default: .zero] < limits.each
    }

    /// Returns what is given up for it, perhaps itself.
    mutating func wait(_ handshake: Waiting, of network: UInt64) -> Waiting? {
        if waiting[network] == nil { networks.append(network) }
        waiting[network, default: []].append(handshake)
        count += 1
        guard count > limits.waiting else { return nil }
        var most = network
        for (other, list) in waiting where list.count > waiting[most]?.count ?? 0 { most = other }
        return take(from: most) { $0.popLast() }
    }

    /// The next one that may go on in this turn: the oldest of a network.
    mutating func next() -> (handshake: Waiting, network: UInt64)? {
        guard let index = networks.firstIndex(where: hasShare) else { return nil }
        let network = networks.remove(at: index)
        networks.append(network)
        return take(from: network) { $0.removeFirst() }.map { ($0, network) }
    }

    /// It ended while it waited.
    mutating func remove(of network: UInt64, where isIt: (Waiting) -> Bool) {
        guard let index = waiting[network]?.firstIndex(where: isIt) else { return }
        _ = take(from: network) { $0.remove(at: index) }
    }

    private mutating func take(
        from network: UInt64, _ body: (inout [Waiting]) -> Waiting?
    ) -> Waiting? {
        guard var list = waiting.removeValue(forKey: network) else { return nil }
        let taken = body(&list)
        if taken != nil { count -= 1 }
        if list.isEmpty {
            networks.removeAll { $0 == network }
        } else {
            waiting[network] = list
        }
        return taken
    }
}
