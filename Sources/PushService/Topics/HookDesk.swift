import Base
import HTTP
import Mailbox
import Topics
import WebPush

/// Takes what services send to webhooks of Slack and Discord, on one loop.
///
/// The token is part of the address, and nothing else in a request counts: neither what a browser
/// adds for its person, nor that a program runs on this machine.
final class HookDesk {
    private let service: ServiceState
    private let door: TopicDoor
    private let intake: TopicIntake

    init(_ service: ServiceState, _ door: TopicDoor, _ intake: TopicIntake) {
        (self.service, self.door, self.intake) = (service, door, intake)
    }

    func serve(_ route: HookRoute, _ exchange: HTTPExchange) {
        exchange.label = "hook"
        guard exchange.head.method != .options else { return TopicAnswer.preflight(exchange) }
        do throws(HookRefusal) { try take(route, exchange) } catch {
            TopicAnswer.refuse(error, at: route.face, exchange)
        }
    }

    private func take(_ route: HookRoute, _ exchange: HTTPExchange) throws(HookRefusal) {
        guard let form = route.form else { throw .unknownHook }
        guard exchange.head.method == .post else { throw .otherMethod }
        guard service.store.isCurrent else { throw .unavailable }
        let visitor = try judge(exchange) { () throws(AccessRefusal) in
            try door.visitor(token: route.token)
        }
        let fields = NtfyFields(of: exchange)
        let head = exchange.head
        var query = HookQuery()
        if let range = head.query { query.record(head.fields.bytes.span.extracting(range)) }
        let message = try HookMessage(
            form, type: fields[.contentType], exchange.body, event: fields[.event],
            mayUpload: service.index.files.isOn)
        guard case .token(let terms) = visitor.caller else { throw .wrongToken }
        let topic = try terms.topic(named: query.topic, channel: message.channel)
        let place = try judge(exchange) { () throws(AccessRefusal) in
            try door.reach(topic, for: .publish, visitor)
        }
        let waits = query.waits
        intake.accept(message.publication, to: topic, place, by: visitor) { [service] accepted in
            switch accepted {
            case .success(let accepted):
                service.metrics.noteAnswered(after: exchange.age)
                guard form != .slack else { return TopicAnswer.slack(exchange) }
                guard waits else { return TopicAnswer.empty(exchange, 204) }
                let webhook = visitor.credential
                let json = accepted.discordJSON(
                    webhook: webhook?.row ?? 0, named: webhook?.name ?? "")
                TopicAnswer.json(json, exchange)
            case .failure(let refusal):
                TopicAnswer.refuse(HookRefusal(refusal), at: route.face, exchange)
            }
        }
    }

    private func judge<Decision>(
        _ exchange: HTTPExchange, _ body: () throws(AccessRefusal) -> Decision
    ) throws(HookRefusal) -> Decision {
        do throws(NtfyRefusal) { return try door.judge(exchange, body) } catch {
            throw HookRefusal(error)
        }
    }
}
