import Base
import HTTP
import Mailbox
import Topics

/// Serves the addresses of topics on one loop: all that no other part of the service has.
final class TopicHandler {
    private let service: ServiceState
    private let door: TopicDoor
    private let intake: TopicIntake
    private let gotify: GotifyDesk
    private let streams: StreamIntake
    private let accounts: AccountDesk
    let applications: ApplicationIntake
    private let files: FileDesk
    private let questions: QuestionIntake
    private let hooks: HookDesk

    /// The most bytes of a body whose sender has no credential.
    private static let bodyLimit = 64 * 1024
    /// Room for the text beside a file.
    private static let uploadLimit = Publication.uploadLimit + bodyLimit

    init(_ service: ServiceState, _ desk: DeliveryDesk) throws {
        self.service = service
        door = try TopicDoor(service)
        files = FileDesk(service, on: desk.loop)
        let waiting = QuestionDesk(service, on: desk.loop)
        intake = TopicIntake(service, desk, door, files, waiting)
        questions = QuestionIntake(service, door, intake)
        streams = StreamIntake(service, desk, door)
        hooks = HookDesk(service, door, intake)
        gotify = GotifyDesk(service, desk, door, intake, streams)
        accounts = AccountDesk(service, desk, door)
        applications = ApplicationIntake(service, desk, door, intake)
    }

    var ownerIntake: OwnerIntake { OwnerIntake(intake) }

    /// `path` is the path of the request without that of base-url.
    func bodyLimit(for head: borrowing RequestHead, _ path: Span<UInt8>) -> Int {
        if let hook = HookRoute(path: path) {
            return door.mayUpload(token: hook.token) ? Self.uploadLimit : Self.bodyLimit
        }
        if let route = try? GotifyRoute.find(head.method.text, path) {
            guard let limit = GotifyDesk.bodyLimit(of: route),
                door.mayUpload(head, at: .gotify)
            else { return Self.bodyLimit }
            return limit
        }
        return door.mayUpload(head, at: .ntfy) ? Self.uploadLimit : Self.bodyLimit
    }

    func answerToOversized(
        _ head: borrowing RequestHead, _ path: Span<UInt8>
    ) -> (ResponseHead, body: [UInt8]) {
        if let hook = HookRoute(path: path) {
            return TopicAnswer.parts(HookRefusal.tooLarge, at: hook.face)
        }
        let isGotify = (try? GotifyRoute.find(head.method.text, path)) != nil
        guard !isGotify else { return TopicAnswer.parts(GotifyRefusal.tooLarge) }
        return TopicAnswer.parts(path.count <= 1 ? NtfyRefusal.largeJSON : .largeAttachment)
    }

    func serve(_ exchange: HTTPExchange, _ path: Range<Int>) {
        let head = exchange.head
        let path = head.fields.bytes.span.extracting(path)
        if let hook = HookRoute(path: path) { return hooks.serve(hook, exchange) }
        exchange.label = "topic"
        do throws(GotifyRefusal) {
            if let route = try GotifyRoute.find(head.method.text, path) {
                return try gotify.serve(route, exchange)
            }
        } catch { return TopicAnswer.refuse(error, exchange) }
        do throws(NtfyRefusal) {
            try serve(NtfyRoute(method: head.method.text, path: path), exchange)
        } catch {
            TopicAnswer.refuse(error, exchange)
        }
    }

    private func serve(
        _ route: NtfyRoute, _ exchange: HTTPExchange
    ) throws(NtfyRefusal) {
        switch route {
        case .preflight: return TopicAnswer.preflight(exchange)
        case .root: return TopicAnswer.empty(exchange)
        case .health:
            let isUsable = service.store.isUsable
            return TopicAnswer.json(
                ServiceAnswers.health(isHealthy: isUsable), exchange, isUsable ? 200 : 503)
        default: break
        }
        guard service.store.isCurrent else { throw .failed }
        switch route {
        case .publish(let topic, let sequence):
            try intake.publish(exchange, to: topic, sequence: sequence)
        case .trigger(let topic): try intake.publish(exchange, to: topic, sequence: "")
        case .clear(let topic, let sequence):
            try intake.end(exchange, sequence, of: topic, .clear)
        case .delete(let topic, let sequence):
            try intake.end(exchange, sequence, of: topic, .delete)
        case .file(let name): try files.serve(name, exchange)
        case .question(let id): try questions.show(id, exchange)
        case .withdraw(let id): try questions.withdraw(id, exchange)
        case .answer(let id): try questions.answer(id, exchange)
        case .publishJSON: try intake.publishJSON(exchange)
        case .stream(let form, let topics): streams.open(exchange, as: form, topics)
        default: if try !accounts.serve(route, exchange) { throw .notFound }
        }
    }
}
