import Base
package import Crypto
package import HTTP
package import Notifications
package import System

/// The connection to the engine of one source. It reconnects when it breaks, and passes updates to
/// the desk.
///
/// Requests made without a connection are dropped: after the next connection the engine sends its
/// whole state, and the desk repeats what it still wants.
package final class EngineConnection: TimerHandler {
    private static let messageLimit = 8 << 20
    private static let silence = Duration.seconds(300)
    /// The wait after a failure that needs the user's action.
    private static let refusalPause = Duration.seconds(60)

    let address: EngineAddress
    private let source: String
    private let options: WebSocketClientOptions
    private let loop: EventLoop
    private let log: Log
    private weak var desk: NotificationDesk?
    private var attempt: Attempt?
    private var backoff = LinkBackoff()
    private var timer: TimerID?

    package init(
        of source: String, at address: EngineAddress, trust context: TLSContext,
        sha1: @escaping WebSocketTerms.Digest, on loop: EventLoop, _ desk: NotificationDesk,
        log: Log
    ) {
        self.address = address
        self.source = source
        self.loop = loop
        self.desk = desk
        self.log = log
        let terms = WebSocketTerms(
            session: WebSocketSession.Limits(
                messageLimit: Self.messageLimit, silence: Self.silence), sha1: sha1)
        var options = WebSocketClientOptions(
            url: address.url, terms: terms, context: context,
            random: { UInt32.random(in: .min ... .max) })
        options.place = address.place
        options.fields = [("Authorization", "Bearer \(address.credential)")]
        self.options = options
    }

    /// Connects now without waiting: at the start, after a sleep, with a new network.
    package func connect() {
        if let timer { loop.cancel(timer) }
        timer = nil
        guard attempt == nil else { return }
        let attempt = Attempt(self)
        self.attempt = attempt
        attempt.client = WebSocketClient.connect(options, on: loop, attempt)
    }

    package func send(_ request: EngineRequest) { attempt?.socket?.send(text: request.json) }

    package func close() {
        if let timer { loop.cancel(timer) }
        timer = nil
        let former = attempt.take()
        former?.socket?.close(.goingAway)
        former?.client?.cancel()
    }

    package func timerFired(_ cookie: UInt64) {
        timer = nil
        connect()
    }

    private func ended(atLeast pause: Duration) {
        attempt = nil
        guard !loop.isDraining else { return }
        let pause = backoff.next(chance: .random(in: 0..<1), atLeast: pause)
        timer = loop.schedule(after: Interval(pause), self)
    }

    private func failed(_ failure: WebSocketClientFailure) {
        switch failure {
        case .refused(404, _):
            desk?.accountIsGone(source)
            ended(atLeast: Self.refusalPause)
        case .refused(let status, let retryAfter):
            log.write(.warning, "engine.refused", [("status", String(status))])
            ended(atLeast: retryAfter ?? (status < 500 ? Self.refusalPause : .zero))
        case .untrusted:
            log.write(.warning, "engine.untrusted")
            ended(atLeast: Self.refusalPause)
        default: ended(atLeast: .zero)
        }
    }

    /// One WebSocket and the attempt to open it. Events of an abandoned one are ignored.
    private final class Attempt: WebSocketClientHandler {
        private let owner: EngineConnection
        var client: WebSocketClient?
        private(set) var socket: WebSocketConnection?

        init(_ owner: EngineConnection) { self.owner = owner }

        private var isCurrent: Bool { owner.attempt === self }

        func opened(_ connection: WebSocketConnection, subprotocol: String?) {
            client = nil
            guard isCurrent else { return connection.close(.goingAway) }
            socket = connection
            owner.desk?.joined(owner.source)
        }

        func received(text: Span<UInt8>, on connection: WebSocketConnection) {
            guard isCurrent else { return }
            owner.backoff.reset()
            owner.desk?.received(text.array(0..<text.count), from: owner.source)
        }

        func closed(_ end: WebSocketEnd, on connection: WebSocketConnection) {
            socket = nil
            if isCurrent { owner.ended(atLeast: .zero) }
        }

        func failed(_ failure: WebSocketClientFailure) {
            client = nil
            if isCurrent { owner.failed(failure) }
        }
    }
}

/// The connections to all engines, one for each source.
///
/// Only the thread of the loop uses it.
final class EngineConnections {
    private let desk: NotificationDesk
    private let context: TLSContext
    private let loop: EventLoop
    private let log: Log
    private var connections: [String: EngineConnection] = [:]

    init(_ desk: NotificationDesk, trust context: TLSContext, on loop: EventLoop, log: Log) {
        self.desk = desk
        self.context = context
        self.loop = loop
        self.log = log
    }

    /// Sets the engines: ends the others, and does not touch unchanged ones.
    func use(_ engines: [PresentedEngine]) {
        var former = connections
        connections = [:]
        for engine in engines {
            let id = engine.source.id
            if former[id]?.address == engine.address {
                connections[id] = former.removeValue(forKey: id)
                continue
            }
            connections[id] = EngineConnection(
                of: id, at: engine.address, trust: context, sha1: { try? SHA1.digest(of: $0) },
                on: loop, desk, log: log)
        }
        for connection in former.values { connection.close() }
    }

    func connect() { for connection in connections.values { connection.connect() } }

    func send(_ request: EngineRequest, to source: String) { connections[source]?.send(request) }

    func close() { for connection in connections.values { connection.close() } }
}
