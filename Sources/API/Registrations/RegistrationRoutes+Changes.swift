import Base
import Crypto
import Delivery
import Mailbox
import PushService
import WebPush

/// The body of a request for a registration.
struct RegistrationRequestBody: Confidential {
    var terms: RegistrationTerms
    let topic: TopicRequest
    let secret: Secret?

    init(json: [UInt8]) throws(APIRefusal) {
        do throws(RegistrationTerms.Fault) {
            let object = try Self.object(json)
            var members = try RegistrationMembers(object)
            let secret = try members.text("secret")
            topic = try Self.topic(&members)
            terms = try RegistrationTerms(object, without: "secret", "topic")
            try terms.expectNew()
            guard secret == nil || terms.tokenType == .webPush else {
                throw RegistrationTerms.Fault("secret is only for token_type 10")
            }
            self.secret = try secret.map(Self.secret)
        } catch {
            throw .badBody(error.message)
        }
    }

    private static func topic(
        _ members: inout RegistrationMembers
    ) throws(RegistrationTerms.Fault) -> TopicRequest {
        guard let object = try members.object("topic") else { return TopicRequest() }
        return try TopicRequest(object)
    }

    static func object(_ json: [UInt8]) throws(RegistrationTerms.Fault) -> JSONNode {
        guard let document = try? JSONDocument(json) else {
            throw RegistrationTerms.Fault("the body is not JSON")
        }
        return document.root
    }

    /// A secret of the client's own, or `new`. Its key id must not look like a user id.
    static func secret(_ text: String) throws(RegistrationTerms.Fault) -> Secret {
        guard text == "new" else {
            guard let bytes = Base64URL.decode(text), bytes.count == MTProtoSecret.length else {
                throw RegistrationTerms.Fault(
                    "secret must be \(MTProtoSecret.length) bytes in base64url, or new")
            }
            return Secret(bytes.span)
        }
        do throws(OpenSSLError) {
            while true {
                let secret = try Random.secret(count: MTProtoSecret.length)
                if let key = MTProtoSecret(secret), key.keyID.magnitude >= keyIDFloor {
                    return secret
                }
            }
        } catch {
            throw RegistrationTerms.Fault("a new secret cannot be made now")
        }
    }

    /// TDLib makes no key id below this number, and all user ids are below it.
    private static let keyIDFloor: UInt64 = 10_000_000_000_000
}

extension RegistrationRoutes {
    func register(
        _ body: [UInt8], key: [UInt8]?, _ caller: APICaller, _ reply: @escaping Reply
    ) {
        let operation: StoreOperation
        let json: [UInt8]
        do throws(APIRefusal) {
            var request = try RegistrationRequestBody(json: body)
            request.terms.topic = try request.topic.topic(
                of: request.terms, for: caller, service.admission)
            if let callback = request.terms.callback { try check(callback, caller) }
            (operation, json) = try draft(request, body, key, caller)
        } catch {
            return reply(.failure(error))
        }
        dialogue.submit(operation) { outcome in
            switch outcome {
            case .done: reply(.success((201, json)))
            case .registration(.answered(let json)): reply(.success((201, json)))
            case .registration(.otherRequest): reply(.failure(.otherRequest))
            case .registration(.nameTaken): reply(.failure(.topicExists))
            case .registration(.tooMany): reply(.failure(.tooManyRegistrations))
            case .full: reply(.failure(.tooManyKeys))
            // The credential was revoked in the meantime.
            case .notFound: reply(.failure(.unauthorized))
            default: reply(.failure(.unavailable))
            }
        }
    }

    /// Checks what can be known of a target before the first connection to it.
    private func check(_ callback: String, _ caller: APICaller) throws(APIRefusal) {
        do throws(CallbackSettings.Objection) {
            _ = try service.settings.callbacks.target(
                callback, for: CallbackRights(userID: caller.userID))
        } catch { throw .badCallback(error) }
    }

    private func draft(
        _ request: RegistrationRequestBody, _ body: [UInt8], _ key: [UInt8]?, _ caller: APICaller
    ) throws(APIRefusal) -> (StoreOperation, json: [UInt8]) {
        do throws(OpenSSLError) {
            let created = wall * 1_000
            let device = store.index.nextDevice()
            let draft = try TargetDraft(
                request.terms, device: device, service, created: created)
            var random = RandomSupply()
            let registration = Registration(
                id: try RegistrationID(from: &random), device: device, owner: caller.owner,
                created: created, terms: request.terms, target: draft.target,
                secret: request.secret, seen: now)
            let callbackSecret = try Self.callbackSecret(request.terms)
            let json = try report.full(
                registration, callbackSecret: callbackSecret, after: TopicTerms()
            ).json
            let kept = try key.map { key throws(OpenSSLError) in
                try Self.kept(json, for: body, key, caller)
            }
            let creation = RegistrationOperation.create(
                registration, draft.subscription, credential: caller.credential,
                limit: caller.isAdministrator ? nil : OwnerLimits.registrations, kept)
            let events = try events.creation(
                of: registration, secret: callbackSecret, userID: caller.userID)
            return (.registration(creation, telling: events), json)
        } catch {
            throw .unavailable
        }
    }

