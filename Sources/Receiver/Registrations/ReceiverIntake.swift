import Base
import Crypto
import HTTP
import Mailbox
import WebPush

/// A push to a registration, whose sender may push there.
struct ReceiverPush {
    let exchange: HTTPExchange
    let fields: PushFields
    let endpoint: Endpoint
    let method: PushRules.Method
    /// The key it was signed with.
    let signer: KeyHash?
}

/// Takes in what is pushed to registrations: messages are decrypted, the rest are fetch signals.
final class ReceiverIntake {
    private let service: PushService
    private let desk: DeliveryDesk
    @exclusivity(unchecked) private var reader: PayloadReader

    init(_ service: PushService, _ desk: DeliveryDesk) throws {
        self.service = service
        self.desk = desk
        reader = try PayloadReader()
    }

    func take(_ push: ReceiverPush) {
        let device = push.endpoint.address.device
        if let registration = service.index.registrations[device] {
            return take(push, for: registration)
        }
        desk.list(.registration(.ofDevice(device))) { [self] answer in
            switch answer {
            case .registration(.one(let registration, _)): take(push, for: registration)
            case .registration(.none): refuse(push, .gone)
            default: refuse(push, .unavailable)
            }
        }
    }

    private func take(_ push: ReceiverPush, for registration: Registration) {
        do throws(PushRefusal) {
            let rules = PushRules(
                kind: push.endpoint.kind, method: push.method,
                ttlLimit: registration.terms.ttlLimit ?? PushRules.longestTTL)
            let body = push.exchange.body
            let request = try PushRequest(push.fields, body: body.span, rules: rules)
            switch request.effect {
            case .signal(let version): try signal(version, request, push, registration)
            // A message of nothing only says that there is something to fetch.
            case .message where body.isEmpty: try signal(nil, request, push, registration)
            case .message: try message(request, body, push, registration)
            }
        } catch {
            refuse(push, error)
        }
    }

    private func refuse(_ push: ReceiverPush, _ refusal: PushRefusal) {
        Answer.refuse(refusal, push.exchange, service)
    }

    private func signal(
        _ version: UInt64?, _ request: PushRequest, _ push: ReceiverPush,
        _ registration: Registration
    ) throws(PushRefusal) {
        let message = try make(request, [], push)
        guard request.ttl > 0 else {
            return Answer.push(message, .accepted, service, to: push.exchange)
        }
        let signal = FetchSignal(
            id: message.id, version: version, arrival: message.arrival, expiry: message.expiry)
        // The outbox writes numbers as TDLib does.
        let event = CallbackEvent.fetch(
            count: 1, version: version.flatMap { Int64(exactly: $0) })
        bind(push) { [self] in
            submit(.signal(signal, push.endpoint.address), event, message, push, registration)
        }
    }

    private func message(
        _ request: PushRequest, _ body: [UInt8], _ push: ReceiverPush,
        _ registration: Registration
    ) throws(PushRefusal) {
        // Before anything is decrypted: whether there is room must not tell what could be read.
        var message = try make(request, body, push)
        guard hasRoom(for: message) else { throw .tooMany(retryAfter: PushIntake.pauseWhenFull) }
        if message.needsStore {
            service.index.release(message.size, for: message.address)
        }
        let payload: PayloadReader.Payload
        do throws(PayloadReader.Failure) {
            payload = try read(body, request.headers, push, registration)
        } catch {
            switch error {
            case .fault: throw .unavailable
            case .undecryptable(let reason):
                return count(reason, message, push, registration)
            }
        }
        message = try make(request, payload.text, push, payload)
        bind(push) { [self] in
            guard hasRoom(for: message) else {
                return refuse(push, .tooMany(retryAfter: PushIntake.pauseWhenFull))
            }
            submit(
                .receive(message, payload.mark, EnginePush(registration)),
                .message(CallbackEvent.Payload(message)), message,
                push, registration)
            if payload.usesCurrentSecret { forgetFormerSecret(of: registration) }
        }
    }

    private func read(
        _ body: [UInt8], _ headers: PayloadHeaders?, _ push: ReceiverPush,
        _ registration: Registration
    ) throws(PayloadReader.Failure) -> PayloadReader.Payload {
        guard let target = registration.target(push.endpoint.address.subscription) else {
            throw .fault
        }
        return try reader.read(
            body, headers, for: target, of: registration, at: service.store.clock.now)
    }

    /// The sender gets the answer of a push that was taken, at the time of one that was taken.
    private func count(
        _ reason: String, _ message: Message, _ push: ReceiverPush, _ registration: Registration
    ) {
        service.metrics.noteUndecryptable(reason)
        service.settings.onUndecryptable(registration.id.text, reason)
        submit(
            .count(device: push.endpoint.address.device, reason: reason),
            .undecryptable(reason: reason), message, push, registration)
    }

    private func submit(
        _ operation: RegistrationOperation, _ event: CallbackEvent, _ message: Message,
        _ push: ReceiverPush, _ registration: Registration
    ) {
        var callbacks: [CallbackOperation] = []
        if registration.terms.callback != nil {
            // The message's own id is for those who fetch; an event has one of its own.
            guard let id = try? MessageID(from: &desk.random) else {
                return refuse(push, .unavailable)
            }
            let entry = event.entry(
                id, registration: registration.id.text, account: registration.terms.account,
                at: message.arrival)
            callbacks = [.add(entry, to: registration.device)]
        }
        desk.submit(
            StoreOperation.registration(operation).telling(callbacks),
            .other { [service] outcome in
                Answer.push(message, Verdict(outcome), service, to: push.exchange)
            })
    }

    /// The first correctly signed push binds its endpoint. One that was beaten to it comes again,
    /// and is then judged by the other's key.
    private func bind(_ push: ReceiverPush, then: @escaping () -> Void) {
        guard case .firstKey = push.endpoint.sender, let signer = push.signer else {
            return then()
        }
        desk.submit(
            .bindKey(subscription: push.endpoint.address.subscription, signer),
            .other { [self] outcome in
                if outcome == .done { then() } else { refuse(push, .unavailable) }
            })
    }

    /// If that comes to nothing, the next payload does it.
    private func forgetFormerSecret(of registration: Registration) {
        guard registration.secret?.former != nil else { return }
        var changed = registration
        changed.forgetFormerSecret()
        desk.submit(
            .registration(.change(changed, from: registration.revision, adding: nil)),
            .other { _ in })
    }

    private func hasRoom(for message: Message) -> Bool {
        !message.needsStore
            || service.index.reserve(message.size, for: message.address) == nil
    }

    private func make(
        _ request: PushRequest, _ body: [UInt8], _ push: ReceiverPush,
        _ payload: PayloadReader.Payload? = nil
    ) throws(PushRefusal) -> Message {
        let content = Message.Content(
            body: body, encoding: payload?.encoding, level: payload?.level,
            topic: request.topic, urgency: request.urgency, ttl: request.ttl)
        return try desk.makeMessage(content, to: push.endpoint.address)
    }
}

extension CallbackEvent.Payload {
    fileprivate init(_ message: Message) {
        self.init(
            id: message.id, bytes: message.content.body, encoding: message.content.encoding,
            ttl: message.content.ttl, urgency: message.content.urgency,
            topic: message.content.topic, received: message.arrival)
    }
}
