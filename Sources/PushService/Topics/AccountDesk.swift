import Base
import HTTP
import Mailbox
import System
import Topics

/// Answers what clients of ntfy ask of a server besides messages, on one loop.
final class AccountDesk {
    private let service: ServiceState
    private let door: TopicDoor
    private let tokens: TokenDesk

    init(_ service: ServiceState, _ desk: DeliveryDesk, _ door: TopicDoor) {
        self.service = service
        self.door = door
        tokens = TokenDesk(service, desk)
    }

    /// False for what others answer.
    func serve(_ route: NtfyRoute, _ exchange: HTTPExchange) throws(NtfyRefusal) -> Bool {
        switch route {
        case .topic: try showPage(exchange)
        case .mayRead(let topics):
            try door.judge(exchange) { () throws(AccessRefusal) in
                let visitor = try door.visitor(exchange, at: .ntfy)
                for topic in topics { _ = try door.place(of: topic, for: .read, visitor) }
            }
            TopicAnswer.json(ServiceAnswers.success, exchange)
        case .configuration:
            TopicAnswer.json(
                ServiceAnswers.configuration(
                    requiresLogin: requiresLogin, revision: service.settings.version), exchange)
        case .configurationScript:
            TopicAnswer.send(
                ServiceAnswers.script(
                    requiresLogin: requiresLogin, revision: service.settings.version),
                "text/javascript; charset=utf-8", exchange)
        case .statistics: TopicAnswer.json(statistics, exchange)
        case .version:
            guard isAdministrator(try visitor(exchange)) else { throw .unauthorized }
            TopicAnswer.json(
                ServiceAnswers.version(service.settings.version, commit: "", date: ""), exchange)
        case .account: TopicAnswer.json(account(of: try visitor(exchange)).json, exchange)
        case .signUp: throw .noSignUp
        case .makeToken: try tokens.make(exchange, try visitor(exchange))
        case .changeToken: try tokens.change(exchange, try visitor(exchange))
        case .removeToken: try tokens.remove(exchange, try visitor(exchange))
        // As a server says that has none.
        case .reserve, .release: throw .unauthorized
        default: return false
        }
        return true
    }

    private func visitor(_ exchange: HTTPExchange) throws(NtfyRefusal) -> TopicVisitor {
        try door.judge(exchange) { () throws(AccessRefusal) in
            try door.visitor(exchange, at: .ntfy)
        }
    }

    /// Applications ask it whether they may push to a topic.
    private func showPage(_ exchange: HTTPExchange) throws(NtfyRefusal) {
        guard NtfyFields(of: exchange).flag(.isUnifiedPush) else { throw .notFound }
        TopicAnswer.json(TopicAnswer.discovery, exchange)
    }

    private var requiresLogin: Bool { service.admission.registration != .open }

    private var statistics: [UInt8] {
        let count = service.metrics.acceptedCount
        let seconds = max(1, WallClock.now - service.metrics.began)
        return ServiceAnswers.statistics(messages: count, perSecond: Double(count) / seconds)
    }

    private func isAdministrator(_ visitor: TopicVisitor) -> Bool {
        visitor.caller == .device(isReceiveOnly: false) && visitor.owner == Owner.administrator
    }

    private func account(of visitor: TopicVisitor) -> ServiceAccount {
        var account =
            visitor.credential.map { credential in
                ServiceAccount(credential.owner, isAdministrator: isAdministrator(visitor))
            } ?? ServiceAccount()
        account.limits.historySeconds = Int(service.history.lifetime)
        if visitor.isKnown, service.index.files.isOn {
            let limits = FileLimits()
            (account.limits.attachment, account.limits.allAttachments) = (limits.file, limits.owner)
            account.limits.attachmentSeconds = Int(
                TopicFiles.lifetime(keptFor: service.history.lifetime))
        }
        return account
    }
}
