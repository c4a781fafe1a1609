import Base
import Mailbox

/// Waiting messages for applications that fetch, and the user's presence.
extension RegistrationRoutes {
    func pending(_ id: RegistrationID?, _ caller: APICaller, _ reply: @escaping Reply) {
        find(id, caller, reply) { [self] registration, _ in
            recordUse(of: registration, by: caller)
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
                throw RegistrationTerms.Fault("registration is missing")
            }
            try members.expectNoOthers()
            id = RegistrationID(text: text)
        } catch { return reply(.failure(.badBody(error.message))) }
        find(id, caller, reply) { [self] registration, _ in
            recordUse(of: registration, by: caller)
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
            let presence = registration.presence(at: now)
            let rest = (registration.sessionEnd.milliseconds - now.milliseconds) / 1_000
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("online", presence.isOnline)
                writer.member("mobile", presence.isMobile)
                writer.member("until", Int(wall + rest))
            }
            reply(.success((200, writer.bytes)))
        }
    }

    /// Another client of the account is in use, perhaps a mobile one.
    func pause(
        _ id: RegistrationID?, _ body: [UInt8], _ caller: APICaller, _ reply: @escaping Reply
    ) {
        let isMobile: Bool
        do throws(RegistrationTerms.Fault) {
            isMobile = try body.isEmpty ? false : Self.isMobile(body)
        } catch { return reply(.failure(.badBody(error.message))) }
        find(id, caller, reply) { [self] registration, _ in
            guard !registration.isPaused || registration.isOtherMobile != isMobile else {
                return reply(.success((204, [])))
            }
            var changed = registration
            changed.pause(isMobile: isMobile)
            dialogue.submit(
                .registration(.change(changed, from: registration.revision, adding: nil))
            ) { outcome in
                reply(outcome == .done ? .success((204, [])) : .failure(.unavailable))
            }
        }
    }

    private static func isMobile(_ body: [UInt8]) throws(RegistrationTerms.Fault) -> Bool {
        var members = try RegistrationMembers(try RegistrationRequestBody.object(body))
        let isMobile = try members.flag("mobile") ?? false
        try members.expectNoOthers()
        return isMobile
    }
}
