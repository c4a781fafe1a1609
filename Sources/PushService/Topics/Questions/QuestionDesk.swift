import Base
package import HTTP
package import Mailbox
package import System
package import Topics

/// Lets callers wait for the ends of questions, on one loop.
///
/// The store says after the commit which questions have ended, and the desk reads how. It listens
/// first and reads then, so no end is missed. Only its loop uses it: other threads use `loop.post`.
// Unchecked: it is used only on the loop's thread.
package final class QuestionDesk: @unchecked Sendable {
    private static let pause = Interval(.milliseconds(250))
    private static let tickCookie: UInt64 = 0
    private static let againCookie: UInt64 = 1
    private static let silence = Array("\n".utf8)

    let service: ServiceState
    let loop: EventLoop
    let sessions: SessionRegister
    let terms = HTTPStreamTerms(isOneAnswer: true)
    private let dialogue: StoreDialogue
    /// The path of base-url.
    private let base: String
    private let interval: Interval
    @exclusivity(unchecked) private var waiters = Gatherings<TopicMessageID, QuestionWaiter>()
    /// Questions that could not be read.
    @exclusivity(unchecked) private var unread: Set<TopicMessageID> = []
    @exclusivity(unchecked) private var isTicking = false

    package init(_ service: ServiceState, on loop: EventLoop) {
        (self.service, self.loop) = (service, loop)
        sessions = service.sessions(on: loop)
        dialogue = StoreDialogue(on: loop, service.store)
        let settings = service.settings
        base = settings.baseURL.path
        interval = Interval(.seconds(settings.streamSilence))
    }

    static let start = "/v1/questions/"

    static func path(of question: TopicMessageID) -> String { start + question.text }

    /// Nil if there is none; no call for what cannot be read now.
    package func load(
        _ id: TopicMessageID, then: @escaping (Result<Question?, NtfyRefusal>) -> Void
    ) {
        dialogue.load(.question(id)) { answer in
            guard case .question(let question) = answer else { return then(.failure(.failed)) }
            then(.success(question))
        }
    }

    package func submit(
        _ operation: QuestionOperation,
        then: @escaping (Result<Question, NtfyRefusal>) -> Void
    ) {
        dialogue.submit(.registration(.question(operation))) { then($0.question) }
    }
}

/// Answers.
extension QuestionDesk {
    package func tell(
        _ question: Question, _ exchange: HTTPExchange, _ status: Int = 200,
        isForPresser: Bool = false
    ) {
        let body = question.json(isForPresser: isForPresser) + [UInt8(ascii: "\n")]
        exchange.respond(head(exchange, status, question.id), body: body)
    }

    private func head(
        _ exchange: HTTPExchange, _ status: Int, _ question: TopicMessageID
    ) -> ResponseHead {
        var head = TopicAnswer.head(exchange, status, "application/json")
        head.fields.append("Location", base + Self.path(of: question))
        return head
    }

    /// Answers when the question has ended, or after so many seconds. The head goes out at once, and
    /// line breaks after it say that the connection lives.
    package func hold(
        _ exchange: HTTPExchange, _ question: Question, for seconds: UInt32?, with pass: Pass,
        isForPresser: Bool = false
    ) {
        guard question.isOpen else {
            return tell(question, exchange, isForPresser: isForPresser)
        }
        // It may have ended while the store was asked.
        if let credential = pass.credential, service.index.credential(row: credential) == nil {
            return TopicAnswer.refuse(NtfyRefusal.unauthorized, exchange)
        }
        let waiter = QuestionWaiter(question.id, at: self, pass, isForPresser: isForPresser)
        guard waiter.begin(exchange, head(exchange, 200, question.id), seconds) else { return }
        if waiters.add(waiter, to: question.id) {
            service.index.topics.listen(self, to: question.id)
        }
        tick()
        read(question.id)
    }

    func leave(_ waiter: QuestionWaiter) {
        if waiters.remove(waiter, from: waiter.id) {
            service.index.topics.stopListening(self, to: waiter.id)
        }
    }

    private func read(_ id: TopicMessageID) {
        load(id) { [self] found in
            do throws(NtfyRefusal) {
                let question = try found.get()
                guard question?.isOpen != true else { return }
                for waiter in waiters.members(of: id) { waiter.end(question) }
            } catch {
                if unread.isEmpty {
                    _ = loop.schedule(after: Self.pause, self, cookie: Self.againCookie)
                }
                unread.insert(id)
            }
        }
    }
}

extension QuestionDesk: StoreListener {
    package func receive(_ news: [QuestionNews]) {
        loop.post { for item in news where self.waiters.has(item.id) { self.read(item.id) } }
    }

    package func storeReturned() {
        loop.post { for id in self.waiters.keys { self.read(id) } }
    }
}

/// Time passes.
extension QuestionDesk: TimerHandler {
    private func tick() {
        guard !isTicking else { return }
        isTicking = true
        _ = loop.schedule(after: interval, self, cookie: Self.tickCookie)
    }

    package func timerFired(_ cookie: UInt64) {
        guard cookie == Self.tickCookie else {
            let again = unread
            unread = []
            for id in again where waiters.has(id) { read(id) }
            return
        }
        isTicking = false
        for waiter in waiters.all { waiter.write(Self.silence) }
        if !waiters.isEmpty { tick() }
    }
}

/// A request that waits for the end of a question. Only the loop of its desk uses it.
final class QuestionWaiter {
    let id: TopicMessageID
    private let desk: QuestionDesk
    private let pass: Pass
    private let isForPresser: Bool
    @exclusivity(unchecked) private var stream: HTTPStream?
    @exclusivity(unchecked) private var timer: TimerID?

    init(_ id: TopicMessageID, at desk: QuestionDesk, _ pass: Pass, isForPresser: Bool) {
        (self.id, self.desk, self.pass) = (id, desk, pass)
        self.isForPresser = isForPresser
    }

    /// False if nobody is there to wait.
    func begin(_ exchange: HTTPExchange, _ head: ResponseHead, _ seconds: UInt32?) -> Bool {
        stream = exchange.stream(head, desk.terms, to: self)
        guard stream != nil else { return false }
        desk.sessions.enter(self, with: pass)
        if let seconds {
            timer = desk.loop.schedule(after: Interval(.seconds(Int64(seconds))), self)
        }
        return true
    }

    func write(_ bytes: [UInt8]) { stream?.write(bytes.span) }

    /// Nil for a question that has ended with its topic.
    func end(_ question: Question?) {
        guard let stream else { return }
        leave()
        let body = question?.json(isForPresser: isForPresser) ?? Question.gone(id)
        stream.write((body + [UInt8(ascii: "\n")]).span)
        stream.end()
    }

    private func leave() {
        stream = nil
        if let timer = timer.take() { desk.loop.cancel(timer) }
        desk.sessions.leave(self, with: pass)
        desk.leave(self)
    }
}

extension QuestionWaiter: HTTPStreamHandler {
    func closed(_ stream: HTTPStream) { leave() }
}

extension QuestionWaiter: PassHolder {
    func passEnded() {
        let stream = stream
        leave()
        stream?.cut()
    }
}

extension QuestionWaiter: TimerHandler {
    /// The caller has waited long enough, and is told what is so far.
    func timerFired(_ cookie: UInt64) {
        timer = nil
        desk.load(id) { [self] found in
            do throws(NtfyRefusal) { end(try found.get()) } catch { passEnded() }
        }
    }
}
