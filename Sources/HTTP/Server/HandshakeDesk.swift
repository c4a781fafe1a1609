import Reactor

/// The handshakes of one loop, on all its listeners. Only the loop's thread uses it.
final class HandshakeDesk: TimerHandler {
    private let loop: EventLoop
    private let limits: HandshakeLimits
    @exclusivity(unchecked) private var turns: HandshakeTurns<HTTPConnection>
    @exclusivity(unchecked) private var turn: Instant?
    /// Whether a timer is set.
    @exclusivity(unchecked) private var hasTurn = false

    init(on loop: EventLoop, _ limits: HandshakeLimits) {
        self.loop = loop
        self.limits = limits
        turns = HandshakeTurns(limits)
    }

    /// Lets go of those that wait, whose server holds this. Call it after the loop has ended.
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
