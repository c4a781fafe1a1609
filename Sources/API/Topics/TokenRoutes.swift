import Base
import Configuration
import Crypto
import Mailbox
import PushService
import System
import Topics
import WebPush

/// `/api/v1/tokens`: what opens topics, and nothing else of the API.
final class TokenRoutes {
    typealias Reply = (APIResult) -> Void

    private let service: ServiceState
    private let dialogue: StoreDialogue
    private let registrations: RegistrationRoutes

    init(_ registrations: RegistrationRoutes) {
        service = registrations.service
        dialogue = registrations.dialogue
        self.registrations = registrations
    }

    func list(_ caller: APICaller, _ reply: @escaping Reply) {
        withTokens(of: caller, reply) { [presence = service.presence] tokens in
            let listed = tokens.compactMap { ListedToken($0, presence, for: caller.owner) }
            reply(.success((200, listed.json)))
        }
    }

    func add(_ body: [UInt8], _ caller: APICaller, _ reply: @escaping Reply) {
        let wish: TokenWish
        do throws(APIRefusal) { wish = try TokenWish(body, now: Int64(service.now())) } catch {
            return reply(.failure(error))
        }
        guard let id = wish.registration else {
            return add(wish, TokenGrant(wish.terms), caller.owner, reply)
        }
        registrations.find(id, caller, reply) { [self] registration, _ in
            guard let name = registration.terms.topicName, let terms = wish.terms(for: name) else {
                return reply(.failure(.badBody("registration is no topic with a short address")))
            }
            add(wish, TokenGrant(terms, device: registration.device), registration.owner, reply)
        }
    }

    private func add(
        _ wish: TokenWish, _ grant: TokenGrant, _ owner: String, _ reply: @escaping Reply
    ) {
        if let hash = wish.hash { return take(hash, wish, grant, owner, reply) }
        let made: MadeToken
        do throws(OpenSSLError) {
            var random = RandomSupply()
            made = try MadeToken(grant, named: wish.name, of: owner, at: service, &random)
        } catch { return reply(.failure(.unavailable)) }
        dialogue.submit(.addCredential(made.credential)) { [service] outcome in
            switch outcome {
            case .done:
                let listed = ListedToken(
                    made, service.presence, for: owner, at: service.settings.baseURL)
                reply(.success((201, listed.json)))
            case .conflict: reply(.failure(.nameInUse))
            case .full: reply(.failure(.tooManyTokens))
            default: reply(.failure(.unavailable))
            }
        }
    }

    /// Takes over a token that another server has made, and of which this one gets the hash alone. One
    /// that the owner has stays as it is.
    private func take(
        _ hash: Digest, _ wish: TokenWish, _ grant: TokenGrant, _ owner: String,
        _ reply: @escaping Reply
    ) {
        if let known = service.index.token(hash) {
            let listed = ListedToken(known, service.presence, for: owner)
            guard known.owner == owner, let listed else {
                return reply(.failure(.tokenOfAnother))
            }
            return reply(.success((200, listed.json)))
        }
        guard !wish.isTrial else { return reply(.success((204, []))) }
        let taken = DeviceCredential(
            row: service.index.nextCredential(), secret: hash, name: wish.name, owner: owner,
            created: Int64(service.now() * 1_000), token: grant)
        dialogue.submit(.addCredential(taken)) { [presence = service.presence] outcome in
            switch outcome {
            case .done:
                let listed = ListedToken(taken, presence, for: owner) ?? ListedToken()
                reply(.success((201, listed.json)))
            case .conflict: reply(.failure(.nameInUse))
            case .full: reply(.failure(.tooManyTokens))
            default: reply(.failure(.unavailable))
            }
        }
    }

    /// With the tokens that were made with it.
    func remove(_ row: UInt32?, _ caller: APICaller, _ reply: @escaping Reply) {
        find(row, caller, reply) { [dialogue] row in
            dialogue.submit(.removeCredential(row)) { reply(APIResult(ofRemoval: $0)) }
        }
    }

    /// Lets in what a restore brought back.
    func confirm(_ row: UInt32?, _ caller: APICaller, _ reply: @escaping Reply) {
        guard caller.isAdministrator else { return reply(.failure(.notAllowed)) }
        find(row, caller, reply) { [dialogue] row in
            dialogue.submit(.confirmCredential(row)) { reply(APIResult(ofRemoval: $0)) }
        }
    }

    private func find(
        _ row: UInt32?, _ caller: APICaller, _ reply: @escaping Reply,
        then: @escaping (UInt32) -> Void
    ) {
        withTokens(of: caller, reply) { tokens in
            guard let found = tokens.first(where: { $0.row == row }) else {
                return reply(.failure(.unknown))
            }
            then(found.row)
        }
    }

    /// The tokens that the caller may see.
    func withTokens(
        of caller: APICaller, _ reply: @escaping Reply,
        then: @escaping ([DeviceCredential]) -> Void
    ) {
        dialogue.load(.tokens) { [service] loaded in
            guard case .credentials(let credentials) = loaded else {
                return reply(.failure(.unavailable))
            }
            if let objection = service.objection(to: caller) { return reply(.failure(objection)) }
            then(credentials.filter { caller.mayUse($0.owner) })
        }
    }
}

