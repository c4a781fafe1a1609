import Base
import Crypto
import Delivery
import HTTP
import Mailbox
import Reactor
import System
import WebPush

/// A push to a registration, whose sender may push there.
struct ReceiverPush {
    /// What there is to be checked by the rules of the registration.
    enum Form {
        case request(PushFields, PushRules.Method)
        case matrix(Urgency, appID: String)
    }

    let sender: any PushSender
    let form: Form
    let body: [UInt8]
    let endpoint: Endpoint
    /// The key it was signed with.
    var signer: KeyHash?
    /// By which a repetition of it is known. Given back by whoever does not hand it to the store.
    var mark: RepetitionMark?
}

/// A push with the registration that it is for. It goes from step to step, and is never copied.
private final class Arrival {
    let push: ReceiverPush
    let entry: RegistrationCache.Entry

    init(_ push: consuming ReceiverPush, _ entry: RegistrationCache.Entry) {
        self.push = push
        self.entry = entry
    }
}

/// Takes in what is pushed to registrations: messages are decrypted, the rest are fetch signals.
final class ReceiverIntake {
    private let service: PushContext
    private let desk: DeliveryDesk
    @exclusivity(unchecked) private var reader: PayloadReader
    @exclusivity(unchecked) private var readHere: TurnShare

    init(_ service: PushContext, _ desk: DeliveryDesk) throws {
        self.service = service
        self.desk = desk
        reader = try PayloadReader()
        readHere = TurnShare(service.settings.readAtOnce)
    }

    func take(_ push: consuming ReceiverPush) {
        let device = push.endpoint.address.device
        if let entry = service.index.registrations[device] {
            return take(Arrival(push, entry))
        }
        let push = push
        desk.list(.registration(.ofDevice(device))) { [self] answer in
            switch answer {
            case .registration(.one(let registration, _)): take(Arrival(push, .init(registration)))
            case .registration(.none): refuse(push, .gone)
            default: refuse(push, .unavailable)
            }
        }
    }

    private func take(_ arrival: Arrival) {
        let body = arrival.push.body
        guard !service.index.setAside.contains(.payload, body.span) else {
            return refuse(arrival.push, .setAside)
        }
        do throws(PushRefusal) {
            let request = try request(arrival)
            switch request.effect {
            case .signal(let version): try signal(version, request, arrival)
            // A message of nothing only says that there is something to fetch.
            case .message where arrival.push.body.isEmpty: try signal(nil, request, arrival)
            case .message: try message(request, arrival)
            }
        } catch {
            refuse(arrival.push, error)
        }
    }

    private func request(_ arrival: Arrival) throws(PushRefusal) -> PushRequest {
        let limit = arrival.entry.registration.terms.ttlLimit ?? PushRules.longestTTL
        switch arrival.push.form {
        case .request(let fields, let method):
            let body = arrival.push.body
            return try PushRequest(
                fields, body: body.span,
                rules: PushRules(
                    kind: arrival.push.endpoint.kind, method: method, ttlLimit: limit))
        case .matrix(let urgency, let appID):
            // Nothing will make a homeserver's pushes right for another application.
            let terms = arrival.entry.registration.terms
            guard terms.takesMatrix, terms.appID == nil || terms.appID == appID else {
                throw .unknownToken
            }
            return PushRequest(clear: urgency, ttl: min(limit, MatrixNotification.ttl))
        }
    }

    private func refuse(_ push: ReceiverPush, _ refusal: PushRefusal) {
        if let mark = push.mark { service.index.release(mark) }
        push.sender.refuse(refusal, service)
    }

    private func accept(_ push: ReceiverPush, _ message: Message, _ verdict: Verdict) {
        push.sender.answer(message, verdict, service)
    }

    private func signal(
        _ version: UInt64?, _ request: PushRequest, _ arrival: Arrival
    ) throws(PushRefusal) {
        let message = try make(content(request, []), arrival.push)
        guard request.ttl > 0 else {
            return accept(arrival.push, message, .accepted)
        }
        let signal = FetchSignal(
            id: message.id, version: version, arrival: message.arrival, expiry: message.expiry)
        // The outbox writes numbers as TDLib does.
        let event = CallbackEvent.fetch(
            count: 1, version: version.flatMap { Int64(exactly: $0) })
        bind(arrival.push) { [self] in
            submit(.signal(signal, arrival.push.endpoint.address), event, message, arrival)
        }
    }

