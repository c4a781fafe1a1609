import Base
import Crypto
import Mailbox
import System
import WebPush

/// `/api/v1/registrations`: endpoints whose keys we hold, and what waits for them.
final class RegistrationRoutes {
    typealias Reply = (APIResult) -> Void

    private let service: PushService
    private let dialogue: StoreDialogue

    init(_ service: PushService, _ dialogue: StoreDialogue) {
        self.service = service
        self.dialogue = dialogue
    }

    private var store: any MessageStore { service.store }
    private var now: StoreTime { store.clock.now }
    private var wall: Int64 { Int64(service.settings.now()) }

    private var report: RegistrationReport {
        RegistrationReport(settings: service.settings, now: now, wall: wall)
    }

    func list(_ caller: APICaller, _ reply: @escaping Reply) {
        let owner = caller.isAdministrator ? nil : caller.owner
        dialogue.load(.registration(.all(owner: owner))) { [self] answer in
            guard case .registration(.all(let registrations)) = answer else {
                return reply(.failure(.unavailable))
            }
            let report = report
            var failure: OpenSSLError?
            var writer = JSONWriter()
            writer.object { writer in
                writer.name("registrations")
                writer.array { writer in
                    for registration in registrations {
                        do throws(OpenSSLError) {
                            try report.write(registration, to: &writer)
                        } catch { failure = error }
                    }
                }
            }
            reply(failure == nil ? .success((200, writer.bytes)) : .failure(.unavailable))
        }
    }

    /// Whoever looks at a registration of his own still wants it.
    func show(_ id: RegistrationID?, _ caller: APICaller, _ reply: @escaping Reply) {
        find(id, caller, reply) { [self] registration, undecryptable in
            let seen = note(registration, caller)
            var writer = JSONWriter()
            do throws(OpenSSLError) {
                try report.write(seen, undecryptable: undecryptable, to: &writer)
            } catch { return reply(.failure(.unavailable)) }
            reply(.success((200, writer.bytes)))
        }
    }

    func revoke(_ id: RegistrationID?, _ caller: APICaller, _ reply: @escaping Reply) {
        find(id, caller, reply) { [self] registration, _ in
            dialogue.submit(.registration(.end(device: registration.device))) { outcome in
                switch outcome {
                case .done: reply(.success((204, [])))
                case .notFound: reply(.failure(.unknown))
                default: reply(.failure(.unavailable))
                }
            }
        }
    }

    /// Calls `then` with a registration that the caller may use.
    private func find(
        _ id: RegistrationID?, _ caller: APICaller, _ reply: @escaping Reply,
        then: @escaping (Registration, [(reason: String, count: Int)]) -> Void
    ) {
        guard let id else { return reply(.failure(.unknown)) }
        dialogue.load(.registration(.one(id))) { answer in
            guard case .registration(let found) = answer else {
                return reply(.failure(.unavailable))
            }
            guard case .one(let registration, let undecryptable) = found,
                caller.mayUse(registration.owner)
            else { return reply(.failure(.unknown)) }
            then(registration, undecryptable)
        }
    }

    /// A sign of life of the owner, which nobody waits for. As it will be.
    @discardableResult
    private func note(_ registration: Registration, _ caller: APICaller) -> Registration {
        var changed = registration
        guard caller.owner == registration.owner, changed.note(seenAt: now) else {
            return registration
        }
        dialogue.submit(
            .registration(.change(changed, from: registration.revision, adding: nil))
        ) { _ in }
        return changed
    }
}

/// Registration.
extension RegistrationRoutes {
    func register(
        _ body: [UInt8], key: [UInt8]?, _ caller: APICaller, _ reply: @escaping Reply
    ) {
        let operation: RegistrationOperation
        let json: [UInt8]
        do throws(ControlRefusal) {
            let request = try RegistrationRequestBody(json: body)
            (operation, json) = try draft(request, body, key, caller)
        } catch {
            return reply(.failure(error))
        }
        dialogue.submit(.registration(operation)) { outcome in
            switch outcome {
            case .done: reply(.success((201, json)))
            case .registration(.answered(let json)): reply(.success((201, json)))
            case .registration(.otherRequest): reply(.failure(.otherRequest))
            // The credential was taken back meanwhile.
            case .notFound: reply(.failure(.unauthorized))
            default: reply(.failure(.unavailable))
            }
        }
    }

    private func draft(
        _ request: RegistrationRequestBody, _ body: [UInt8], _ key: [UInt8]?, _ caller: APICaller
    ) throws(ControlRefusal) -> (RegistrationOperation, json: [UInt8]) {
        do throws(OpenSSLError) {
            let created = wall * 1_000
            let device = store.index.nextDevice()
            let draft = try TargetDraft(
                request.terms, device: device, service, created: created)
            var random = RandomSupply()
            let registration = Registration(
                id: try RegistrationID(from: &random), device: device, owner: caller.owner,
                created: created, terms: request.terms, target: draft.target,
                secret: request.secret, callbackSecret: try Self.callbackSecret(request.terms),
                seen: now)
            let json = try report.full(registration)
            let kept = try key.map { key throws(OpenSSLError) in
                try Self.kept(json, for: body, key, caller)
            }
            let operation = RegistrationOperation.create(
                registration, draft.subscription, credential: caller.credential, kept)
            return (operation, json)
        } catch {
            throw .unavailable
        }
    }

