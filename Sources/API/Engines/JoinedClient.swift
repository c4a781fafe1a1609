import Base
import Mailbox
import Notifications
import PushService
import System

/// One client of an engine at the desk of its loop, with a limit on its requests.
final class JoinedClient: TimerHandler {
    /// When this many requests are unanswered, no more are read. A push waits for all requests
    /// before it in its batch.
    private static let requestLimit = 8
    private static let byteLimit = 4 << 20
    /// A large request counts once more for every 4 KiB.
    private static let piece = 4 << 10

    let client: any EngineClient
    let role: EngineRole
    let pass: Pass?
    /// The client said that it fetches.
    var isFetching = false
    /// The client has received the whole state, to which updates apply.
    private(set) var isWelcome = false
    /// Answers that wait until the client is told the whole state, which contains what its requests
    /// have changed. There are at most `requestLimit` of them.
    private var heldAnswers: [[UInt8]] = []
    private let limit: PaceLimit
    private let loop: EventLoop
    private var requests = 0
    private var bytes = 0
    private var pace = Pace()
    /// Reading has stopped because the client asks too fast; a timer will resume it.
    private var isTooFast = false

    init(
        _ client: any EngineClient, _ role: EngineRole, _ pass: Pass?, _ limit: PaceLimit,
        _ loop: EventLoop
    ) {
        self.client = client
        self.role = role
        self.pass = pass
        self.limit = limit
        self.loop = loop
    }

    /// The client starts over: it gets no updates until it is told the whole state.
    func startOver() { isWelcome = false }

    func welcome(_ objects: [[UInt8]]) {
        isWelcome = true
        client.send(objects + heldAnswers)
        heldAnswers = []
    }

    func answer(_ object: [UInt8]) {
        if isWelcome { client.send([object]) } else { heldAnswers.append(object) }
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
        updateReading()
    }

    /// Counts the answer to a request.
    func end(_ size: Int) {
        requests -= 1
        bytes -= size
        updateReading()
    }

    func timerFired(_ cookie: UInt64) {
        isTooFast = false
        updateReading()
    }

    private func updateReading() {
        client.setReading(
            !isTooFast && requests < Self.requestLimit && bytes < Self.byteLimit)
    }
}

/// A connected client of an engine, on a WebSocket or in lines. Only the loop of its desk uses it.
protocol EngineClient: AnyObject {
    /// Sends JSON objects.
    func send(_ objects: [[UInt8]])
    func setReading(_ isReading: Bool)
    /// Closes the connection after everything is sent.
    func end()
    /// Has the client connect to another node, if it can.
    func sendAway()
}

/// A client that asks an engine one question and leaves.
final class EngineQuestion: EngineClient, TimerHandler {
    private static let mark = EngineRequest.Mark.word("question")
    private static let patience = Duration.seconds(5)

    private let desk: EngineDesk
    private let then: (JSONNode?) -> Void
    private var id: EngineClientID?
    private var timer: TimerID?
    private var isDone = false

    private init(_ desk: EngineDesk, _ then: @escaping (JSONNode?) -> Void) {
        self.desk = desk
        self.then = then
    }

    /// Calls `then` with the answer, or with nil if none comes.
    static func ask(
        _ desk: EngineDesk, _ engine: UInt32, _ request: EngineRequest,
        then: @escaping (JSONNode?) -> Void
    ) {
        let question = EngineQuestion(desk, then)
        var role = EngineRole()
        role.isFetcher = false
        let id = desk.join(question, engine: engine, as: role)
        question.id = id
        question.timer = desk.loop.schedule(after: Interval(patience), question)
        desk.received(Array(request.json(marked: mark).utf8), from: id)
    }

    func send(_ objects: [[UInt8]]) {
        for object in objects {
            guard let answer = try? JSONDocument(object).root,
                EngineRequest.Mark(answer: answer) == Self.mark
            else { continue }
            return finish(answer)
        }
    }

    func setReading(_ isReading: Bool) {}

    func end() { finish(nil) }

    func sendAway() { finish(nil) }

    func timerFired(_ cookie: UInt64) {
        timer = nil
        finish(nil)
    }

    private func finish(_ answer: JSONNode?) {
        guard !isDone else { return }
        isDone = true
        if let timer = timer.take() { desk.loop.cancel(timer) }
        if let id = id.take() { desk.leave(id) }
        then(answer)
    }
}
