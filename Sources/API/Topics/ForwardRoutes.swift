import Base
import Crypto
import Mailbox
import PushService
import Topics
import WebPush

/// `/api/v1/forwards`: push subscriptions of others that get what comes to topics.
final class ForwardRoutes {
    typealias Reply = (APIResult) -> Void

    /// The number of the key by which new forwards are signed.
    private static let signer: UInt8 = 1

    private let service: ServiceState
    private let dialogue: StoreDialogue
    private let registrations: RegistrationRoutes

    init(_ registrations: RegistrationRoutes) {
        service = registrations.service
        dialogue = registrations.dialogue
        self.registrations = registrations
    }

    /// The public key to which subscriptions are bound.
    func key(_ reply: Reply) {
        do throws(OpenSSLError) {
            let key = try service.forwardKey(Self.signer)
            let text = key.publicKey.base64URL
            reply(.success((200, JSONWriter.object { $0.member("key", text) })))
        } catch { reply(.failure(.unavailable)) }
    }

    func list(_ caller: APICaller, _ reply: @escaping Reply) {
        withForwards(of: caller, reply) { forwards in
            let listed = forwards.map { ListedForward($0, for: caller.owner) }
            reply(.success((200, listed.json)))
        }
    }

    func add(_ body: [UInt8], _ caller: APICaller, _ reply: @escaping Reply) {
        let wish: ForwardWish
        do throws(APIRefusal) {
            wish = try ForwardWish(body)
            try check(wish.endpoint)
        } catch { return reply(.failure(error)) }
        guard let id = wish.registration else { return add(wish, nil, caller.owner, reply) }
        registrations.find(id, caller, reply) { [self] registration, _ in
            guard registration.terms.isOnlyShown else {
                return reply(.failure(.badBody("registration is no topic")))
            }
            add(wish, registration, registration.owner, reply)
        }
    }

    /// Checks what can be known of an endpoint before the first connection to it.
    private func check(_ endpoint: String) throws(APIRefusal) {
        let target: CallbackTarget
        do throws(CallbackSettings.Objection) {
            target = try service.settings.callbacks.target(endpoint, for: .anyone)
        } catch { throw .badEndpoint(error) }
        if case .unix = target.way { throw .badEndpoint(.target(.scheme)) }
    }

    private func add(
        _ wish: ForwardWish, _ topic: Registration?, _ owner: String, _ reply: @escaping Reply
    ) {
        let operation: StoreOperation
        let listed: ListedForward
        do throws(OpenSSLError) {
            guard try VerificationKey(wish.key) != nil else {
                return reply(.failure(.badBody("p256dh is no point of P-256")))
            }
            var random = RandomSupply()
            let code = try ForwardIntroduction.code(&random)
            let forward = Forward(
                row: service.index.nextDevice(), owner: owner, topic: topic?.device)
            let target = PushTarget(
                key: wish.key, auth: wish.auth, form: wish.form, signer: Self.signer, code: code)
            let callback = Callback(row: forward.row, url: wish.endpoint, target)
            let introduction = ForwardIntroduction(
                code: code, of: topic, at: service.settings.baseURL.origin.host)
            operation = .forward(
                .make(
                    forward, callback,
                    introduction: try introduction.event(at: Int64(service.now()), &random)))
            let record = ForwardRecord(
                new: forward, callback, of: topic, at: Int64(service.now()))
            listed = ListedForward(record, for: owner)
        } catch { return reply(.failure(.unavailable)) }
        dialogue.submit(operation) { outcome in
            switch outcome {
            case .done: reply(.success((201, listed.json)))
            case .registration(.tooMany): reply(.failure(.tooManyForwards))
            case .notFound: reply(.failure(.unknown))
            default: reply(.failure(.unavailable))
            }
        }
    }

    func remove(_ row: UInt32?, _ caller: APICaller, _ reply: @escaping Reply) {
        find(row, caller, reply) { [dialogue] row in
            dialogue.submit(.forward(.end(row))) { reply(APIResult(ofRemoval: $0)) }
        }
    }

    /// The code shows that whoever has the subscription wants the messages. After a restore the word of
    /// the owner is enough.
    func confirm(
        _ row: UInt32?, _ body: [UInt8], _ caller: APICaller, _ reply: @escaping Reply
    ) {
        let code: String
        do throws(RegistrationTerms.Fault) {
            var members = try RegistrationMembers(try RegistrationRequestBody.object(body))
            code = try members.text("code") ?? ""
            try members.expectNoOthers()
        } catch { return reply(.failure(.badBody(error.message))) }
        find(row, caller, reply) { [dialogue] row in
            dialogue.submit(
                .forward(.confirm(row, code: ForwardIntroduction.plain(code)))
            ) { outcome in
                reply(outcome == .conflict ? .failure(.wrongCode) : APIResult(ofRemoval: outcome))
            }
        }
    }

    private func find(
        _ row: UInt32?, _ caller: APICaller, _ reply: @escaping Reply,
        then: @escaping (UInt32) -> Void
    ) {
        withForwards(of: caller, reply) { forwards in
            guard let found = forwards.first(where: { $0.forward.row == row }) else {
                return reply(.failure(.unknown))
            }
            then(found.forward.row)
        }
    }

