import Base
import Crypto
import HTTP
import Mailbox
import System
import Topics
import WebPush

/// Who asks for topics, as far as the store knows the credential.
struct TopicVisitor: Confidential {
    let caller: TopicCaller
    /// Whose topics the names in a request are; nil for somebody without topics.
    let owner: String?
    /// Nil for a visitor without one.
    let credential: DeviceCredential?

    /// Attachments and much else are for visitors who can be told apart.
    var isKnown: Bool { credential != nil }

    /// The credential is of that owner, and for this topic.
    func isKnown(to owner: String, for topic: TopicName?) -> Bool {
        guard isKnown, self.owner == owner else { return false }
        guard case .token(let terms) = caller else { return true }
        return topic.map(terms.pattern.matches) ?? false
    }

    /// With this, a stream ends when the right of its reader does.
    var pass: Pass { credential.map { .credential($0.row) } ?? .open }
}

/// Decides who asks for topics, and which topic a name is. Each loop has one.
final class TopicDoor {
    enum Place: Equatable {
        /// By the registration.
        case topic(UInt32)
        /// The visitor's owner has no such topic; it is to be made.
        case new
    }

    let service: ServiceState
    private let pages: PageGuard
    @exclusivity(unchecked) private var namer: TopicNamer
    @exclusivity(unchecked) var capabilities: TopicNamer

    init(_ service: ServiceState) throws(OpenSSLError) {
        self.service = service
        pages = PageGuard(service)
        namer = try service.makeTopicNamer()
        capabilities = try service.makeTopicNamer()
    }

    /// `changesByGET`: the request changes something although its method is GET. `topic`: what it is
    /// about, if it is one.
    func visitor(
        _ exchange: HTTPExchange, at face: TopicFace, changesByGET: Bool = false,
        about topic: TopicName? = nil
    ) throws(AccessRefusal) -> TopicVisitor {
        let head = exchange.head
        let fields = Self.fields(of: head)
        let isForeign = head.fields.contains("origin") && pages.judge(exchange) != .ours
        let presented = try fields.credential(
            at: face, isOriginForeign: isForeign, changesByGET: changesByGET)
        if let presented { return try known(presented.secret, about: topic) }
        let anonymous = AnonymousCaller(
            isListenerForThisMachine: exchange.listener.isForThisMachine
                && !exchange.listener.isClosed && exchange.client?.isLoopback == true,
            isRegistrationOpen: service.admission.registration == .open,
            host: head.authority.map { head.text($0) } ?? "")
        let caller = anonymous.caller(fields)
        return TopicVisitor(
            caller: caller, owner: caller == .thisMachine ? Owner.administrator : nil,
            credential: nil)
    }

    /// Whoever has the address in which the token is.
    func visitor(token: String) throws(AccessRefusal) -> TopicVisitor {
        guard let token = TopicToken(token) else { throw .wrongCredential }
        return try known(.token(token))
    }

    private static func fields(of head: borrowing RequestHead) -> CallerFields {
        var fields = CallerFields()
        head.fields.forEach { fields.record($0, $1) }
        if let query = head.query {
            fields.record(query: head.fields.bytes.span.extracting(query))
        }
        return fields
    }

    private func known(
        _ secret: PresentedCredential.Secret, about topic: TopicName? = nil
    ) throws(AccessRefusal) -> TopicVisitor {
        let found =
            switch secret {
            case .token(let token): service.index.token(token)
            case .device(let secret): service.index.credential(secret: Array(secret.utf8).span)
            }
        guard let credential = found else { throw .wrongCredential }
        guard credential.isConfirmed else {
            note(refused: credential, about: topic, ListedRefusal.Reason.unconfirmed)
            throw .wrongCredential
        }
        guard let grant = credential.token else {
            let caller = TopicCaller.device(isReceiveOnly: credential.isReceiveOnly)
            return TopicVisitor(caller: caller, owner: credential.owner, credential: credential)
        }
        guard !grant.terms.isOver(at: Int64(service.now())) else {
            note(refused: credential, about: topic, ListedRefusal.Reason.expired)
            throw .wrongCredential
        }
        return TopicVisitor(
            caller: .token(grant.terms), owner: credential.owner, credential: credential)
    }

