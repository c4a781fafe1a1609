package import Base
package import Reactor

/// A server on several loops, with a handler for each.
///
/// Everything belongs to the loops once they run. Use the server itself on one thread.
package final class HTTPServer {
    private let group: LoopGroup
    private let handlers: [any HTTPHandler]
    private let handshakes: [HandshakeDesk]
    private let limits: HTTPService.Limits
    private let budget: MemoryBudget
    private let report: HTTPTrouble.Report
    private var access: HTTPAccess.Report?
    private let figures: HTTPFigures
    private var listeners: [ServedListener] = []
    private var isRunning = false

    package init(
        loops: Int = LoopGroup.usableCores, limits: HTTPService.Limits = .init(),
        figures: HTTPFigures = HTTPFigures(),
        report: @escaping HTTPTrouble.Report = { _ in }, access: HTTPAccess.Report? = nil,
        handler: (EventLoop) throws -> any HTTPHandler
    ) throws {
        group = try LoopGroup(count: loops)
        handlers = try group.loops.map(handler)
        handshakes = group.loops.map { HandshakeDesk(on: $0, limits.handshakes) }
        self.limits = limits
        self.report = report
        self.access = access
        self.figures = figures
        budget = MemoryBudget(limit: limits.heldBytes)
    }

    /// Serves `socket` on all loops.
    @discardableResult
    package func listen(
        on socket: consuming ListeningSocket, _ terms: HTTPListenerTerms = HTTPListenerTerms()
    ) throws(ReactorError) -> ServedListener {
        var parts: [ServedListener.Part] = []
        for (index, handler) in handlers.enumerated().dropFirst() {
            parts.append(part(try socket.sibling(), on: index, terms, handler))
        }
        parts.append(part(socket, on: 0, terms, handlers[0]))
        return try serve(parts)
    }

    /// Serves `socket` without TLS on the first loop only, with its own handler.
    @discardableResult
    package func listen(
        on socket: consuming ListeningSocket, handler: (EventLoop) -> any HTTPHandler
    ) throws(ReactorError) -> ServedListener {
        try serve([part(socket, on: 0, HTTPListenerTerms(), handler(group.loops[0]))])
    }

    package var loops: [EventLoop] { group.loops }

    private func part(
        _ socket: consuming ListeningSocket, on index: Int,
        _ terms: HTTPListenerTerms, _ handler: any HTTPHandler
    ) -> ServedListener.Part {
        let loop = group.loops[index]
        let service = HTTPService(
            on: loop, terms, limits: limits, budget, handshakes[index], handler, figures,
            report: report, access: access)
        return ServedListener.Part(
            service: service, listener: Listener(socket, on: loop, service))
    }

    private func serve(_ parts: [ServedListener.Part]) throws(ReactorError) -> ServedListener {
        let served = ServedListener(parts)
        try served.start(isRunning: isRunning)
        listeners.append(served)
        return served
    }

    /// Accepts no more connections there. Those that are open go on.
    package func close(_ listener: ServedListener) {
        listeners.removeAll { $0 === listener }
        listener.close()
    }

    /// Logs requests from now on, or with nil no more.
    package func setAccess(_ access: HTTPAccess.Report?) {
        self.access = access
        for listener in listeners { listener.setAccess(access) }
    }

    package func start(name: String) throws(ReactorError) {
        isRunning = true
        try group.start(name: name)
    }

    /// Accepts no new connections and lets the old ones finish, up to a limit.
    package func drain(within limit: Duration) { group.drain(within: limit) }

    /// Blocks until all loops have ended.
    package func join() -> [Ending] {
        let endings = group.join()
        for desk in handshakes { desk.forgetAll() }
        return endings
    }
}

/// One request and its answer for the access log: without path, query and fields, which may contain
/// secrets.
package struct HTTPAccess: Sendable {
    /// Called on the thread of a loop after each answer; it must return soon.
    package typealias Report = @Sendable (HTTPAccess) -> Void

    package let method: HTTPMethod
    /// The handler's name for the requested resource.
    package let label: StaticString
    package let status: Int
    package let bytesReceived: Int
    package let bytesSent: Int
    package let client: IPAddress?
}

/// Why connections are not accepted, or are cut.
package enum HTTPTrouble: Sendable {
    /// Called on the thread of a loop for each connection; it must return soon.
    package typealias Report = @Sendable (HTTPTrouble) -> Void

    /// There are no descriptors, or there is no memory. It is reported once until a connection was
    /// accepted.
    case cannotAccept(SocketAddress, ReactorError)
    /// The listener has reached its limit of connections.
    case tooManyConnections(SocketAddress)
    /// Too many handshakes wait, and of all networks most are of this peer's.
    case tooManyHandshakes(SocketAddress)
    /// There is no memory for this peer's connection.
    case noTransport(SocketAddress)
    /// The peer sent too much of one kind that carries nothing.
    case flood(String, SocketAddress)
}
