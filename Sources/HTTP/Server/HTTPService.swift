import Base
import Crypto
import Synchronization
package import System

/// A server on one loop: it accepts connections and holds what they share.
///
/// From `start` on, only the thread of its loop uses it.
package final class HTTPService: ConnectionHandler {
    package struct Limits: Sendable {
        package var http = HTTPLimits()
        package var patience = HTTP1Patience()
        package var patience2 = HTTP2Patience()
        package var handshake = Duration.seconds(10)
        package var handshakes = HandshakeLimits()
        /// With more connections than this a listener closes new ones at once.
        package var connections = 50_000
        /// So many of a loop may linger after their end. They count in no other limit.
        var lingering = 1_000
        /// How many bytes of unanswered bodies one connection may hold, and all together. A request
        /// that does not fit is answered with 503.
        package var heldBytesPerConnection = 1024 * 1024
        package var heldBytes = 256 * 1024 * 1024

        package init() {}
    }

    let loop: EventLoop
    let handler: any HTTPHandler
    let limits: Limits
    /// One buffer for all connections: nothing stays in it between two events. Its size is also
    /// what one read handles before others get their turn.
    let scratch = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 16 * 1024)
    let frameBuffers = HTTP2FrameBuffers()
    @exclusivity(unchecked) var pool = HeadPool()
    @exclusivity(unchecked) var terms: HTTPListenerTerms
    let budget: MemoryBudget
    @exclusivity(unchecked) var access: HTTPAccess.Report?
    let figures: HTTPFigures
    @exclusivity(unchecked) private var dateText: [UInt8] = []
    @exclusivity(unchecked) private var dateLineText: [UInt8] = []
    /// The time until which `dateText` is right, by the clock of the loop.
    @exclusivity(unchecked) private var dateEnd = Instant(nanoseconds: .min)
    @exclusivity(unchecked) private(set) var connectionCount = 0
    let sendQueue: SendQueue
    /// It is shared by all services on the loop.
    let handshakes: HandshakeDesk
    private let heapTrimmer: HeapTrimmer
    private let report: HTTPTrouble.Report

    init(
        on loop: EventLoop, _ terms: HTTPListenerTerms, limits: Limits, _ budget: MemoryBudget,
        _ handshakes: HandshakeDesk, _ handler: any HTTPHandler, _ figures: HTTPFigures,
        report: @escaping HTTPTrouble.Report, access: HTTPAccess.Report?
    ) {
        self.figures = figures
        self.report = { trouble in
            figures.countTrouble(trouble)
            report(trouble)
        }
        self.access = access
        self.loop = loop
        sendQueue = SendQueue(on: loop)
        heapTrimmer = HeapTrimmer(on: loop)
        self.terms = terms
        self.limits = limits
        self.budget = budget
        self.handshakes = handshakes
        self.handler = handler
        scratch.initialize(repeating: 0)
    }

    deinit { scratch.deallocate() }

    /// The time of this turn.
    var now: Duration { .nanoseconds(loop.now.nanoseconds) }

    package func accepted(
        _ socket: consuming Socket, from peer: SocketAddress, by listener: Listener
    ) {
        guard connectionCount < limits.connections else {
            return report(.tooManyConnections(listener.address))
        }
        if terms.certificates == nil {
            HTTPConnection(Transport(plain: socket), peer, self).start()
        } else {
            HTTPConnection(Transport(encrypted: socket), peer, self).start()
        }
    }

    package func cannotAccept(_ reason: SystemError, by listener: Listener) {
        report(.cannotAccept(listener.address, reason))
    }

    /// The deadline for what the peer of a handshake sends next. It counts from this moment and not
    /// from the beginning of the turn, in which many others may have shaken hands before.
    func handshakeDeadline() -> Duration {
        .nanoseconds(Instant.now.nanoseconds) + limits.handshake
    }

    /// The field Date for all answers of this second.
    var date: [UInt8] {
        renewDate()
        return dateText
    }

    /// Its line in HTTP/1.1.
    var dateLine: [UInt8] {
        renewDate()
        return dateLineText
    }

    private func renewDate() {
        guard loop.now >= dateEnd else { return }
        let seconds = WallClock.now
        dateText = Array(CivilTime(secondsSince1970: Int64(seconds)).httpDate.utf8)
        dateLineText = Array("Date: ".utf8) + dateText + Array("\r\n".utf8)
        dateEnd = loop.now + Interval(.seconds(1 - (seconds - seconds.rounded(.down))))
    }

    /// The peer is cut because it sent too much that carries nothing.
    func reportFlood(_ kind: String, of connection: HTTPConnection) {
        report(.flood(kind, connection.peer))
    }

    func reportGivenUp(_ connection: HTTPConnection) {
        report(.tooManyHandshakes(connection.peer))
    }

    func reportNoTransport(_ connection: HTTPConnection) { report(.noTransport(connection.peer)) }

    func opened() {
        connectionCount += 1
        heapTrimmer.rose(to: connectionCount)
    }

    func read(_ count: Int) { heapTrimmer.read(count) }

    func closed() {
        connectionCount -= 1
        heapTrimmer.fell(to: connectionCount)
    }
}

/// The total of unanswered bodies that all connections of a server may hold.
///
/// Its loops share it. A request that finds no room is answered with 503, after which senders try
/// again.
package final class MemoryBudget: Sendable {
    private let limit: Int
    private let heldBytes = Atomic<Int>(0)

    package init(limit: Int) { self.limit = limit }

    func reserve(_ count: Int) -> Bool {
        let (_, held) = heldBytes.add(count, ordering: .relaxed)
        if held <= limit { return true }
        giveBack(count)
        return false
    }

    func giveBack(_ count: Int) { heldBytes.subtract(count, ordering: .relaxed) }
}