    private func message(_ request: PushRequest, _ arrival: Arrival) throws(PushRefusal) {
        // Before anything is decrypted: whether there is room must not tell what could be read.
        let address = arrival.push.endpoint.address
        let sealed = content(request, arrival.push.body)
        guard hasRoom(for: sealed, address) else {
            throw .tooMany(retryAfter: RetryAfter.whenFull)
        }
        if sealed.needsStore { service.index.release(sealed.size, for: address) }
        let target = arrival.entry.registration.targets.first {
            $0.subscription == address.subscription
        }
        guard let target else { throw .unavailable }
        let job = PayloadReader.Job(
            body: arrival.push.body, headers: request.headers, target: target,
            device: arrival.entry.registration.device,
            acceptsClear: arrival.entry.registration.terms.acceptsClear,
            secret: arrival.entry.registration.secret, now: service.store.clock.now)
        read(job) { [self] outcome in
            let body = arrival.push.body
            Underway.mark(.payload, body.span) {
                do throws(PushRefusal) {
                    switch outcome {
                    case .success(let payload): try take(payload, request, arrival)
                    case .failure(.fault): throw .unavailable
                    case .failure(.undecryptable(let reason)):
                        count(reason, try make(sealed, arrival.push), arrival)
                    }
                } catch {
                    refuse(arrival.push, error)
                }
            }
        }
    }

    /// Here, or on a thread of its own if there were many in this turn of the loop.
    private func read(
        _ job: PayloadReader.Job, then: @escaping (PayloadReader.Outcome) -> Void
    ) {
        guard !readHere.isSpent(in: desk.loop.now) else { return desk.read(job, then) }
        readHere.note(in: desk.loop.now)
        then(reader.outcome(of: job))
    }

    private func take(
        _ payload: PayloadReader.Payload, _ request: PushRequest, _ arrival: Arrival
    ) throws(PushRefusal) {
        let message = try make(content(request, payload.text, payload), arrival.push)
        bind(arrival.push) { [self] in
            guard hasRoom(for: message.content, message.address) else {
                return refuse(arrival.push, .tooMany(retryAfter: RetryAfter.whenFull))
            }
            // What is not kept is not known again.
            if let mark = message.mark, !message.needsStore { service.index.release(mark) }
            submit(
                .receive(message, payload.mark, arrival.entry.push),
                .message(CallbackEvent.Payload(message)), message, arrival)
            if payload.usesCurrentSecret { forgetFormerSecret(of: arrival.entry.registration) }
        }
    }

    /// The sender gets the answer of a push that was taken, at the time of one that was taken.
    private func count(_ reason: String, _ message: Message, _ arrival: Arrival) {
        if let mark = arrival.push.mark { service.index.release(mark) }
        service.metrics.noteUndecryptable(reason)
        service.settings.onUndecryptable(arrival.entry.registration.id.text, reason)
        submit(
            .count(device: arrival.entry.registration.device, reason: reason),
            .undecryptable(reason: reason), message, arrival)
    }

    private func submit(
        _ operation: RegistrationOperation, _ event: @autoclosure () -> CallbackEvent,
        _ message: Message, _ arrival: Arrival
    ) {
        var callbacks: [CallbackOperation] = []
        if arrival.entry.registration.terms.callback != nil {
            // The message's own id is for those who fetch; an event has one of its own.
            guard let id = try? MessageID(from: &desk.random) else {
                return refuse(arrival.push, .unavailable)
            }
            let entry = event().entry(
                id, registration: arrival.entry.registration.id.text,
                account: arrival.entry.registration.terms.account, at: message.arrival)
            callbacks = [.add(entry, to: arrival.entry.registration.device)]
        }
        desk.submit(
            .registration(operation, telling: callbacks),
            .other { [self] outcome in
                if outcome == .registration(.outranked) { service.metrics.noteOutranked() }
                accept(arrival.push, message, Verdict(outcome))
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

    private func hasRoom(for content: Message.Content, _ address: Address) -> Bool {
        !content.needsStore || service.index.reserve(content.size, for: address) == nil
    }

    private func content(
        _ request: PushRequest, _ body: [UInt8], _ payload: PayloadReader.Payload? = nil
    ) -> Message.Content {
        Message.Content(
            body: body, encoding: payload?.encoding, level: payload?.level,
            topic: request.topic, urgency: request.urgency, ttl: request.ttl)
    }

    private func make(
        _ content: Message.Content, _ push: ReceiverPush
    ) throws(PushRefusal) -> Message {
        try desk.makeMessage(content, to: push.endpoint.address, push.mark)
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
