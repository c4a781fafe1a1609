import Base
import Crypto
import Delivery
package import Mailbox
import Notifications
import System
import WebPush

/// A push of the server itself to a registration, by which its owner sees that pushes arrive.
///
/// From the store on, the push goes the way of all others. A sender's way to the store is not
/// tested.
package struct TestPush: ~Copyable {
    /// In seconds.
    private static let ttl: UInt32 = 3_600

    private let service: ServiceState
    private var random = RandomSupply()

    package init(_ service: ServiceState) { self.service = service }

    /// Nil if nothing can be sent now.
    package mutating func operation(
        title: String, text: String, to registration: Registration
    ) -> StoreOperation? {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("title", title)
            writer.member("message", text)
        }
        let isSignal = registration.terms.tokenType == .simplePush
        let content = MessageContent(
            body: isSignal ? [] : writer.bytes, urgency: .high, ttl: Self.ttl)
        do throws(OpenSSLError) {
            return isSignal
                ? try signal(content, registration) : try message(content, registration)
        } catch { return nil }
    }

    private mutating func message(
        _ content: MessageContent, _ registration: Registration
    ) throws(OpenSSLError) -> StoreOperation? {
        let address = address(of: registration)
        var reservation = Reservation()
        guard service.index.reserve(content, for: address, in: &reservation) else { return nil }
        let message = try make(content, registration, reservation)
        let telling = try registration.telling(
            .message(message), at: message.arrival, &random)
        return .registration(
            .receive(message, nil, registration.enginePush.ofText), telling: telling)
    }

    private mutating func signal(
        _ content: MessageContent, _ registration: Registration
    ) throws(OpenSSLError) -> StoreOperation {
        let message = try make(content, registration, Reservation())
        let signal = FetchSignal(
            id: message.id, version: nil, arrival: message.arrival, expiry: message.expiry)
        let telling = try registration.telling(
            .fetch(count: 1, version: nil), at: message.arrival, &random)
        return .registration(.signal(signal, message.address), telling: telling)
    }

    private func address(of registration: Registration) -> Address {
        Address(subscription: registration.target.subscription, device: registration.device)
    }

    private mutating func make(
        _ content: MessageContent, _ registration: Registration,
        _ reservation: consuming Reservation
    ) throws(OpenSSLError) -> Message {
        Message(
            id: try MessageID(from: &random), location: try LocationID(from: &random),
            address: address(of: registration), sequence: service.index.nextSequence(),
            content: content,
            // As well protected as what the registration's senders send.
            level: registration.secret == nil ? .webpush : .mtproto,
            arrival: Int64(service.now() * 1_000),
            expiry: service.store.clock.now.adding(seconds: content.ttl),
            reservation: reservation)
    }
}

/// Unencrypted pushes of scripts and services.
extension Registration {
    /// The body of a push that says nothing about encryption, in the form in which its dialect reads
    /// it; the body itself if it has this form already. What it does not show is added to what the
    /// fields ignore.
    func clearPayload(
        of body: [UInt8], _ fields: inout SenderFields
    ) throws(PushRefusal) -> [UInt8] {
        guard terms.acceptsClear, secret == nil, !PayloadReader.isFolded(body) else { return body }
        do throws(PlainDialect.Refusal) {
            return try CrashMarker.mark(.payload, body.span) { () throws(PlainDialect.Refusal) in
                try terms.dialect.payload(of: body, &fields)
            }
        } catch {
            throw PushRefusal(error)
        }
    }

    /// Only a body that will be cut may be longer than a push. What was encrypted will not be.
    func clearBodyLimit(for body: [UInt8], _ fields: SenderFields) -> Int {
        guard terms.acceptsClear, secret == nil, !PayloadReader.isFolded(body) else {
            return PushRules.bodyLimit
        }
        let isOfService =
            body.count > PushRules.bodyLimit && terms.dialect == .plain
            && Dialect.service(of: body, fields) != nil
        return isOfService ? RegistrationTerms.serviceBodyLimit : terms.clearBodyLimit
    }
}

extension PushRefusal {
    fileprivate init(_ refusal: PlainDialect.Refusal) {
        switch refusal {
        case .notText: self = .notText
        case .delayed: self = .script(.delayed)
        case .badPriority: self = .script(.badPriority)
        case .badForm: self = .script(.badForm)
        case .badJSON: self = .script(.badJSON)
        case .tooDeep: self = .script(.tooDeep)
        }
    }
}

/// What a callback is told about a push.
extension Registration {
    /// Nothing if it has no callback. The message's id is for fetching; the event gets an id of its
    /// own.
    func telling(
        _ event: @autoclosure () -> CallbackEvent, at time: Int64, _ random: inout RandomSupply
    ) throws(OpenSSLError) -> [CallbackOperation] {
        guard terms.callback != nil else { return [] }
        let entry = event().entry(
            try MessageID(from: &random), registration: id.text, account: terms.account, at: time)
        return [.add(entry, to: device)]
    }
}