    /// The credential counts no more, or not yet.
    private func note(
        refused sender: DeviceCredential, about topic: TopicName?, _ reason: String
    ) {
        guard let name = topic ?? sender.token?.terms.onlyTopic,
            let device = device(.own(name, owner: sender.owner))
        else { return }
        service.note(
            refused: sender, at: device, reason,
            status: NtfyRefusal(.wrongCredential).http)
    }

    /// Whether a body that is too long for strangers may be read. Only a credential counts.
    func mayUpload(_ head: borrowing RequestHead, at face: TopicFace) -> Bool {
        let fields = Self.fields(of: head)
        let isForeign = head.fields.contains("origin")
        guard let presented = try? fields.credential(at: face, isOriginForeign: isForeign),
            let visitor = try? known(presented.secret)
        else { return false }
        return visitor.caller.allows(.publish)
    }

    func mayUpload(token: String) -> Bool {
        (try? visitor(token: token))?.caller.allows(.publish) == true
    }
}

/// Names.
extension TopicDoor {
    /// Which topic the visitor reaches by a name, if it may do that there.
    func place(
        of name: TopicName, for use: TopicUse, _ visitor: TopicVisitor
    ) throws(AccessRefusal) -> Place {
        let own = visitor.owner.flatMap { device(.own(name, owner: $0)) }
        let open = device(.open(name))
        let isSecret = name.text.hasPrefix(TopicName.secretPrefix)
        let secret = isSecret ? device(.secret(name)) : nil
        let reading = isSecret ? device(.secretForReading(name)) : nil
        var known = KnownName()
        known.isOwn = own != nil
        if secret != nil {
            known.publicity = .secret
        } else if reading != nil {
            known.publicity = .secretForReading
        } else if open != nil {
            known.publicity = name.isUnifiedPush ? .unifiedPush : .open
        }
        let everybodys = secret ?? reading ?? open
        known.isSame = own != nil && own == everybodys
        switch try TopicAccess(visitor.caller, use, name, known) {
        case .own: return own.map { .topic($0) } ?? .new
        case .known: return everybodys.map { .topic($0) } ?? .new
        case .new: return .new
        }
    }

    /// The same for what a request asks for: the owner is told when a credential was used, and why one
    /// was refused.
    func reach(
        _ name: TopicName, for use: TopicUse, _ visitor: TopicVisitor
    ) throws(AccessRefusal) -> Place {
        guard let sender = visitor.credential else { return try place(of: name, for: use, visitor) }
        do throws(AccessRefusal) {
            let place = try place(of: name, for: use, visitor)
            service.presence.asked(sender.row)
            return place
        } catch {
            if let own = device(.own(name, owner: sender.owner)) {
                service.note(
                    refused: sender, at: own, visitor.caller.objection(to: use, at: name),
                    status: NtfyRefusal(error).http)
            }
            throw error
        }
    }

    /// Whether a place that was found for the visitor is the visitor's own, and not only open to a
    /// token.
    func isOwner(_ visitor: TopicVisitor, of name: TopicName, at place: Place) -> Bool {
        guard case .device = visitor.caller, let owner = visitor.owner else { return false }
        guard case .topic(let device) = place else { return true }
        return self.device(.own(name, owner: owner)) == device
    }

    private func device(_ naming: TopicNaming) -> UInt32? {
        guard let digest = try? namer.digest(of: naming) else { return nil }
        return service.index.topics.device(named: digest)
    }

    /// What `body` decides about a request. Its refusals are told in ntfy's language.
    func judge<Decision>(
        _ exchange: HTTPExchange, _ body: () throws(AccessRefusal) -> Decision
    ) throws(NtfyRefusal) -> Decision {
        do throws(AccessRefusal) { return try body() } catch {
            throw refusal(error, to: exchange.client)
        }
    }

    /// What a refused client is told. One that tries many names or secrets must wait.
    func refusal(_ refusal: AccessRefusal, to client: IPAddress?) -> NtfyRefusal {
        let isGuess: Bool
        switch refusal {
        case .wrongCredential, .forbidden, .noSubscriber: isGuess = true
        case .badEncoding, .tooManyTopics: isGuess = false
        }
        return isGuess && service.isGuessing(client) ? .tooManyRequests : NtfyRefusal(refusal)
    }
}

extension StoreIndex {
    /// The credential that a token is; nil if there is none.
    func token(_ token: TopicToken) -> DeviceCredential? {
        (try? token.digest).flatMap { self.token($0) }
    }
}