    static func callbackSecret(
        _ terms: RegistrationTerms
    ) throws(OpenSSLError) -> Secret? {
        guard terms.callback != nil else { return nil }
        return try WebhookSecret.make()
    }

    private static func kept(
        _ json: [UInt8], for body: [UInt8], _ key: [UInt8], _ caller: APICaller
    ) throws(OpenSSLError) -> KeptAnswer {
        var hash = try SHA256()
        let request = Array(caller.owner.utf8) + [0] + key
        return KeptAnswer(
            request: Digest(try hash.digest(of: request.span)),
            body: Digest(try hash.digest(of: body.span)), answer: json)
    }
}

extension RegistrationRoutes {
    func rotate(_ id: RegistrationID?, _ caller: APICaller, _ reply: @escaping Reply) {
        find(id, caller, reply) { [self] registration, _ in
            var changed = registration
            let draft: TargetDraft
            let json: [UInt8]
            let events: [CallbackOperation]
            do throws(OpenSSLError) {
                draft = try TargetDraft(
                    registration.terms, device: registration.device, service,
                    created: wall * 1_000)
                changed.rotate(to: draft.target, at: now)
                let former = registration.terms.topic
                if !former.isPrivate { changed.set(topic: try former.renewed()) }
                let secret = try Self.callbackSecret(registration.terms)
                json = try report.full(changed, callbackSecret: secret, after: former).json
                events = try self.events.rotation(
                    of: registration, to: changed, secret: secret)
            } catch { return reply(.failure(.unavailable)) }
            submit(
                .registration(
                    .change(changed, from: registration.revision, adding: draft.subscription),
                    telling: events), json, reply)
        }
    }

    /// The body replaces all that was said about the topic before.
    func changeTopic(
        _ id: RegistrationID?, _ body: [UInt8], _ caller: APICaller, _ reply: @escaping Reply
    ) {
        let request: TopicRequest
        do throws(RegistrationTerms.Fault) {
            request = try TopicRequest(try RegistrationRequestBody.object(body))
        } catch { return reply(.failure(.badBody(error.message))) }
        find(id, caller, reply) { [self] registration, _ in
            guard registration.terms.isOnlyShown else { return reply(.failure(.unknown)) }
            var changed = registration
            do throws(APIRefusal) {
                changed.set(
                    topic: try request.topic(
                        of: registration.terms, for: caller, service.admission))
            } catch { return reply(.failure(error)) }
            let details = report.topic(of: changed, after: registration.terms.topic)
            submit(
                .registration(.change(changed, from: registration.revision, adding: nil)),
                details?.json ?? [], reply)
        }
    }

    func replaceSecret(
        _ id: RegistrationID?, _ body: [UInt8], _ caller: APICaller, _ reply: @escaping Reply
    ) {
        let text: String
        let secret: Secret
        do throws(RegistrationTerms.Fault) {
            var members = try RegistrationMembers(try RegistrationRequestBody.object(body))
            guard let said = try members.text("secret") else {
                throw RegistrationTerms.Fault("secret is missing")
            }
            try members.expectNoOthers()
            text = said
            secret = try RegistrationRequestBody.secret(said)
        } catch { return reply(.failure(.badBody(error.message))) }
        find(id, caller, reply) { [self] registration, _ in
            guard registration.terms.tokenType == .webPush else {
                return reply(.failure(.badBody("secret is only for token_type 10")))
            }
            var changed = registration
            changed.replaceSecret(secret, at: now)
            guard let receiver = try? RegistrationReport.receiverID(of: changed) else {
                return reply(.failure(.unavailable))
            }
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("push_receiver_id", "\(receiver)")
                // A new secret is shown only here.
                if text == "new" { writer.member("secret", secret.withSpan(Base64URL.text)) }
            }
            submit(
                .registration(.change(changed, from: registration.revision, adding: nil)),
                writer.bytes, reply)
        }
    }

    private func submit(
        _ operation: StoreOperation, _ json: [UInt8], _ reply: @escaping Reply
    ) {
        dialogue.submit(operation) { outcome in
            switch outcome {
            case .done: reply(.success((200, json)))
            case .notFound: reply(.failure(.unknown))
            case .registration(.nameTaken): reply(.failure(.topicExists))
            // Another request changed it at the same time; a retry sees the result.
            default: reply(.failure(.unavailable))
            }
        }
    }
}
