package import Base
package import Reactor

/// A server on several loops, with a handler for each.
///
/// Add listeners before `start`; from then on everything belongs to the loops.
package final class HTTPServer {
    private let group: LoopGroup
    private let handlers: [any HTTPHandler]
    private let limits: HTTPService.Limits
    private let budget: MemoryBudget
    private let report: HTTPTrouble.Report
    private let access: HTTPAccess.Report?
    private let figures: HTTPFigures

    package init(
        loops: Int = LoopGroup.usableCores, limits: HTTPService.Limits = .init(),
        figures: HTTPFigures = HTTPFigures(),
        report: @escaping HTTPTrouble.Report = { _ in }, access: HTTPAccess.Report? = nil,
        handler: (EventLoop) throws -> any HTTPHandler
    ) throws {
        group = try LoopGroup(count: loops)
        handlers = try group.loops.map(handler)
        self.limits = limits
        self.report = report
        self.access = access
        self.figures = figures
        budget = MemoryBudget(limit: limits.heldBytes)
    }

    /// Serves `socket` on all loops. Returns its address.
    @discardableResult
    package func listen(
        on socket: consuming ListeningSocket, _ terms: HTTPListenerTerms = HTTPListenerTerms()
    ) throws(ReactorError) -> SocketAddress {
        let address = socket.address
        for (loop, handler) in zip(group.loops, handlers).dropFirst() {
            try serve(try socket.sibling(), on: loop, terms, handler)
        }
        try serve(socket, on: group.loops[0], terms, handlers[0])
        return address
    }

    /// Serves `socket` without TLS on the first loop only, with its own handler.
    package func listen(
        on socket: consuming ListeningSocket, handler: (EventLoop) -> any HTTPHandler
    ) throws(ReactorError) {
        let loop = group.loops[0]
        try serve(socket, on: loop, HTTPListenerTerms(), handler(loop))
    }

    package var loops: [EventLoop] { group.loops }

    private func serve(
        _ socket: consuming ListeningSocket, on loop: EventLoop,
        _ terms: HTTPListenerTerms, _ handler: any HTTPHandler
    ) throws(ReactorError) {
        let service = HTTPService(
            on: loop, terms, limits: limits, budget, handler, figures, report: report,
            access: access)
        try Listener(socket, on: loop, service).start()
    }

    package func start(name: String) throws(ReactorError) { try group.start(name: name) }

    /// Accepts no new connections and lets the old ones finish, up to a limit.
    package func drain(within limit: Duration) { group.drain(within: limit) }

    /// Blocks until all loops have ended.
    package func join() -> [Ending] { group.join() }
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
    /// There is no memory for a connection.
    case noTransport(SocketAddress)
    /// The peer sent too much of one kind that carries nothing.
    case flood(String, SocketAddress)
}
