import Base
import HTTP
import Mailbox
import System
import Topics

/// Serves the addresses of questions, `/v1/questions/ID`, on one loop.
final class QuestionIntake {
    private let service: ServiceState
    private let door: TopicDoor
    private let intake: TopicIntake

    init(_ service: ServiceState, _ door: TopicDoor, _ intake: TopicIntake) {
        (self.service, self.door, self.intake) = (service, door, intake)
    }

    private var desk: QuestionDesk { intake.questions }

    /// Answers with the question as it is, or, if the request says `wait`, when it ends.
    func show(_ id: TopicMessageID, _ exchange: HTTPExchange) throws(NtfyRefusal) {
        let seconds = try NtfyFields(of: exchange).wait()
        try find(id, exchange) { [desk] question, rights in
            let mayAnswer = rights.mayAnswer && question.asker != rights.credential.row
            guard let seconds else {
                return desk.tell(question, exchange, isForPresser: mayAnswer)
            }
            desk.hold(
                exchange, question, for: seconds, with: .credential(rights.credential.row),
                isForPresser: mayAnswer)
        }
    }

    /// Only whoever has asked, and the owner, withdraws it.
    func withdraw(_ id: TopicMessageID, _ exchange: HTTPExchange) throws(NtfyRefusal) {
        try find(id, exchange) { [self] _, rights in
            let credential = rights.credential
            let presser = QuestionPresser(credential.row, named: credential.name, at: .request)
            submit(.withdraw(presser, id, mayAlways: rights.isOwner), exchange)
        }
    }

    /// Answers it: in the name of the caller, or of whoever the stream has offered it to.
    func answer(_ id: TopicMessageID, _ exchange: HTTPExchange) throws(NtfyRefusal) {
        let given = try GivenAnswer(exchange.body)
        if let capability = given.capability {
            return try answer(id, by: capability, exchange)
        }
        try find(id, exchange) { [self] question, rights in
            guard rights.mayAnswer else {
                return TopicAnswer.refuse(NtfyRefusal.forbidden, exchange)
            }
            let credential = rights.credential
            let presser = QuestionPresser(credential.row, named: credential.name, at: .request)
            submit(
                .press(QuestionPress(.text(given.answer), to: given.number, by: presser), id),
                exchange)
        }
    }

    private func submit(_ operation: QuestionOperation, _ exchange: HTTPExchange) {
        desk.submit(operation) { [desk] result in
            do throws(NtfyRefusal) { desk.tell(try result.get(), exchange) } catch {
                TopicAnswer.refuse(error, exchange)
            }
        }
    }
}

/// Who may do what.
extension QuestionIntake {
    private struct Rights {
        let credential: DeviceCredential
        /// It is a device of the owner.
        let isOwner: Bool
        let mayAnswer: Bool
        let maySee: Bool

        init(_ visitor: TopicVisitor, _ credential: DeviceCredential, _ topic: Registration) {
            func may(_ use: TopicUse) -> Bool {
                guard visitor.owner == topic.owner, visitor.caller.allows(use) else { return false }
                guard case .token(let terms) = visitor.caller else { return true }
                return topic.terms.topicName.map { terms.pattern.matches($0) } ?? false
            }
            self.credential = credential
            mayAnswer = may(.answer)
            isOwner = credential.token == nil && mayAnswer
            maySee = mayAnswer || may(.read)
        }
    }

    /// Finds a question that the caller may know of. Whether others are there is not told.
    private func find(
        _ id: TopicMessageID, _ exchange: HTTPExchange,
        then: @escaping (Question, Rights) -> Void
    ) throws(NtfyRefusal) {
        let visitor = try door.judge(exchange) { () throws(AccessRefusal) in
            try door.visitor(exchange, at: .ntfy)
        }
        guard let credential = visitor.credential else { throw .forbidden }
        load(id, exchange) { question, topic in
            let rights = Rights(visitor, credential, topic)
            guard rights.maySee || question.asker == credential.row else { return false }
            then(question, rights)
            return true
        }
    }

    /// `then` returns whether the caller may know of it.
    private func load(
        _ id: TopicMessageID, _ exchange: HTTPExchange,
        then: @escaping (Question, Registration) -> Bool
    ) {
        desk.load(id) { [self] found in
            do throws(NtfyRefusal) {
                guard let question = try found.get() else { throw unknown(id, exchange) }
                intake.load(question.device) { [self] entry in
                    do throws(NtfyRefusal) {
                        guard then(question, try entry.get().registration) else {
                            throw unknown(id, exchange)
                        }
                    } catch { TopicAnswer.refuse(error, exchange) }
                }
            } catch { TopicAnswer.refuse(error, exchange) }
        }
    }

    private func unknown(_ id: TopicMessageID, _ exchange: HTTPExchange) -> NtfyRefusal {
        // Another node may just have stored it.
        if service.index.mayBeElsewhere(id) { return .behind }
        return service.isGuessing(exchange.client) ? .tooManyRequests : .noQuestion
    }

    /// The caller has been offered this answer, and may still have the right to it.
    private func answer(
        _ id: TopicMessageID, by capability: QuestionCapability, _ exchange: HTTPExchange
    ) throws(NtfyRefusal) {
        load(id, exchange) { [self] question, topic in
            guard door.isGenuine(capability, of: question) else { return false }
            guard let credential = service.index.credential(row: capability.credential),
                credential.mayAnswer(at: topic, now: Int64(service.now()))
            else {
                TopicAnswer.refuse(NtfyRefusal.forbidden, exchange)
                return true
            }
            let presser = QuestionPresser(credential.row, named: credential.name, at: .stream)
            let press = QuestionPress(
                .place(capability.answer), to: question.asked.number, by: presser)
            submit(.press(press, id), exchange)
            return true
        }
    }
}

/// The body of a request that answers.
private struct GivenAnswer: Confidential {
    var answer = ""
    var number: UInt64 = 0
    var capability: QuestionCapability?

    init(_ body: [UInt8]) throws(NtfyRefusal) {
        guard let root = try? JSONDocument(body).root, root.kind == .object else { throw .badJSON }
        if let text = root["capability"]?.text {
            guard let capability = QuestionCapability(text) else { throw .badAnswer }
            self.capability = capability
            return
        }
        guard let answer = root["answer"]?.text,
            let number = root["number"]?.textOrNumber.flatMap({ UInt64($0) })
        else { throw .badAnswer.because("it has an answer, and the number of its question") }
        (self.answer, self.number) = (answer, number)
    }
}
