import Base
import Mailbox
import Reactor

/// A client that asks an engine one question and leaves.
final class EngineQuestion: EngineClient, TimerHandler {
    /// The member `@extra` of the question, by which its answer is known.
    static let mark = "question"
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
        _ desk: EngineDesk, _ engine: UInt32, _ request: [UInt8],
        then: @escaping (JSONNode?) -> Void
    ) {
        let question = EngineQuestion(desk, then)
        var role = EngineRole()
        role.isFetcher = false
        let id = desk.join(question, engine: engine, as: role)
        question.id = id
        question.timer = desk.loop.schedule(after: Interval(patience), question)
        desk.received(request, from: id)
    }

    func say(_ objects: [[UInt8]]) {
        for object in objects {
            guard let answer = try? JSONDocument(object).root,
                answer["@extra"]?.text == Self.mark
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
