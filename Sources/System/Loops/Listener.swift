/// Receives the connections of a listener. All calls come on the thread of the loop.
package protocol ConnectionHandler: AnyObject {
    func accepted(_ socket: consuming Socket, from peer: SocketAddress, by listener: Listener)

    /// No connection can be accepted for lack of descriptors or memory. The listener tries again by
    /// itself; this is called once until a connection was accepted.
    func cannotAccept(_ reason: SystemError, by listener: Listener)
}

/// Accepts the connections of one listening socket on one loop.
///
/// Create it on any thread; from `start` on use it only on the thread of the loop. It ends by
/// `stop`, which accepts the waiting connections and closes the socket, or when the loop drains.
// Unchecked: after creation only the thread of the loop uses it, which the loop checks.
package final class Listener: EventHandler, TimerHandler, @unchecked Sendable {
    /// This is enough for a burst, and too little to delay existing connections.
    private static let acceptsPerTurn = 64
    private static let backOff = Interval(.milliseconds(100))

    private enum State {
        case paused
        case accepting(WatchID)
        case backingOff(TimerID)
        case stopped
    }

    package let address: SocketAddress
    package let loop: EventLoop
    private var socket: ListeningSocket?
    private let handler: any ConnectionHandler
    private var state = State.paused
    private var isShort = false

    package init(
        _ socket: consuming ListeningSocket, on loop: EventLoop, _ handler: any ConnectionHandler
    ) {
        address = socket.address
        self.loop = loop
        self.socket = consume socket
        self.handler = handler
    }

    /// Begins or, after `pause`, resumes accepting. Do not call it after `stop`.
    package func start() throws(SystemError) {
        guard case .paused = state, let descriptor = socket?.descriptor else { return }
        state = .accepting(try loop.watch(descriptor, for: .exclusive, self))
    }

    /// Leaves new connections waiting in the kernel.
    package func pause() {
        switch state {
        case .accepting(let watch): loop.unwatch(watch)
        case .backingOff(let timer): loop.cancel(timer)
        case .paused, .stopped: return
        }
        state = .paused
    }

    package func stop() {
        guard let backlog = socket.take() else { return }
        pause()
        state = .stopped
        // Connections still waiting in the kernel would be reset.
        for _ in 0..<ListeningSocket.backlog {
            guard case .connection(let connection, let peer) = backlog.accept() else { return }
            handler.accepted(connection, from: peer, by: self)
        }
    }

    package func drain() { stop() }

    package func ready(_ readiness: Readiness, of watch: WatchID) {
        for _ in 0..<Self.acceptsPerTurn {
            // The handler may pause or stop.
            guard case .accepting = state, let accepted = socket?.accept() else { return }
            switch consume accepted {
            case .connection(let connection, let peer):
                isShort = false
                handler.accepted(connection, from: peer, by: self)
            case .none: return
            case .broken: break
            case .exhausted(let reason): return backOff(reason)
            }
        }
    }

    package func timerFired(_ cookie: UInt64) {
        guard case .backingOff = state else { return }
        state = .paused
        do throws(SystemError) {
            try start()
        } catch {
            backOff(error)
        }
    }

    private func backOff(_ reason: SystemError) {
        pause()
        state = .backingOff(loop.schedule(after: Self.backOff, self))
        guard !isShort else { return }
        isShort = true
        handler.cannotAccept(reason, by: self)
    }
}
