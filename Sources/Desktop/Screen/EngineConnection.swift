import Base
package import Crypto
package import HTTP
package import Notifications
package import Pictures
package import System

/// The connection to the engine of one source. It reconnects when it breaks, and passes updates to
/// the presenter.
///
/// Requests made without a connection are dropped: after the next connection the engine sends its
/// whole state, and the presenter repeats what it still wants.
package final class EngineConnection: TimerHandler {
    private static let messageLimit = 8 << 20
    private static let silence = Duration.seconds(300)

    let address: EngineAddress
    private let source: String
    private let socket: ReconnectingWebSocket
    private let pictures: PictureLoader
    private let loop: EventLoop
    private let log: Log
    private weak var presenter: PresenterService?
    private var backoff = Backoff.ofConnections
    private var timer = DeadlineTimer()

    package init(
        of source: String, at address: EngineAddress, trust context: TLSContext,
        on loop: EventLoop, _ presenter: PresenterService, log: Log
    ) {
        self.address = address
        self.source = source
        self.loop = loop
        self.presenter = presenter
        self.log = log
        let terms = WebSocketTerms(
            session: WebSocketSession.Limits(
                messageLimit: Self.messageLimit, silence: Self.silence))
        var options = WebSocketClientOptions(url: address.url, terms: terms, context: context)
        options.place = address.place
        options.fields = [("Authorization", "Bearer \(address.credential)")]
        socket = ReconnectingWebSocket(options, on: loop)
        pictures = PictureLoader(from: address, trust: context, on: loop)
    }

    /// Connects now without waiting: at the start, after a sleep, with a new network.
    package func connect() {
        timer.cancel(on: loop)
        socket.connect(self)
    }

    package func send(_ request: EngineRequest) { socket.connection?.send(text: request.json) }

    /// Calls `completion` with nil if the server has no picture of that name that can be shown.
    package func loadPicture(_ name: String, then completion: @escaping (Picture?) -> Void) {
        pictures.load(name, then: completion)
    }

    package func close() {
        timer.cancel(on: loop)
        socket.disconnect()
        pictures.close()
    }

    package func timerFired(_ cookie: UInt64) { connect() }
}

extension EngineConnection: ReconnectingWebSocketHandler {
    package func opened() { presenter?.joined(source) }

    package func received(text: Span<UInt8>) {
        backoff.reset()
        presenter?.received(text.array(0..<text.count), from: source)
    }

    package func lost(_ loss: WebSocketLoss) {
        switch loss {
        case .failed(.refused(404, _)): presenter?.accountIsGone(source)
        case .failed(.refused(let status, _)):
            log.write(.warning, "engine.refused", [("status", String(status))])
        case .failed(.untrusted): log.write(.warning, "engine.untrusted")
        case .failed, .ended: break
        }
        guard !loop.isDraining else { return }
        let pause = backoff.next(chance: .random(in: 0..<1), atLeast: loss.pause)
        timer.set(after: pause, on: loop, self)
    }
}

/// The connections to all engines, one for each source.
///
/// Only the thread of the loop uses it.
final class EngineConnections {
    private let presenter: PresenterService
    private let context: TLSContext
    private let loop: EventLoop
    private let log: Log
    private var connections: [String: EngineConnection] = [:]

    init(_ presenter: PresenterService, trust context: TLSContext, on loop: EventLoop, log: Log) {
        self.presenter = presenter
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
                of: id, at: engine.address, trust: context, on: loop, presenter, log: log)
        }
        for connection in former.values { connection.close() }
    }

    func connect() { for connection in connections.values { connection.connect() } }

    func send(_ request: EngineRequest, to source: String) { connections[source]?.send(request) }

    func loadPicture(
        _ name: String, of source: String, then completion: @escaping (Picture?) -> Void
    ) {
        connections[source]?.loadPicture(name, then: completion)
    }

    func close() { for connection in connections.values { connection.close() } }
}
