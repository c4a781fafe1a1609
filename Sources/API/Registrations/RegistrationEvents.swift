import Base
import Crypto
import Mailbox
import WebPush

/// Events for the callback of a registration; none if it has no callback.
struct RegistrationEvents {
    let report: RegistrationReport
    let moment: RegistrationReport.Moment

    private var milliseconds: Int64 { moment.wall * 1_000 }

    /// The callback of a new registration must be confirmed first.
    func creation(
        of registration: Registration, secret: Secret?, userID: UInt32?
    ) throws(OpenSSLError) -> [CallbackOperation] {
        guard let url = registration.terms.callback, let secret else { return [] }
        let callback = Callback(
            row: registration.device, url: url, userID: userID,
            secrets: [Callback.SigningSecret(secret)])
        let event = CallbackEvent.created(registerDevice: report.parameters(of: registration))
        return [.make(callback, introduction: try entry(event, registration))]
    }

    func rotation(
        of former: Registration, to registration: Registration, secret: Secret?
    ) throws(OpenSSLError) -> [CallbackOperation] {
        guard let secret else { return [] }
        let event = CallbackEvent.rotated(
            registerDevice: report.parameters(of: registration),
            unregisterDevice: report.unregistration(of: former))
        return [.rotateSecret(callback: former.device, secret)]
            + (try telling(event, registration))
    }

    func end(of registration: Registration) throws(OpenSSLError) -> [CallbackOperation] {
        guard registration.terms.callback != nil else { return [] }
        let event = CallbackEvent.deleted(unregisterDevice: report.unregistration(of: registration))
        return [.end(callback: registration.device, last: try entry(event, registration))]
    }

    private func telling(
        _ event: CallbackEvent, _ registration: Registration
    ) throws(OpenSSLError) -> [CallbackOperation] {
        guard registration.terms.callback != nil else { return [] }
        return [.add(try entry(event, registration), to: registration.device)]
    }

    private func entry(
        _ event: CallbackEvent, _ registration: Registration
    ) throws(OpenSSLError) -> OutboxEvent {
        var random = RandomSupply()
        return event.entry(
            try MessageID(from: &random), registration: registration.id.text,
            account: registration.terms.account, at: milliseconds)
    }
}
