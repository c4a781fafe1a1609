import Base
package import System

/// Gets either `opened` or `failed`, once.
package protocol WebSocketClientHandler: WebSocketHandler {
    func failed(_ failure: WebSocketClientFailure)
}

/// Opens one WebSocket: resolves the name, connects, shakes hands. Then an `HTTPConnection` takes
/// over.
///
/// The loop keeps it alive while it works. Everything runs on the thread of the loop.
// Unchecked: it is used only on the thread of the loop; the name lookup also calls back there.
package final class WebSocketClient: EventHandler, TimerHandler, @unchecked Sendable {
    enum Stage {
        case lookup
        case connect
        case handshake
        case upgrade(WebSocketOpening)
        case done
    }

    let options: WebSocketClientOptions
    let loop: EventLoop
    private var handler: (any WebSocketClientHandler)?
    var stage = Stage.lookup
    /// The addresses that are left to try.
    var addresses: ArraySlice<SocketAddress> = []
    var peer = SocketAddress.unix(path: "")
    var transport: Transport?
    var watch: WatchID?
    private var timer: TimerID?
    var output: [UInt8] = []
    var written = 0
    var reader = HTTP1AnswerReader()

    private init(
        _ options: WebSocketClientOptions, on loop: EventLoop,
        _ handler: any WebSocketClientHandler
    ) {
        self.options = options
        self.loop = loop
        self.handler = handler
    }

    /// Begins to connect. Call it on the thread of the loop, or before that runs.
    @discardableResult
    package static func connect(
        _ options: WebSocketClientOptions, on loop: EventLoop,
        _ handler: any WebSocketClientHandler
    ) -> WebSocketClient {
        let client = WebSocketClient(options, on: loop, handler)
        client.lookUp()
        return client
    }

    /// Gives up, unless it is open already.
    package func cancel() { fail(.cancelled) }

    package func drain() { fail(.cancelled) }

    package func timerFired(_ cookie: UInt64) {
        timer = nil
        if case .connect = stage, !addresses.isEmpty { return tryNext(after: nil) }
        fail(.timedOut(stage.name))
    }

    package func ready(_ readiness: Readiness, of watch: WatchID) {
        switch stage {
        case .connect: connected()
        case .upgrade: exchange()
        case .handshake: shakeHands()
        case .lookup, .done: break
        }
    }

    func end() -> (any WebSocketClientHandler)? {
        stage = .done
        if let timer { loop.cancel(timer) }
        timer = nil
        return handler.take()
    }

    func fail(_ failure: WebSocketClientFailure) {
        guard let handler = end() else { return }
        // The loop may free this in here.
        withExtendedLifetime(self) {
            disconnect()
            handler.failed(failure)
        }
    }

    func disconnect() {
        if let watch { loop.unwatch(watch) }
        watch = nil
        transport = nil
    }

    func setInterest(_ interest: Interest) {
        if let watch { loop.setInterest(interest, of: watch) }
    }

    func begin(_ stage: Stage, within limit: Duration) {
        self.stage = stage
        if let timer { loop.cancel(timer) }
        timer = loop.schedule(after: Interval(limit), self)
    }
}

extension WebSocketClient.Stage {
    var name: WebSocketClientFailure.Stage {
        switch self {
        case .lookup: .lookup
        case .connect: .connect
        case .handshake: .handshake
        case .upgrade, .done: .upgrade
        }
    }
}

/// The steps from a name to a connection.
extension WebSocketClient {
    func lookUp() {
        let (host, port) = (options.url.host, options.url.port)
        begin(.lookup, within: options.patience.lookup)
        if let place = options.place { return found(.success([place])) }
        if let address = IPAddress(host) { return found(.success([.ip(address, port: port)])) }
        NameLookup.start(host, port: port, on: loop) { self.found($0) }
    }

    private func found(_ outcome: NameLookup.Outcome) {
        guard case .lookup = stage else { return }  // The lookup took too long.
        switch outcome {
        case .success(let addresses):
            self.addresses = addresses[...]
            tryNext(after: nil)
        case .failure(let failure):
            fail(.unknownName(options.url.host, failure))
        }
    }

    func tryNext(after failure: SystemError?) {
        disconnect()
        guard let address = addresses.popFirst() else {
            return fail(failure.map { .unreachable($0) } ?? .timedOut(.connect))
        }
        begin(.connect, within: options.patience.connect)
        do throws(SystemError) {
            let socket = try Socket.connect(to: address)
            peer = address
            watch = try loop.watch(socket, for: .writable, self)
            transport = Transport(plain: socket)
        } catch {
            tryNext(after: error)
        }
    }

    func connected() {
        if let failure = transport?.connectFailure { return tryNext(after: failure) }
        startHandshake()
    }
}
