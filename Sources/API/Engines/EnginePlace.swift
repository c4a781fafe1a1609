import Mailbox
import PushService
import Reactor

/// A client of an engine, at the desk of its loop, which it keeps no busier than it may.
final class EnginePlace: TimerHandler {
    /// With so many requests that are not answered, or so many bytes of them, no more are read: whoever
    /// pushes waits for all that stand before it in a batch.
    private static let requestLimit = 8
    private static let byteLimit = 4 << 20
    /// A request of so many bytes counts for one more.
    private static let piece = 4 << 10

    let client: any EngineClient
    let role: EngineRole
    /// It has said that it fetches.
    var isFetching = false
    /// It has been told what it begins with.
    var isWelcome = false
    private let limit: PaceLimit
    private let loop: EventLoop
    private var requests = 0
    private var bytes = 0
    private var pace = Pace()
    /// A timer tells when it may go on.
    private var isTooFast = false

    init(_ client: any EngineClient, _ role: EngineRole, _ limit: PaceLimit, _ loop: EventLoop) {
        self.client = client
        self.role = role
        self.limit = limit
        self.loop = loop
    }

    /// A request of so many bytes was read.
    func begin(_ size: Int) {
        requests += 1
        bytes += size
        let now = loop.now.nanoseconds
        if let rest = pace.take(1 + size / Self.piece, limit, at: now), !isTooFast {
            isTooFast = true
            _ = loop.schedule(after: Interval(.nanoseconds(rest)), self)
        }
        holdUp()
    }

    /// It was answered.
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
