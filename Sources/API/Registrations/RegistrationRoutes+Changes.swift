import Base
import Crypto
import Mailbox

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
                let secret = try Self.callbackSecret(registration.terms)
                json = try report.full(changed, callbackSecret: secret)
                events = try self.events.rotation(
                    of: registration, to: changed, secret: secret)
            } catch { return reply(.failure(.unavailable)) }
            submit(
                .registration(
                    .change(changed, from: registration.revision, adding: draft.subscription),
                    telling: events), json, reply)
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
            // Another request changed it at the same time; a retry sees the result.
            default: reply(.failure(.unavailable))
            }
        }
    }
}
