import Base
import Crypto
import Mailbox
import PushService

extension RegistrationRoutes {
    func register(
        _ body: [UInt8], key: [UInt8]?, _ caller: APICaller, _ reply: @escaping Reply
    ) {
        let operation: StoreOperation
        let json: [UInt8]
        do throws(APIRefusal) {
            let request = try RegistrationRequestBody(json: body)
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
            let json = try report.full(registration, callbackSecret: callbackSecret)
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
