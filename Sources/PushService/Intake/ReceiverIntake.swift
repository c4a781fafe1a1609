import Delivery
import Mailbox
import Notifications
import System
import WebPush

/// A push to a registration; its sender was allowed to push there.
struct ReceiverPush: ~Copyable {
    /// What must be checked by the rules of the registration.
    enum Form {
        case request(PushFields, PushRules.Method, SenderFields)
        case matrix(Urgency, appID: String)
    }

    let sender: any PushSender
    let form: Form
    var body: [UInt8]
    let endpoint: Endpoint
    /// The key that signed it.
    var signer: KeyHash?
    var reservation = Reservation()
}

/// A push and its registration, on the way through the steps of intake.
private final class Arrival {
    var push: ReceiverPush
    let entry: RegistrationCache.Entry
    /// What the sender asked for in vain; nothing of an encrypted push, whose fields are not read.
    var ignored: [String] = []

    init(_ push: consuming ReceiverPush, _ entry: RegistrationCache.Entry) {
        self.push = push
        self.entry = entry
    }
}

/// Handles pushes to registrations: decrypts messages, and records fetch signals.
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

    func receive(_ push: consuming ReceiverPush) {
        let device = push.endpoint.address.device
        if let entry = service.index.registrations[device] { return judge(Arrival(push, entry)) }
        let held = Held(push)
        desk.list(.registration(.ofDevice(device))) { [self] answer in
            guard let push = held.value.take() else { return }
            switch answer {
            case .registration(.one(let registration, _)): judge(Arrival(push, .init(registration)))
            case .registration(.none): push.sender.refuse(.gone, service, to: device)
            default: push.sender.refuse(.unavailable, service, to: device)
            }
        }
    }

    private func judge(_ arrival: Arrival) {
        guard !isSetAside(arrival) else { return refuse(arrival, .setAside) }
        do throws(PushRefusal) {
            let request = try request(arrival)
            if try rewrite(arrival, request), isSetAside(arrival) { throw .setAside }
            switch request.effect {
            case .signal(let version): try signal(version, request, arrival)
            // An empty message only says that there is something to fetch.
            case .message where arrival.push.body.isEmpty: try signal(nil, request, arrival)
            case .message: try message(request, arrival)
            }
        } catch {
            refuse(arrival, error)
        }
    }

    private func isSetAside(_ arrival: Arrival) -> Bool {
        let body = arrival.push.body
        return service.index.setAside.contains(.payload, body.span)
    }

    /// Gives an unencrypted push the form in which its dialect reads it. False if it has it already.
    private func rewrite(
        _ arrival: Arrival, _ request: PushRequest
    ) throws(PushRefusal) -> Bool {
        guard case .request(_, _, var fields) = arrival.push.form, request.headers == nil else {
            return false
        }
        let body = arrival.push.body
        let registration = arrival.entry.registration
        if request.effect == .message {
            arrival.push.body = try registration.clearPayload(of: body, &fields)
        }
        if registration.terms.dialect == .plain { arrival.ignored = fields.ignored }
        return arrival.push.body != body
    }

    private func request(_ arrival: Arrival) throws(PushRefusal) -> PushRequest {
        let registration = arrival.entry.registration
        let limit = registration.terms.ttlLimit ?? PushRules.longestTTL
        switch arrival.push.form {
        case .request(let fields, let method, let said):
            let body = arrival.push.body
            // A title alone is no fetch signal, whatever the method is.
            let isTitle = body.isEmpty && registration.terms.dialect == .plain && !said.isEmpty
            return try PushRequest(
                fields, body: body.span,
                rules: PushRules(
                    kind: arrival.push.endpoint.kind, method: isTitle ? .post : method,
                    ttlLimit: limit,
                    clearBodyLimit: registration.clearBodyLimit(for: body, said)))
        case .matrix(let urgency, let appID):
            // A push for another application stays wrong however often it is repeated.
            let terms = arrival.entry.registration.terms
            guard terms.takesMatrix, terms.appID == nil || terms.appID == appID else {
                throw .unknownToken
            }
            return PushRequest(clear: urgency, ttl: min(limit, MatrixNotification.ttl))
        }
    }

    private func refuse(_ arrival: Arrival, _ refusal: PushRefusal) {
        arrival.push.sender.refuse(
            refusal, service, to: arrival.push.endpoint.address.device)
    }

    private func accept(_ arrival: Arrival, _ message: Message, _ verdict: Verdict) {
        if verdict == .accepted {
            service.lastPushes.note(message.address.device, at: message.arrival)
        }
        arrival.push.sender.answer(message, verdict, ignoring: arrival.ignored, service)
    }

    private func signal(
        _ version: UInt64?, _ request: PushRequest, _ arrival: Arrival
    ) throws(PushRefusal) {
        let message = try make(content(request, []), arrival)
        guard request.ttl > 0 else { return accept(arrival, message, .accepted) }
        let signal = FetchSignal(
            id: message.id, version: version, arrival: message.arrival, expiry: message.expiry)
        // A version too large for a signed 64-bit number is left out of the event.
        let event = CallbackEvent.fetch(
            count: 1, version: version.flatMap { Int64(exactly: $0) })
        bind(arrival) { [self] in
            submit(.signal(signal, arrival.push.endpoint.address), event, message, arrival)
        }
    }

    private func message(_ request: PushRequest, _ arrival: Arrival) throws(PushRefusal) {
        // This is checked before decryption, so that a full quota does not reveal what could be
        // decrypted.
        let address = arrival.push.endpoint.address
        let sealed = content(request, arrival.push.body)
        guard service.index.hasRoom(for: sealed, address) else {
            throw .tooMany(retryAfter: RetryAfter.whenFull)
        }
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
                    case .success(let payload): try keep(payload, request, arrival)
                    case .failure(.fault): throw .unavailable
                    case .failure(.undecryptable(let reason)):
                        count(reason, try make(sealed, arrival), arrival)
                    }
                } catch {
                    refuse(arrival, error)
                }
            }
        }
    }

    /// Decrypts here, or on another thread once this turn has decrypted its share.
    private func read(
        _ job: PayloadReader.Job, then: @escaping (PayloadReader.Outcome) -> Void
    ) {
        guard !readHere.isSpent(in: desk.loop.now) else { return desk.read(job, then) }
        readHere.spend(in: desk.loop.now)
        then(reader.outcome(of: job))
    }

    private func keep(
        _ payload: PayloadReader.Payload, _ request: PushRequest, _ arrival: Arrival
    ) throws(PushRefusal) {
        let content = content(request, payload.text, payload)
        bind(arrival) { [self] in
            do throws(PushRefusal) {
                let message = try makeKept(content, arrival)
                submit(
                    .receive(message, payload.mark, arrival.entry.push),
                    .message(CallbackEvent.Payload(message)), message, arrival)
            } catch {
                return refuse(arrival, error)
            }
            if payload.usesCurrentSecret { forgetFormerSecret(of: arrival.entry.registration) }
        }
    }

    /// The sender gets the same answer, at the same time, as for a push that could be decrypted.
    private func count(_ reason: String, _ message: Message, _ arrival: Arrival) {
        note(reason, arrival)
        submit(
            .count(device: arrival.entry.registration.device, reason: reason),
            .undecryptable(reason: reason), message, arrival)
    }

    private func note(_ outcome: StoreOutcome, _ arrival: Arrival) {
        switch outcome {
        case .registration(.outranked): service.metrics.noteOutranked()
        case .registration(.notUnderstood(let reason)): note(reason, arrival)
        default: break
        }
    }

    private func note(_ reason: String, _ arrival: Arrival) {
        service.metrics.noteUndecryptable(reason)
        service.record(
            ServerEvent(
                .undecryptable, word: reason, device: arrival.push.endpoint.address.device))
        service.onUndecryptable(arrival.entry.registration.id.text, reason)
    }

    /// Counts what a client of the engine got at once. An address that only a screen shows is of no
    /// use without one, so somebody is told.
    private func noteShown(_ outcome: StoreOutcome, _ arrival: Arrival) {
        switch outcome {
        case .done, .stored: break
        default: return
        }
        let registration = arrival.entry.registration
        if service.index.engines.hasListeners(registration.engine) {
            service.metrics.noteShown()
        } else if service.index.engines.isUnheard(registration) {
            service.noteUnheard(registration)
        }
    }

    private func submit(
        _ operation: RegistrationOperation, _ event: @autoclosure () -> CallbackEvent,
        _ message: Message, _ arrival: Arrival
    ) {
        let callbacks = try? arrival.entry.registration.telling(
            event(), at: message.arrival, &desk.random)
        guard let callbacks else { return refuse(arrival, .unavailable) }
        desk.submit(
            .registration(operation, telling: callbacks),
            .other { [self] outcome in
                note(outcome, arrival)
                if case .receive = operation { noteShown(outcome, arrival) }
                accept(arrival, message, Verdict(outcome))
            })
    }

    /// The first correctly signed push binds its endpoint to its key. If another was faster, the
    /// sender repeats the push, which is then judged by the other key.
    private func bind(_ arrival: Arrival, then: @escaping () -> Void) {
        let endpoint = arrival.push.endpoint
        guard case .firstKey = endpoint.sender, let signer = arrival.push.signer else {
            return then()
        }
        desk.submit(
            .bindKey(subscription: endpoint.address.subscription, signer),
            .other { [self] outcome in
                if outcome == .done { then() } else { refuse(arrival, .unavailable) }
            })
    }

    /// If this fails, the next payload tries again.
    private func forgetFormerSecret(of registration: Registration) {
        guard registration.secret?.former != nil else { return }
        var changed = registration
        changed.forgetFormerSecret()
        desk.submit(
            .registration(.change(changed, from: registration.revision, adding: nil)),
            .other { _ in })
    }

    private func content(
        _ request: PushRequest, _ body: [UInt8], _ payload: PayloadReader.Payload? = nil
    ) -> Message.Content {
        Message.Content(
            body: body, encoding: payload?.encoding, level: payload?.level,
            topic: request.topic, urgency: request.urgency, ttl: request.ttl)
    }

    /// Makes a message that is not stored, only passed on.
    private func make(
        _ content: Message.Content, _ arrival: Arrival
    ) throws(PushRefusal) -> Message {
        try desk.makeMessage(content, to: arrival.push.endpoint.address, isShown: true)
    }

    /// Reserves room, and keeps the mark. A message that is not stored needs neither.
    private func makeKept(
        _ content: Message.Content, _ arrival: Arrival
    ) throws(PushRefusal) -> Message {
        guard content.needsStore else { return try make(content, arrival) }
        let address = arrival.push.endpoint.address
        guard service.index.reserve(content, for: address, in: &arrival.push.reservation) else {
            throw .tooMany(retryAfter: RetryAfter.whenFull)
        }
        return try desk.makeMessage(
            content, to: address, arrival.push.reservation.take(), isShown: true)
    }
}
