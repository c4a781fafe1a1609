import HTTP
import System

/// One receiver: its `Link`, and the WebSocket that performs the link's actions.
///
/// Only the thread of the loop uses it.
final class ReceiverConnection: TimerHandler {
    let row: Int64
    let address: ReceiverAddress
    var link: Link
    private(set) var state: ReceiverState
    private let socket: ReconnectingWebSocket
    private let loop: EventLoop
    private weak var links: ReceiverLinks?
    private var timer = DeadlineTimer()

    init(
        _ row: Int64, _ address: ReceiverAddress, _ link: Link, _ options: WebSocketClientOptions,
        on loop: EventLoop, _ links: ReceiverLinks
    ) {
        self.row = row
        self.address = address
        self.link = link
        self.loop = loop
        self.links = links
        socket = ReconnectingWebSocket(options, on: loop)
        state = ReceiverState(of: address.url.authority, at: Int64(WallClock.now))
    }

    func perform() {
        for action in link.takeActions() {
            switch action {
            case .connect: socket.connect(self)
            case .disconnect: disconnect()
            case .send(let text): socket.connection?.send(text: text.span)
            case .greeted(let isSame):
                changed(.connected)
                if isSame { links?.greeted(by: self) }
            case .remember(let userAgent): links?.remember(userAgent, of: self)
            case .endpoint(let channel, let endpoint): links?.obtained(endpoint, for: channel)
            case .refuse(let channel, let reason): links?.refuse(channel, reason)
            case .forget(let channel): links?.forget(channel)
            }
        }
        if link.phase == .idle, state.condition == .connected { changed(.idle) }
        timer.set(after: link.deadline.map { $0 - BootClock.now }, on: loop, self)
    }

    private func changed(_ condition: ReceiverState.Condition, reason: String = "") {
        let isNew = state.change(to: condition, reason: reason, at: Int64(WallClock.now))
        if isNew { links?.changed(self) }
    }

    func disconnect() { socket.disconnect() }

    /// Ends the connection for good.
    func leave() {
        disconnect()
        timer.cancel(on: loop)
    }

    func timerFired(_ cookie: UInt64) {
        link.elapsed(at: BootClock.now, chance: .random(in: 0..<1))
        perform()
    }
}

extension ReceiverConnection: ReconnectingWebSocketHandler {
    func opened() {
        link.opened(at: BootClock.now)
        perform()
    }

    func received(text: Span<UInt8>) {
        switch link.received(text, at: BootClock.now, chance: .random(in: 0..<1)) {
        case .notification(let message): links?.received(message, from: self)
        case .withdrawn(let channel, let version): links?.withdrawn(channel, version: version)
        default: break
        }
        perform()
    }

    func lost(_ loss: WebSocketLoss) {
        var isFinal = false
        if case .ended(.closed(let close)) = loss { isFinal = close.code?.rawValue == 4774 }
        link.closed(
            at: BootClock.now, chance: .random(in: 0..<1), pause: loss.pause, isFinal: isFinal)
        changed(loss.condition, reason: loss.reason)
        perform()
    }
}

extension WebSocketLoss {
    fileprivate var condition: ReceiverState.Condition {
        switch self {
        case .failed(.refused): .refused
        case .failed(.untrusted): .untrusted
        case .failed, .ended: .unreachable
        }
    }

    fileprivate var reason: String {
        switch self {
        case .ended(let end): end.reason
        case .failed(let failure): failure.reason
        }
    }
}

extension WebSocketEnd {
    /// The reason as the log states it.
    fileprivate var reason: String {
        switch self {
        case .closed(let close): "the receiver closed the connection (\(close.code?.rawValue ?? 0))"
        case .failed: "the receiver violated the WebSocket protocol"
        case .silent, .unanswered: "the receiver stopped answering"
        case .congested: "the receiver reads too slowly"
        case .lost: "the connection was lost"
        }
    }
}

extension ClientFailure {
    /// The reason as the log states it.
    package var reason: String {
        switch self {
        case .unknownName(let name, _): "the host name \(name) is unknown"
        case .forbidden(let refusal): refusal.rawValue
        case .unreachable(let error): error.description
        case .untrusted(let error): "its certificate is not trusted: \(error)"
        case .brokenHandshake(let error): "TLS fails: \(error)"
        case .refused(401, _): "it does not know this device's credential"
        case .refused(let status, _): "it refuses with status \(status)"
        case .badAnswer, .unreadableAnswer: "the server there is not a push service"
        case .timedOut(let stage): "it took too long (\(stage.rawValue))"
        case .lost(let stage): "the connection was lost (\(stage.rawValue))"
        case .cancelled: "the attempt was cancelled"
        }
    }
}
