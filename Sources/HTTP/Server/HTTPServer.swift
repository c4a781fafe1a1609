package import Reactor
package import TLS

/// A server on several loops, each with a handler of its own.
///
/// Listeners are added before `start`; from then on everything belongs to the loops.
package final class HTTPServer {
    private let group: LoopGroup
    private let handlers: [any HTTPHandler]
    private let limits: HTTPService.Limits

    package init(
        loops: Int = LoopGroup.usableCores, limits: HTTPService.Limits = .init(),
        handler: (EventLoop) -> any HTTPHandler
    ) throws(ReactorError) {
        group = try LoopGroup(count: loops)
        handlers = group.loops.map(handler)
        self.limits = limits
    }

    /// Serves `socket` on all loops, in clear without certificates. Answers where it listens.
    @discardableResult
    package func listen(
        on socket: consuming ListeningSocket, certificates: CertificateStore? = nil
    ) throws(ReactorError) -> SocketAddress {
        let address = socket.address
        for (loop, handler) in zip(group.loops, handlers).dropFirst() {
            try serve(try socket.sibling(), on: loop, certificates, handler)
        }
        try serve(socket, on: group.loops[0], certificates, handlers[0])
        return address
    }

    private func serve(
        _ socket: consuming ListeningSocket, on loop: EventLoop,
        _ certificates: CertificateStore?, _ handler: any HTTPHandler
    ) throws(ReactorError) {
        let service = HTTPService(
            on: loop, certificates: certificates, limits: limits, handler)
        try Listener(socket, on: loop, service).start()
    }

    package func start(name: String) throws(ReactorError) { try group.start(name: name) }

    /// Takes no new connections and ends the old ones when they are done, at most so much later.
    package func drain(within limit: Duration) { group.drain(within: limit) }

    /// Blocks until all loops have ended.
    package func join() -> [Ending] { group.join() }
}
