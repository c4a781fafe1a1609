import Mailbox
import PushService
import Reactor

/// One client of an engine at the desk of its loop, with a limit on its requests.
final class EnginePlace: TimerHandler {
    /// With this many unanswered requests no more are read, because pushes wait for all requests
    /// before them in a batch.
    private static let requestLimit = 8
    private static let byteLimit = 4 << 20
    /// A large request counts once more for every 4 KiB.
    private static let piece = 4 << 10

    let client: any EngineClient
    let role: EngineRole
    /// The client said that it fetches.
    var isFetching = false
    /// The client has received the initial state.
    var isWelcome = false
    private let limit: PaceLimit
    private let loop: EventLoop
    private var requests = 0
    private var bytes = 0
    private var pace = Pace()
    /// A timer will continue it.
    private var isTooFast = false

    init(_ client: any EngineClient, _ role: EngineRole, _ limit: PaceLimit, _ loop: EventLoop) {
        self.client = client
        self.role = role
        self.limit = limit
        self.loop = loop
    }

    /// Counts a request that was read.
    func begin(_ size: Int) {
        requests += 1
        bytes += size
        let now = loop.now.nanoseconds
        if let rest = pace.spend(1 + size / Self.piece, limit, at: now), !isTooFast {
            isTooFast = true
            _ = loop.schedule(after: Interval(.nanoseconds(rest)), self)
        }
        holdUp()
    }

    /// Counts its answer.
    func end(_ size: Int) {
        requests -= 1
        bytes -= size
        holdUp()
    }

    func timerFired(_ cookie: UInt64) {
        isTooFast = false
        holdUp()
    }

    private func holdUp() {
        client.setReading(
            !isTooFast && requests < Self.requestLimit && bytes < Self.byteLimit)
    }
}

/// A connected client of an engine, on a WebSocket or in lines. Confined to the loop of its desk.
protocol EngineClient: AnyObject {
    /// Sends JSON objects.
    func say(_ objects: [[UInt8]])
    func setReading(_ isReading: Bool)
    /// Closes the connection after everything is sent.
    func end()
}
