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
        turns = Self.noTurns(limits)
    }

    private static func noTurns(_ limits: HandshakeLimits) -> HandshakeTurns<HTTPConnection> {
        HandshakeTurns(limits) { $0.waitsForTurn }
    }

    /// Forgets the handshakes that wait, which hold their server and so this desk. Call it after
    /// the loop has ended.
    func forgetAll() { _ = exchange(&turns, with: Self.noTurns(limits)) }

    /// The peer has sent something. Goes on with the handshake now, or later in its turn.
    func add(_ connection: HTTPConnection) {
        begin()
        let network = connection.peer.network
        if turns.hasRoom(for: network) { return run(connection, network) }
        connection.beginWaiting()
        let givenUp = turns.wait(connection, of: network, hasBegun: connection.isShakingHands)
        givenUp?.giveUp()
        callAgain()
    }

    /// OpenSSL has something for a connection.
    func handshakeBegan() { turns.unfinished += 1 }

    /// It is over, or the connection is.
    func handshakeEnded() { turns.unfinished -= 1 }

    /// It was closed while it waited, and waits no more.
    func leave(_ connection: HTTPConnection) { turns.leave(connection.peer.network) }

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