    /// The forwards that the caller may see.
    private func withForwards(
        of caller: APICaller, _ reply: @escaping Reply, then: @escaping ([ForwardRecord]) -> Void
    ) {
        let owner = caller.isAdministrator ? nil : caller.owner
        dialogue.load(.forwards(owner: owner)) { [service] answer in
            guard case .forwards(let forwards) = answer else {
                return reply(.failure(.unavailable))
            }
            if let objection = service.objection(to: caller) { return reply(.failure(objection)) }
            then(forwards)
        }
    }
}

/// A request for a forward.
private struct ForwardWish: Confidential {
    /// Nil for all topics.
    let registration: RegistrationID?
    let form: ForwardForm
    let endpoint: String
    let key: UncompressedPoint
    let auth: Secret

    init(_ body: [UInt8]) throws(APIRefusal) {
        do throws(RegistrationTerms.Fault) {
            try self.init(try RegistrationRequestBody.object(body))
        } catch { throw .badBody(error.message) }
    }

    private init(_ object: JSONNode) throws(RegistrationTerms.Fault) {
        var members = try RegistrationMembers(object)
        let id = try members.text("registration")
        registration = id.flatMap { RegistrationID(text: $0) }
        guard (id == nil) == (registration == nil) else {
            throw RegistrationTerms.Fault("registration is not an id")
        }
        guard try members.flag("all_topics") ?? false == (id == nil) else {
            throw RegistrationTerms.Fault("it needs either registration or all_topics")
        }
        let word = try members.text("form") ?? ForwardForm.ntfy.word
        guard let form = ForwardForm(word: word) else {
            throw RegistrationTerms.Fault(
                "form must be " + Wording.list(ForwardForm.allCases.map(\.word)))
        }
        self.form = form
        // As browsers write it, with whatever else they write.
        guard let subscription = try members.object("subscription"),
            let endpoint = subscription["endpoint"]?.text
        else { throw RegistrationTerms.Fault("subscription is no PushSubscription") }
        self.endpoint = endpoint
        let keys = subscription["keys"]
        guard let key = keys?["p256dh"]?.text.flatMap({ UncompressedPoint(base64URL: $0) }) else {
            throw RegistrationTerms.Fault("p256dh is no public key in base64url")
        }
        self.key = key
        guard let auth = keys?["auth"]?.text.flatMap({ Base64URL.decode($0) }),
            auth.count == PushTarget.authLength
        else { throw RegistrationTerms.Fault("auth has not 16 bytes in base64url") }
        self.auth = Secret(auth.span)
        try members.expectNoOthers()
    }
}

/// The first push to a new forward. Who can read it can confirm it.
private struct ForwardIntroduction: Confidential {
    /// Letters and digits that nobody takes for another: 60 bits in all.
    private static let letters = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)
    private static let length = 12
    private static let group = 4

    let code: String
    let topic: String
    let host: String

    init(code: String, of topic: Registration?, at host: String) {
        self.code = code
        self.topic = topic.map { $0.terms.topicName?.text ?? $0.terms.account } ?? "bellwire"
        self.host = host
    }

    static func code(_ random: inout RandomSupply) throws(OpenSSLError) -> String {
        var rest = try random.word()
        var code: [UInt8] = []
        for _ in 0..<length {
            code.append(letters[Int(rest % UInt64(letters.count))])
            rest /= UInt64(letters.count)
        }
        return String(decoding: code, as: UTF8.self)
    }

    /// As people may type it.
    static func plain(_ code: String) -> String {
        code.lowercased().filter { $0 != "-" && !$0.isWhitespace }
    }

    private var shown: String {
        var groups: [Substring] = []
        var rest = code[...]
        while !rest.isEmpty {
            groups.append(rest.prefix(Self.group))
            rest = rest.dropFirst(Self.group)
        }
        return groups.joined(separator: "-")
    }

    func event(at now: Int64, _ random: inout RandomSupply) throws(OpenSSLError) -> OutboxEvent {
        var content = TopicContent()
        content.title = "Messages from \(host)"
        content.text = "To get them here, confirm this code: \(shown)"
        let message = TopicMessage(
            id: TopicMessageID(number: try random.word()), time: now,
            keptFor: Forward.timeToConfirm, content)
        return OutboxEvent(
            ForwardedMessage(message, named: topic, code: shown), as: try MessageID(from: &random),
            keptFor: Forward.timeToConfirm)
    }
}

extension ListedForward {
    fileprivate init(_ record: ForwardRecord, for reader: String) {
        self.init {
            $0.id = Int(record.forward.row)
            $0.owner = record.forward.owner == reader ? nil : record.forward.owner
            $0.topic = record.registration.map { $0.terms.topicName?.text ?? $0.terms.account }
            $0.registration = record.registration.map(\.id.text)
            $0.host = Origin(url: record.callback.url)?.description ?? ""
            if case .push(let target) = record.callback.kind { $0.form = target.form.word }
            switch record.state {
            case .unconfirmed: $0.state = Self.unconfirmed
            case .restored: $0.state = Self.restored
            default: $0.state = Self.active
            }
            $0.created = Int(record.created)
            $0.delivered = record.delivered.map { Int($0) }
            $0.status = record.status
            $0.reason = record.reason
            $0.waiting = record.waiting
        }
    }
}
