import Base
import Crypto
import HTTP
import Mailbox
import System
import Topics
import WebPush

/// Makes, changes and ends tokens for clients that ask for them in ntfy's language.
final class TokenDesk {
    /// Of a token whose client does not say when it ends, in seconds.
    private static let usualLifetime: Int64 = 72 * 3_600
    private static let labelLimit = 64
    private static let usualLabel = "ntfy"

    private let service: ServiceState
    private let desk: DeliveryDesk

    init(_ service: ServiceState, _ desk: DeliveryDesk) {
        (self.service, self.desk) = (service, desk)
    }

    /// A token that was made with a token can do no more, and ends with it.
    func make(_ exchange: HTTPExchange, _ visitor: TopicVisitor) throws(NtfyRefusal) {
        guard let credential = visitor.credential else { throw .unauthorized }
        let wish = try Self.wish(exchange.body)
        let now = Int64(service.now())
        let end = wish.expires.map(Int64.init) ?? now + Self.usualLifetime
        let terms = try Self.terms(for: visitor.caller, end: end == 0 ? nil : end)
        let label = wish.label.isEmpty ? Self.usualLabel : wish.label
        let made: MadeToken
        do throws(OpenSSLError) {
            let grant = TokenGrant(
                terms, parent: visitor.token, device: credential.token?.device)
            made = try MadeToken(
                grant, named: label, of: credential.owner, at: service, &desk.random)
        } catch { throw .failed }
        var answer = ServiceToken()
        (answer.token, answer.label) = (made.token.text, label)
        answer.expires = terms.end.map { Int($0) } ?? 0
        // Clients expect the maker's.
        answer.lastAccess = Int(now)
        answer.lastOrigin = exchange.client.map { "\($0)" } ?? ""
        let new = made.credential
        submit(label, new.row) { name in
            .addCredential(
                DeviceCredential(
                    row: new.row, secret: new.secret, name: name, owner: new.owner,
                    created: new.created, token: new.token))
        } then: { outcome in
            switch outcome {
            case .done: TopicAnswer.json(answer.json, exchange)
            case .full: TopicAnswer.refuse(NtfyRefusal.tooManyRequests, exchange)
            default: TopicAnswer.refuse(NtfyRefusal.failed, exchange)
            }
        }
    }

    /// Clients give all their tokens the same name, so a later one has its number as well.
    private func submit(
        _ name: String, _ row: UInt32, _ operation: @escaping (_ name: String) -> StoreOperation,
        then: @escaping (StoreOutcome) -> Void
    ) {
        desk.submit(
            operation(name),
            .other { [desk] outcome in
                guard outcome == .conflict else { return then(outcome) }
                desk.submit(operation("\(name) \(row)"), .other(then))
            })
    }

    private static func wish(_ body: [UInt8]) throws(NtfyRefusal) -> ServiceToken {
        var wish = try ServiceToken(request: body)
        // People see it in lists.
        wish.label = Printable.onScreen(wish.label, limit: labelLimit)
        return wish
    }

    private static func terms(
        for caller: TopicCaller, end: Int64?
    ) throws(NtfyRefusal) -> TokenTerms {
        switch caller {
        case .device(isReceiveOnly: false):
            guard let all = TopicPattern("*") else { throw .failed }
            return TokenTerms(.access, all, .usual, end: end)
        case .token(let terms):
            // Whoever asks could otherwise answer by a token of its own making.
            let rights = terms.rights.subtracting(.answer)
            guard let child = terms.child(.access, rights, end: end) else { throw .forbidden }
            return child
        case .device, .thisMachine, .stranger, .impostor: throw .forbidden
        }
    }

    /// Ends the token that the request names, or else the one that it comes with. A token may end
    /// itself and those that were made with it.
    func remove(_ exchange: HTTPExchange, _ visitor: TopicVisitor) throws(NtfyRefusal) {
        let named = exchange.head.fields.joinedValue(of: "x-token").map {
            String(decoding: $0, as: UTF8.self)
        }
        let (ended, _) = try token(named, for: visitor)
        desk.submit(
            .removeCredential(ended.row),
            .other { outcome in
                guard Verdict(outcome) == .accepted || outcome == .notFound else {
                    return TopicAnswer.refuse(NtfyRefusal.failed, exchange)
                }
                TopicAnswer.json(ServiceAnswers.success, exchange)
            })
    }

    /// Changes label and end of the token that the request names, or else of the one that it comes
    /// with. If the request says neither, it ends later: clients ask for that again and again.
    func change(_ exchange: HTTPExchange, _ visitor: TopicVisitor) throws(NtfyRefusal) {
        let wish = try Self.wish(exchange.body)
        let (changed, grant) = try token(wish.token.isEmpty ? nil : wish.token, for: visitor)
        let now = Int64(service.now())
        var end = grant.terms.end
        if let asked = wish.expires {
            end = asked == 0 ? nil : Int64(asked)
        } else if wish.label.isEmpty {
            end = end.map { max($0, now + Self.usualLifetime) }
        }
        // As a token that it had made could have, or one with no end of its own.
        let limit = visitor.credential?.token?.terms.end
        let terms = grant.terms.ending(at: [end, limit].compactMap(\.self).min())
        let name = wish.label.isEmpty ? changed.name : wish.label
        var answer = ServiceToken()
        (answer.token, answer.label) = (wish.token, name)
        answer.expires = terms.end.map { Int($0) } ?? 0
        answer.lastAccess = service.presence.lastSeen(changed).map { Int($0 / 1_000) }
        submit(name, changed.row) { name in
            .changeToken(changed.row, name: name, terms)
        } then: { outcome in
            switch outcome {
            case .done: TopicAnswer.json(answer.json, exchange)
            case .notFound: TopicAnswer.refuse(NtfyRefusal.noToken, exchange)
            default: TopicAnswer.refuse(NtfyRefusal.failed, exchange)
            }
        }
    }

    /// The token of this text, or else the visitor's own. A token reaches itself and those that
    /// were made with it.
    private func token(
        _ text: String?, for visitor: TopicVisitor
    ) throws(NtfyRefusal) -> (DeviceCredential, TokenGrant) {
        guard let own = visitor.credential else { throw .unauthorized }
        var found: DeviceCredential? = own
        if let text { found = TopicToken(text).flatMap { service.index.token($0) } }
        guard let found, let grant = found.token, found.owner == own.owner,
            visitor.caller == .device(isReceiveOnly: false) || found.row == own.row
                || grant.parent == own.row
        else { throw .noToken }
        return (found, grant)
    }
}
