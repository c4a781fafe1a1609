package import Base
package import Crypto
package import System

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

    /// Without `ownRecords` OpenSSL keeps each connection after its handshake. `recordsPerKey` is how
    /// many of ours go out before their keys are updated; tests want that soon.
    package init(
        loops: Int = LoopGroup.usableCores, limits: HTTPService.Limits = .init(),
        ownRecords: Bool = true, recordsPerKey: UInt64? = nil,
        figures: HTTPFigures = HTTPFigures(),
        report: @escaping HTTPTrouble.Report = { _ in }, access: HTTPAccess.Report? = nil,
        handler: (EventLoop) throws -> any HTTPHandler
    ) throws {
        group = try LoopGroup(count: loops)
        handlers = try group.loops.map(handler)
        handshakes = group.loops.map {
            HandshakeDesk(
                on: $0, limits.handshakes,
                ownRecords ? RecordCiphers(recordsPerKey: recordsPerKey) : nil)
        }
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
    ) throws(SystemError) -> ServedListener {
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
    ) throws(SystemError) -> ServedListener {
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

    private func serve(_ parts: [ServedListener.Part]) throws(SystemError) -> ServedListener {
        let served = ServedListener(parts)
        try served.start(isRunning: isRunning)
        listeners.append(served)
        return served
    }

    /// Accepts no more connections there. Open connections go on.
    package func close(_ listener: ServedListener) {
        listeners.removeAll { $0 === listener }
        listener.close()
    }

    /// Logs requests from now on, or with nil no more.
    package func setAccess(_ access: HTTPAccess.Report?) {
        self.access = access
        for listener in listeners { listener.setAccess(access) }
    }

    package func start(name: String) throws(SystemError) {
        isRunning = true
        try group.start(name: name)
    }

    /// Accepts no new connections and lets the old ones finish, up to a limit.
    package func drain(within limit: Duration) { group.drain(within: limit) }

    /// Blocks until all loops have ended.
    package func join() -> [LoopEnding] {
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
    case cannotAccept(SocketAddress, SystemError)
    /// The listener has reached its limit of connections.
    case tooManyConnections(SocketAddress)
    /// Too many handshakes wait, and of all networks most are of this peer's.
    case tooManyHandshakes(SocketAddress)
    /// There is no memory for this peer's connection.
    case noTransport(SocketAddress)
    /// The peer sent too much of one kind that carries nothing.
    case flood(String, SocketAddress)
}

/// The settings of one listener. None is ever detected from what a client sends.
package struct HTTPListenerTerms: Sendable {
    /// Nil serves without TLS.
    package var certificates: CertificateStore?
    /// Each connection begins with a header of the PROXY protocol.
    package var usesProxyProtocol = false
    /// Proxies that are trusted to name their clients. On a Unix socket, where the peer has no
    /// address, any entry makes the peer a trusted proxy.
    package var trustedProxies: [IPAddress] = []

    /// Only programs on this machine may connect, and there is no proxy in front.
    package var isForThisMachine = false
    /// The listener accepts no more connections; open ones go on.
    package internal(set) var isClosed = false

    package init(
        certificates: CertificateStore? = nil, usesProxyProtocol: Bool = false,
        trustedProxies: [IPAddress] = [], isForThisMachine: Bool = false
    ) {
        self.isForThisMachine = isForThisMachine
        self.certificates = certificates
        self.usesProxyProtocol = usesProxyProtocol
        self.trustedProxies = trustedProxies
    }

    func isTrusted(_ address: IPAddress?) -> Bool {
        if let address { trustedProxies.contains(address) } else { !trustedProxies.isEmpty }
    }
}

/// A listener of a running server, on one loop or on several. Any thread may use it.
// Unchecked: the parts are used only on the threads of their loops, or before those run.
package final class ServedListener: @unchecked Sendable {
    struct Part {
        let service: HTTPService
        let listener: Listener
    }

    /// The address, with the actual port.
    package let address: SocketAddress
    private let parts: [Part]

    init(_ parts: [Part]) {
        precondition(!parts.isEmpty, "a listener is on at least one loop")
        self.parts = parts
        address = parts[0].listener.address
    }

    /// If the loops run, they report it themselves when they cannot accept.
    func start(isRunning: Bool) throws(SystemError) {
        guard isRunning else {
            for part in parts { try part.listener.start() }
            return
        }
        onEachLoop { part in
            do throws(SystemError) {
                try part.listener.start()
            } catch {
                part.service.cannotAccept(error, by: part.listener)
            }
        }
    }

    /// Serves under new terms from now on, on open connections too.
    package func use(_ terms: HTTPListenerTerms) {
        onEachLoop { $0.service.terms = terms }
    }

    func setAccess(_ access: HTTPAccess.Report?) {
        onEachLoop { $0.service.access = access }
    }

    func close() {
        onEachLoop { part in
            part.service.terms.isClosed = true
            part.listener.stop()
        }
    }

    private func onEachLoop(_ body: @escaping @Sendable (Part) -> Void) {
        for (index, part) in parts.enumerated() {
            part.listener.loop.post { body(self.parts[index]) }
        }
    }
}