    private static func callbackSecret(
        _ terms: RegistrationTerms
    ) throws(OpenSSLError) -> Secret? {
        guard terms.callback != nil else { return nil }
        return try Random.secret(count: RegistrationRequestBody.callbackSecretLength)
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

/// Changes.
extension RegistrationRoutes {
    func rotate(_ id: RegistrationID?, _ caller: APICaller, _ reply: @escaping Reply) {
        find(id, caller, reply) { [self] registration, _ in
            var changed = registration
            let draft: TargetDraft
            let json: [UInt8]
            do throws(OpenSSLError) {
                draft = try TargetDraft(
                    registration.terms, device: registration.device, service,
                    created: wall * 1_000)
                changed.rotate(
                    to: draft.target,
                    callbackSecret: try Self.callbackSecret(registration.terms), at: now)
                json = try report.full(changed)
            } catch { return reply(.failure(.unavailable)) }
            submit(changed, from: registration, adding: draft.subscription, json, reply)
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
                throw RegistrationTerms.Fault("secret is needed")
            }
            try members.expectNoOthers()
            text = said
            secret = try RegistrationRequestBody.secret(said)
        } catch { return reply(.failure(.badBody(error.message))) }
        find(id, caller, reply) { [self] registration, _ in
            guard registration.terms.tokenType == .webPush else {
                return reply(.failure(.badBody("secret is for token_type 10")))
            }
            var changed = registration
            changed.replaceSecret(secret, at: now)
            guard let receiver = try? RegistrationReport.receiverID(of: changed) else {
                return reply(.failure(.unavailable))
            }
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("push_receiver_id", "\(receiver)")
                // Only here can it be learned.
                if text == "new" { writer.member("secret", secret.withSpan(Base64URL.text)) }
            }
            submit(changed, from: registration, adding: nil, writer.bytes, reply)
        }
    }

    private func submit(
        _ changed: Registration, from former: Registration, adding subscription: Subscription?,
        _ json: [UInt8], _ reply: @escaping Reply
    ) {
        dialogue.submit(
            .registration(.change(changed, from: former.revision, adding: subscription))
        ) { outcome in
            switch outcome {
            case .done: reply(.success((200, json)))
            case .notFound: reply(.failure(.unknown))
            // Somebody else changed it at the same time: whoever comes again sees what became.
            default: reply(.failure(.unavailable))
            }
        }
    }
}

/// What waits for an application that fetches, and whether somebody is there.
extension RegistrationRoutes {
    func pending(_ id: RegistrationID?, _ caller: APICaller, _ reply: @escaping Reply) {
        find(id, caller, reply) { [self] registration, _ in
            note(registration, caller)
            dialogue.load(.registration(.waiting(device: registration.device))) { answer in
                guard case .registration(.waiting(let waiting)) = answer else {
                    return reply(.failure(.unavailable))
                }
                reply(.success((200, RegistrationReport.waiting(waiting))))
            }
        }
    }

    func fetch(_ body: [UInt8], _ caller: APICaller, _ reply: @escaping Reply) {
        let id: RegistrationID?
        do throws(RegistrationTerms.Fault) {
            var members = try RegistrationMembers(try RegistrationRequestBody.object(body))
            guard let text = try members.text("registration") else {
                throw RegistrationTerms.Fault("registration is needed")
            }
            try members.expectNoOthers()
            id = RegistrationID(text: text)
        } catch { return reply(.failure(.badBody(error.message))) }
        find(id, caller, reply) { [self] registration, _ in
            note(registration, caller)
            dialogue.submit(.registration(.fetch(device: registration.device))) { outcome in
                guard case .registration(.fetched(let waiting)) = outcome else {
                    return reply(.failure(.unavailable))
                }
                reply(.success((200, RegistrationReport.waiting(waiting))))
            }
        }
    }

    func presence(_ id: RegistrationID?, _ caller: APICaller, _ reply: @escaping Reply) {
        find(id, caller, reply) { [self] registration, _ in
            let now = now
            let isOnline = registration.isOnline(at: now)
            let rest = (registration.sessionEnd.milliseconds - now.milliseconds) / 1_000
            var writer = JSONWriter()
            writer.object { writer in
                writer.flag("online", isOnline)
                // Its application is closed: who is online is so by push alone.
                writer.flag("mobile", isOnline)
                writer.member("until", Int(wall + rest))
            }
            reply(.success((200, writer.bytes)))
        }
    }

    /// Another client of the account is in use.
    func pause(_ id: RegistrationID?, _ caller: APICaller, _ reply: @escaping Reply) {
        find(id, caller, reply) { [self] registration, _ in
            guard !registration.isPaused else { return reply(.success((204, []))) }
            var changed = registration
            changed.pause()
            dialogue.submit(
                .registration(.change(changed, from: registration.revision, adding: nil))
            ) { outcome in
                reply(outcome == .done ? .success((204, [])) : .failure(.unavailable))
            }
        }
    }
}
