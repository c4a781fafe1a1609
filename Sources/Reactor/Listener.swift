/// Is given the connections of a listener. All calls come on the thread of the loop.
package protocol ConnectionHandler: AnyObject {
    func accepted(_ socket: consuming Socket, from peer: SocketAddress, by listener: Listener)

    /// No connection can be taken for lack of descriptors or memory. It is tried again by itself;
    /// this is said once until one was taken.
    func cannotAccept(_ reason: ReactorError, by listener: Listener)
}

/// Takes the connections of one listening socket on one loop.
///
/// Made on any thread; from `start` on all calls belong to the thread of the loop. It ends by
/// `stop`, which takes those who wait and closes the socket, or when the loop drains.
// Unchecked: after it was made only the thread of the loop touches it, and the loop checks that.
package final class Listener: EventHandler, TimerHandler, @unchecked Sendable {
    /// Enough to keep up with a crowd, and a short time for those who are served already.
    private static let acceptsPerTurn = 64
    private static let backOff = Interval(.milliseconds(100))

    private enum State {
        case paused
        case accepting(Watch)
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

    /// Begins to accept, or goes on after `pause`. Not after `stop`.
    package func start() throws(ReactorError) {
        guard case .paused = state, let descriptor = socket?.descriptor else { return }
        state = .accepting(try loop.watch(descriptor, for: .exclusive, self))
    }

    /// Leaves new connections to wait in the kernel.
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
        // What the kernel has taken in our name would be reset.
        for _ in 0..<ListeningSocket.backlog {
            guard case .connection(let connection, let peer) = backlog.accept() else { return }
            handler.accepted(connection, from: peer, by: self)
        }
    }

    package func drain() { stop() }

    package func ready(_ readiness: Readiness, of watch: Watch) {
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
        do throws(ReactorError) {
            try start()
        } catch {
            backOff(error)
        }
    }

    private func backOff(_ reason: ReactorError) {
        pause()
        state = .backingOff(loop.schedule(after: Self.backOff, self))
        guard !isShort else { return }
        isShort = true
        handler.cannotAccept(reason, by: self)
    }
}
