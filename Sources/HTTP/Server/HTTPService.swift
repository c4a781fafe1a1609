import Base
package import Reactor
import System
package import TLS

/// A server on one loop: takes its connections and keeps what they share.
///
/// Confined to the thread of its loop from `start` on.
package final class HTTPService: ConnectionHandler {
    package struct Limits: Sendable {
        package var http = HTTPLimits()
        package var patience = HTTP1Patience()
        package var patience2 = HTTP2Patience()
        package var handshake = Duration.seconds(10)
        /// Beyond it new connections are closed at once.
        package var connections = 50_000

        package init() {}
    }

    let loop: EventLoop
    let handler: any HTTPHandler
    let limits: Limits
    /// One for all connections: nothing stays in it between two events.
    let scratch = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 32 * 1024)
    let frameBuffers = HTTP2FrameBuffers()
    private let certificates: CertificateStore?
    private var dateText: [UInt8] = []
    private var dateSecond: Int64 = -1
    private(set) var connectionCount = 0
    private let heapRest: HeapRest

    /// Without certificates connections are in clear.
    package init(
        on loop: EventLoop, certificates: CertificateStore?, limits: Limits = Limits(),
        _ handler: any HTTPHandler
    ) {
        self.loop = loop
        heapRest = HeapRest(on: loop)
        self.certificates = certificates
        self.limits = limits
        self.handler = handler
        scratch.initialize(repeating: 0)
    }

    deinit { scratch.deallocate() }

    /// The time of this turn, as the machines of a connection count it.
    var now: Duration { .nanoseconds(loop.now.nanoseconds) }

    package func accepted(
        _ socket: consuming Socket, from peer: SocketAddress, by listener: Listener
    ) {
        guard connectionCount < limits.connections else { return }
        guard let certificates else {
            ServerConnection(Transport(plain: socket), peer, self).start()
            return
        }
        guard let transport = try? Transport(encrypted: socket, certificates.context) else {
            return  // Out of memory: the connection closes, and the next one may do.
        }
        ServerConnection(transport, peer, self).start()
    }

    package func cannotAccept(_ reason: ReactorError, by listener: Listener) {}

    /// Until when a connection that begins now has to have shaken hands.
    var handshakeDeadline: Duration { now + limits.handshake }

    /// For the field Date of all answers of this second.
    var date: [UInt8] {
        let second = Int64(WallClock.now)
        if second != dateSecond {
            dateSecond = second
            dateText = HTTPDate.text(second)
        }
        return dateText
    }

    func opened() {
        connectionCount += 1
        heapRest.rose(to: connectionCount)
    }

    func closed() {
        connectionCount -= 1
        heapRest.fell(to: connectionCount)
    }
}
