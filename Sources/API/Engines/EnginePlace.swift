import Mailbox
import PushService
import Reactor

/// One client of an engine at the desk of its loop, with a limit on its requests.
final class EnginePlace: TimerHandler {
    /// When this many requests are unanswered, no more are read. A push waits for all requests
    /// before it in its batch.
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
    /// Reading has stopped because the client asks too fast; a timer will resume it.
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

    /// Counts the answer to a request.
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

/// A connected client of an engine, on a WebSocket or in lines. Only the loop of its desk uses it.
protocol EngineClient: AnyObject {
    /// Sends JSON objects.
    func say(_ objects: [[UInt8]])
    func setReading(_ isReading: Bool)
    /// Closes the connection after everything is sent.
    func end()
}
