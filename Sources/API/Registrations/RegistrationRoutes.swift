import Base
import Crypto
import Delivery
import Mailbox
import PushService

/// `/api/v1/registrations`: endpoints whose keys the server holds, and their waiting messages.
final class RegistrationRoutes {
    typealias Reply = (APIResult) -> Void

    let service: PushContext
    let dialogue: StoreDialogue

    init(_ service: PushContext, _ dialogue: StoreDialogue) {
        self.service = service
        self.dialogue = dialogue
    }

    var store: any MessageStore { service.store }
    var now: StoreTime { store.clock.now }
    var wall: Int64 { Int64(service.now()) }

    var report: RegistrationReport {
        RegistrationReport(settings: service.settings, engines: store.index.engines)
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
            var failure: OpenSSLError?
            var writer = JSONWriter()
            writer.object { writer in
                writer.name("registrations")
                writer.array { writer in
                    for registration in registrations {
                        do throws(OpenSSLError) {
                            try report.write(
                                registration, for: caller.owner, at: moment, to: &writer)
                        } catch { failure = error }
                    }
                }
            }
            reply(failure == nil ? .success((200, writer.bytes)) : .failure(.unavailable))
        }
    }

    /// Reading a registration counts as its use.
    func show(_ id: RegistrationID?, _ caller: APICaller, _ reply: @escaping Reply) {
        find(id, caller, reply) { [self] registration, undecryptable in
            let seen = recordUse(of: registration, by: caller)
            var writer = JSONWriter()
            do throws(OpenSSLError) {
                try report.write(
                    seen, for: caller.owner, undecryptable: undecryptable, at: moment,
                    to: &writer)
            } catch { return reply(.failure(.unavailable)) }
            reply(.success((200, writer.bytes)))
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
