package import HTTP
import System

/// One receiver: its `Link`, and the WebSocket that performs the link's actions.
///
/// Only the thread of the loop uses it.
final class ReceiverConnection: TimerHandler {
    let row: Int64
    let address: ReceiverAddress
    var link: Link
    private(set) var state: ReceiverState
    private let options: WebSocketClientOptions
    private let loop: EventLoop
    private weak var desk: ReceiverLinks?
    private var attempt: Attempt?
    private var timer: TimerID?
    private var deadline: Duration?

    init(
        _ row: Int64, _ address: ReceiverAddress, _ link: Link, _ options: WebSocketClientOptions,
        on loop: EventLoop, _ desk: ReceiverLinks
    ) {
        self.row = row
        self.address = address
        self.link = link
        self.options = options
        self.loop = loop
        self.desk = desk
        state = ReceiverState(of: address.url.authority, at: Int64(WallClock.now))
    }

    func perform() {
        for action in link.takeActions() {
            switch action {
            case .connect:
                let attempt = Attempt(self)
                self.attempt = attempt
                attempt.client = WebSocketClient.connect(options, on: loop, attempt)
            case .disconnect: disconnect()
            case .greeted:
                changed(.connected)
                desk?.perform(action, of: self)
            case .send(let text): attempt?.socket?.send(text: text.span)
            case .remember, .endpoint, .refuse, .forget: desk?.perform(action, of: self)
            }
        }
        if link.phase == .idle, state.condition == .connected { changed(.idle) }
        setTimer()
    }

    private func changed(_ condition: ReceiverState.Condition, reason: String = "") {
        let isNew = state.change(to: condition, reason: reason, at: Int64(WallClock.now))
        if isNew { desk?.changed(self) }
    }

    func disconnect() {
        let former = attempt.take()
        former?.socket?.close(.goingAway)
        former?.client?.cancel()
    }

    /// Ends the connection for good.
    func leave() {
        disconnect()
        if let timer { loop.cancel(timer) }
        timer = nil
    }

    private func setTimer() {
        guard link.deadline != deadline else { return }
        if let timer { loop.cancel(timer) }
        timer = nil
        deadline = link.deadline
        guard let deadline else { return }
        timer = loop.schedule(after: Interval(deadline - BootClock.now), self)
    }

    func timerFired(_ cookie: UInt64) {
        timer = nil
        deadline = nil
        link.elapsed(at: BootClock.now, chance: .random(in: 0..<1))
        perform()
    }

    /// One WebSocket and the attempt to open it. Events of an abandoned one are ignored.
    private final class Attempt: WebSocketClientHandler {
        private let owner: ReceiverConnection
        var client: WebSocketClient?
        private(set) var socket: WebSocketConnection?

        init(_ owner: ReceiverConnection) { self.owner = owner }

        private var isCurrent: Bool { owner.attempt === self }

        func opened(_ connection: WebSocketConnection, subprotocol: String?) {
            client = nil
            guard isCurrent else { return connection.close(.goingAway) }
            socket = connection
            owner.link.opened(at: BootClock.now)
            owner.perform()
        }

        func received(text: Span<UInt8>, on connection: WebSocketConnection) {
            guard isCurrent else { return }
            let arrival = owner.link.received(
                text, at: BootClock.now, chance: .random(in: 0..<1))
            if let arrival { owner.desk?.arrived(arrival, from: owner) }
            owner.perform()
        }

        func closed(_ end: WebSocketEnd, on connection: WebSocketConnection) {
            socket = nil
            guard isCurrent else { return }
            var isFinal = false
            if case .closed(let close) = end { isFinal = close.code?.rawValue == 4774 }
            ended(.unreachable, reason: end.reason, pause: .zero, isFinal: isFinal)
        }

        func failed(_ failure: WebSocketClientFailure) {
            client = nil
            guard isCurrent else { return }
            ended(
                failure.condition, reason: failure.reason, pause: failure.pause, isFinal: false)
        }

        private func ended(
            _ condition: ReceiverState.Condition, reason: String, pause: Duration, isFinal: Bool
        ) {
            owner.attempt = nil
            owner.link.closed(
                at: BootClock.now, chance: .random(in: 0..<1), pause: pause, isFinal: isFinal)
            owner.changed(condition, reason: reason)
            owner.perform()
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

extension WebSocketClientFailure {
    /// At most one failure per minute that needs the user's action is logged.
    private static let refusalPause = Duration.seconds(60)

    fileprivate var pause: Duration {
        switch self {
        case .refused(let status, let retryAfter):
            retryAfter ?? ((400..<500).contains(status) ? Self.refusalPause : .zero)
        case .untrusted: Self.refusalPause
        default: .zero
        }
    }

    fileprivate var condition: ReceiverState.Condition {
        switch self {
        case .refused: .refused
        case .untrusted: .untrusted
        default: .unreachable
        }
    }

    /// The reason as the log states it.
    package var reason: String {
        switch self {
        case .unknownName(let name, _): "the host name \(name) is unknown"
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
