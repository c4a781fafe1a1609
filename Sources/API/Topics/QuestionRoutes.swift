import Base
import HTTP
import Mailbox
import PushService
import System
import Topics

/// `/api/v1/questions`: an owner asks at topics, and takes questions back. The body of a question is
/// the JSON that ntfy's clients publish.
final class QuestionRoutes {
    typealias Reply = (APIResult) -> Void

    private let service: ServiceState
    private let dialogue: StoreDialogue
    private let desk: QuestionDesk
    @exclusivity(unchecked) private var drafts: QuestionDraft

    init(_ registrations: RegistrationRoutes, on loop: EventLoop) {
        service = registrations.service
        dialogue = registrations.dialogue
        desk = QuestionDesk(registrations.service, on: loop)
        drafts = QuestionDraft(registrations.service)
    }

    /// Answers with the question, or, unless the request prefers otherwise, at its end.
    func ask(_ exchange: HTTPExchange, _ caller: APICaller, _ reply: @escaping Reply) {
        let (name, publication): (String, Publication)
        do throws(NtfyRefusal) {
            (name, publication) = try Self.publication(exchange, now: Int64(service.now()))
        } catch { return reply(.failure(.badBody(error.text))) }
        guard let wish = publication.question else {
            return reply(.failure(.badBody("it asks nothing: ask is missing")))
        }
        find(name, caller, reply) { [self] topic in
            let operation: QuestionOperation
            do throws(NtfyRefusal) {
                operation = try drafts.operation(
                    wish, publication, at: topic, by: caller.credential ?? 0)
            } catch { return reply(.failure(APIRefusal(error))) }
            desk.submit(operation) { [desk] result in
                guard let question = Self.question(result, reply) else { return }
                guard wish.isHeld else { return desk.tell(question, exchange, 202) }
                desk.hold(exchange, question, for: nil, with: caller.pass)
            }
        }
    }

    private static func publication(
        _ exchange: HTTPExchange, now: Int64
    ) throws(NtfyRefusal) -> (String, Publication) {
        var fields = NtfyFields()
        exchange.head.fields.forEach { fields.record($0, $1) }
        let published = try fields.record(json: exchange.body)
        var publication = try Publication(
            fields, published.text,
            Publication.Circumstances(now: now, mayUpload: false) { _ in nil })
        // Callers reach topics of their own alone.
        publication.isByOwner = true
        return (published.topic.text, publication)
    }

    /// The topic of the caller with this name or id.
    private func find(
        _ name: String, _ caller: APICaller, _ reply: @escaping Reply,
        then: @escaping (Registration) -> Void
    ) {
        dialogue.load(.registration(.all(owner: caller.owner))) { [service] answer in
            guard case .registration(.all(let all)) = answer else {
                return reply(.failure(.unavailable))
            }
            if let objection = service.objection(to: caller) { return reply(.failure(objection)) }
            let topics = all.filter { $0.terms.isOnlyShown }
            let found =
                topics.last { $0.terms.account == name } ?? topics.first { $0.id.text == name }
            guard let found else { return reply(.failure(.unknown)) }
            then(found)
        }
    }

    /// Answers when the question has ended, or after the time that the request says.
    func show(
        _ id: String, _ exchange: HTTPExchange, _ caller: APICaller, _ reply: @escaping Reply
    ) {
        let seconds: UInt32?
        do throws(NtfyRefusal) {
            let query = exchange.head.query.map { QueryItems(exchange.head.text($0)) }
            seconds = try QuestionWish.seconds(query?["wait"] ?? "")
        } catch { return reply(.failure(.badBody(error.text))) }
        load(id, caller, reply) { [desk] question in
            guard let seconds else { return desk.tell(question, exchange) }
            desk.hold(exchange, question, for: seconds, with: caller.pass)
        }
    }

    func withdraw(
        _ id: String, _ exchange: HTTPExchange, _ caller: APICaller, _ reply: @escaping Reply
    ) {
        load(id, caller, reply) { [desk] question in
            let presser = QuestionPresser(
                caller.credential ?? 0, named: caller.owner, at: .request)
            desk.submit(.withdraw(presser, question.id, mayAlways: true)) { result in
                guard let question = Self.question(result, reply) else { return }
                desk.tell(question, exchange)
            }
        }
    }

    /// Chooses an answer, or takes the question back if there is none, in the name of the owner who
    /// sees it on a screen of the server's own.
    func end(
        _ id: String, _ choice: (answer: QuestionPress.Choice, number: UInt64)?,
        _ caller: APICaller, then: @escaping (Result<Question, APIRefusal>) -> Void
    ) {
        let presser = QuestionPresser(
            caller.credential ?? 0, named: caller.owner, at: .screen)
        let refuse: Reply = { if case .failure(let refusal) = $0 { then(.failure(refusal)) } }
        load(id, caller, isOwn: true, refuse) { [desk] question in
            let operation: QuestionOperation =
                choice.map { answer, number in
                    .press(QuestionPress(answer, to: number, by: presser), question.id)
                } ?? .withdraw(presser, question.id, mayAlways: true)
            desk.submit(operation) { then($0.mapError { APIRefusal($0) }) }
        }
    }

    /// A question at a topic that the caller may use, or that is the caller's own.
    private func load(
        _ id: String, _ caller: APICaller, isOwn: Bool = false, _ reply: @escaping Reply,
        then: @escaping (Question) -> Void
    ) {
        guard let id = TopicMessageID(id) else { return reply(.failure(.unknown)) }
        desk.load(id) { [service, dialogue] found in
            guard case .success(let found) = found else { return reply(.failure(.unavailable)) }
            guard let question = found else {
                let isBehind = service.index.mayBeElsewhere(id)
                return reply(.failure(isBehind ? .unavailable : .unknown))
            }
            dialogue.load(.registration(.ofDevice(question.device))) { answer in
                if let objection = service.objection(to: caller) {
                    return reply(.failure(objection))
                }
                guard case .registration(.one(let topic, _)) = answer,
                    isOwn ? topic.owner == caller.owner : caller.mayUse(topic.owner)
                else { return reply(.failure(.unknown)) }
                then(question)
            }
        }
    }

    private static func question(
        _ result: Result<Question, NtfyRefusal>, _ reply: Reply
    ) -> Question? {
        do throws(NtfyRefusal) { return try result.get() } catch {
            reply(.failure(APIRefusal(error)))
            return nil
        }
    }
}

extension APIRefusal {
    /// Why a question is not asked, or not taken back.
    fileprivate init(_ refusal: NtfyRefusal) {
        switch refusal {
        case .askedOtherwise: self = .askedOtherwise
        case .tooManyQuestions: self = .tooManyQuestions
        case .tooManyRequests: self = .full
        case .noQuestion: self = .unknown
        case .forbidden: self = .notAllowed
        case .badAnswer: self = .badBody(refusal.text)
        case .otherQuestion: self = .otherRequest
        default: self = .unavailable
        }
    }
}
