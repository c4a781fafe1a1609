import Base
import Crypto
import Delivery
import Mailbox
import PushService

/// `/api/v1/registrations`: endpoints whose keys the server holds, and their waiting messages.
final class RegistrationRoutes {
    typealias Reply = (APIResult) -> Void

    let service: ServiceState
    let dialogue: StoreDialogue

    init(_ service: ServiceState, _ dialogue: StoreDialogue) {
        self.service = service
        self.dialogue = dialogue
    }

    var store: any MessageStore { service.store }
    var now: StoreTime { store.clock.now }
    var wall: Int64 { Int64(service.now()) }

    var report: RegistrationReport {
        RegistrationReport(
            settings: service.settings, engines: store.index.engines,
            refusedSenders: service.refusedSenders)
    }
    var moment: RegistrationReport.Moment { RegistrationReport.Moment(now: now, wall: wall) }
    var events: RegistrationEvents { RegistrationEvents(report: report, moment: moment) }

    func list(_ caller: APICaller, _ reply: @escaping Reply) {
        let owner = caller.isAdministrator ? nil : caller.owner
        dialogue.load(.registration(.all(owner: owner))) { [self] answer in
            guard case .registration(.all(let registrations)) = answer else {
                return reply(.failure(.unavailable))
            }
            let (report, moment) = (report, moment)
            do throws(OpenSSLError) {
                let listed = try registrations.map { registration throws(OpenSSLError) in
                    try report.listed(registration, for: caller.owner, at: moment)
                }
                reply(.success((200, listed.json)))
            } catch { reply(.failure(.unavailable)) }
        }
    }

    /// Reading a registration counts as its use.
    func show(_ id: RegistrationID?, _ caller: APICaller, _ reply: @escaping Reply) {
        find(id, caller, reply) { [self] registration, undecryptable in
            let seen = recordUse(of: registration, by: caller)
            do throws(OpenSSLError) {
                let listed = try report.listed(
                    seen, for: caller.owner, undecryptable: undecryptable, at: moment)
                reply(.success((200, listed.json)))
            } catch { reply(.failure(.unavailable)) }
        }
    }

    func revoke(_ id: RegistrationID?, _ caller: APICaller, _ reply: @escaping Reply) {
        find(id, caller, reply) { [self] registration, _ in
            guard let events = try? events.end(of: registration) else {
                return reply(.failure(.unavailable))
            }
            dialogue.submit(
                .registration(.end(device: registration.device), telling: events)
            ) { outcome in
                switch outcome {
                case .done: reply(.success((204, [])))
                case .notFound: reply(.failure(.unknown))
                default: reply(.failure(.unavailable))
                }
            }
        }
    }

    /// Calls `then` with the registration if the caller may use it.
    func find(
        _ id: RegistrationID?, _ caller: APICaller, _ reply: @escaping Reply,
        then: @escaping (Registration, [(reason: String, count: Int)]) -> Void
    ) {
        guard let id else { return reply(.failure(.unknown)) }
        dialogue.load(.registration(.one(id))) { [service] answer in
            guard case .registration(let found) = answer else {
                return reply(.failure(.unavailable))
            }
            if let objection = service.objection(to: caller) { return reply(.failure(objection)) }
            guard case .one(let registration, let undecryptable) = found,
                caller.mayUse(registration.owner)
            else { return reply(.failure(.unknown)) }
            then(registration, undecryptable)
        }
    }

    /// Records that the owner uses the registration, without waiting for the store. Returns it as
    /// it will be.
    @discardableResult
    func recordUse(of registration: Registration, by caller: APICaller) -> Registration {
        var changed = registration
        guard caller.owner == registration.owner, changed.recordSignOfLife(at: now) else {
            return registration
        }
        dialogue.submit(
            .registration(.change(changed, from: registration.revision, adding: nil))
        ) { _ in }
        return changed
    }
}

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

extension RegistrationRoutes {
    /// Sends a notification by which the owner sees that pushes arrive.
    func test(
        _ id: RegistrationID?, _ caller: APICaller, _ language: Language, _ reply: @escaping Reply
    ) {
        find(id, caller, reply) { [self] registration, _ in
            var push = TestPush(service)
            let operation = push.operation(
                title: Sentence.testTitle.text(language), text: Sentence.testText.text(language),
                to: registration)
            guard let operation else { return reply(.failure(.unavailable)) }
            dialogue.submit(operation) { [service] outcome in
                switch outcome {
                case .stored, .acknowledged, .done, .registration:
                    service.recordTest(of: registration.device)
                    reply(.success((204, [])))
                case .notFound: reply(.failure(.unknown))
                default: reply(.failure(.unavailable))
                }
            }
        }
    }
}