/// A request for a token, with what its author did not say.
struct TokenWish: Confidential {
    let name: String
    let terms: TokenTerms
    /// The topic that it is for.
    let registration: RegistrationID?
    /// That of a token which another server has made; nil for a new one.
    let hash: Digest?
    let isTrial: Bool

    private static let lifetimes: ClosedRange<UInt32> = 1...31_622_400

    init(_ body: [UInt8], now: Int64) throws(APIRefusal) {
        do throws(RegistrationTerms.Fault) {
            try self.init(try RegistrationRequestBody.object(body), now)
        } catch { throw .badBody(error.message) }
        try DeviceRequest.check([name])
    }

    private init(_ object: JSONNode, _ now: Int64) throws(RegistrationTerms.Fault) {
        var members = try RegistrationMembers(object)
        guard let name = try members.text("name") else {
            throw RegistrationTerms.Fault("name is missing")
        }
        self.name = name
        let word = try members.text("form") ?? TokenRequest.ntfy
        guard let form = TopicToken.Form(word: word) else {
            throw RegistrationTerms.Fault("form must be " + Wording.list(TokenRequest.forms))
        }
        let hash = try members.text("hash")
        self.hash = hash.flatMap { Base64URL.decode($0) }.flatMap { Digest($0.span) }
        guard (hash == nil) == (self.hash == nil) else {
            throw RegistrationTerms.Fault("hash is no SHA-256 in base64url")
        }
        isTrial = try members.flag("dry_run") ?? false
        guard !isTrial || hash != nil else {
            throw RegistrationTerms.Fault("dry_run is only for a hash")
        }
        let id = try members.text("registration")
        registration = id.flatMap { RegistrationID(text: $0) }
        guard (id == nil) == (registration == nil) else {
            throw RegistrationTerms.Fault("registration is not an id")
        }
        let text = try members.text("topic")
        guard text == nil || id == nil else {
            throw RegistrationTerms.Fault("topic and registration do not go together")
        }
        guard form != .application || id != nil else {
            throw RegistrationTerms.Fault("an application of Gotify needs a registration")
        }
        guard let pattern = TopicPattern(text ?? "*") else {
            throw RegistrationTerms.Fault("topic is no name of topics")
        }
        let rights = try Self.rights(&members, form)
        let lifetime = try members.seconds("expires", Self.lifetimes)
        try members.expectNoOthers()
        terms = TokenTerms(form, pattern, rights, end: lifetime.map { now + Int64($0) })
    }

    private static func rights(
        _ members: inout RegistrationMembers, _ form: TopicToken.Form
    ) throws(RegistrationTerms.Fault) -> TopicRights {
        var rights: TopicRights = []
        for (word, right) in TopicRights.words where try members.flag(word) ?? false {
            rights.insert(right)
        }
        guard form != .application || rights.isSubset(of: .write) else {
            throw RegistrationTerms.Fault("an application of Gotify can only write")
        }
        return rights.isEmpty ? form.usualRights : rights
    }

    /// Nil if the name cannot be a pattern.
    func terms(for topic: TopicName) -> TokenTerms? {
        TopicPattern(topic.text).map { pattern in
            TokenTerms(terms.form, pattern, terms.rights, end: terms.end)
        }
    }
}

extension TopicRights {
    /// Their names in requests and answers.
    fileprivate static let words: [(String, TopicRights)] = [
        ("read", .read), ("write", .write), ("answer", .answer), ("end", .end),
    ]
}

extension TopicToken.Form {
    fileprivate init?(word: String) {
        guard let form = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = form
    }

    fileprivate var word: String {
        switch self {
        case .access: TokenRequest.ntfy
        case .application: TokenRequest.application
        case .client: TokenRequest.client
        }
    }

    /// A client of Gotify deletes what it has read.
    fileprivate var usualRights: TopicRights {
        switch self {
        case .access: .usual
        case .application: .write
        case .client: [.read, .end]
        }
    }
}

extension ListedToken {
    /// Nil for a device.
    init?(
        _ credential: DeviceCredential, _ presence: DevicePresence, for reader: String
    ) {
        guard let terms = credential.token?.terms else { return nil }
        self.init {
            $0.id = Int(credential.row)
            $0.name = credential.name
            $0.owner = credential.owner == reader ? nil : credential.owner
            $0.pattern = terms.pattern.text
            $0.form = terms.form.word
            $0.reads = terms.rights.contains(.read)
            $0.writes = terms.rights.contains(.write)
            $0.answers = terms.rights.contains(.answer)
            $0.ends = terms.rights.contains(.end)
            $0.created = Int(credential.created / 1_000)
            $0.lastSeen = presence.lastSeen(credential).map { Int($0 / 1_000) }
            $0.expires = terms.end.map { Int($0) }
            $0.isConfirmed = credential.isConfirmed
        }
    }

    /// With what only the answer has that makes it.
    fileprivate init(
        _ made: MadeToken, _ presence: DevicePresence, for reader: String, at base: BaseURL
    ) {
        self = ListedToken(made.credential, presence, for: reader) ?? ListedToken()
        token = made.token.text
        guard made.credential.token?.terms.onlyTopic != nil else { return }
        slackAddress = "\(base)" + HookRoute.path(.slack, made.token.text)
        discordAddress = "\(base)" + HookRoute.path(.discord, made.token.text)
    }
}
