import Crypto
import Delivery
import Mailbox
import Notifications
import System
import Topics
import WebPush

/// A push to a registration, on its way through the steps of intake; its sender was allowed to push
/// there.
private final class ReceiverPush {
    let sender: any PushSender
    let endpoint: Endpoint
    /// The key that signed it.
    let signer: KeyHash?
    var reservation: Reservation
    let entry: RegistrationCache.Entry
    /// What the sender asked for in vain; nothing of an encrypted push, whose fields are not read.
    var ignored: [String] = []

    init(
        to endpoint: Endpoint, _ entry: RegistrationCache.Entry, signer: KeyHash?,
        _ reservation: consuming Reservation, from sender: any PushSender
    ) {
        self.sender = sender
        self.endpoint = endpoint
        self.signer = signer
        self.reservation = reservation
        self.entry = entry
    }

    var device: UInt32 { endpoint.address.device }
}

/// Handles pushes to registrations: decrypts messages, and records fetch signals.
final class ReceiverIntake {
    private let service: ServiceState
    private let desk: DeliveryDesk
    @exclusivity(unchecked) private var reader: PayloadReader
    @exclusivity(unchecked) private var readHere: TurnBudget
    @exclusivity(unchecked) private var marker: ForwardMarker
    /// What stands for this server in what it forwards.
    private let server: String

    init(_ service: ServiceState, _ desk: DeliveryDesk) throws {
        self.service = service
        self.desk = desk
        reader = try PayloadReader()
        readHere = TurnBudget(service.settings.readAtOnce)
        var marker = try service.makeForwardMarker()
        server = try marker.server
        self.marker = marker
    }

    /// What must be checked by the rules of the registration.
    enum Form {
        case request(PushFields, PushRules.Method, SenderFields)
        case matrix(Urgency, appID: String)
    }

    func receive(
        _ form: Form, _ body: [UInt8], to endpoint: Endpoint, signer: KeyHash? = nil,
        _ reservation: consuming Reservation = Reservation(), from sender: any PushSender
    ) {
        let device = endpoint.address.device
        if let entry = service.index.registrations[device] {
            return judge(
                form, body,
                ReceiverPush(to: endpoint, entry, signer: signer, reservation, from: sender))
        }
        let held = ConsumableBox(reservation)
        desk.list(.registration(.ofDevice(device))) { [self] answer in
            guard let reservation = held.value.take() else { return }
            switch answer {
            case .registration(.one(let registration, _)):
                let entry = RegistrationCache.Entry(registration)
                judge(
                    form, body,
                    ReceiverPush(to: endpoint, entry, signer: signer, reservation, from: sender))
            case .registration(.none): sender.refuse(.gone, service, to: device)
            default: sender.refuse(.unavailable, service, to: device)
            }
        }
    }

    private func judge(_ form: Form, _ body: [UInt8], _ push: ReceiverPush) {
        guard !isSetAside(body) else { return refuse(push, .setAside) }
        do throws(PushRefusal) {
            var request = try request(form, body, push)
            if try rewrite(&request, form, push), isSetAside(request.content.body) {
                throw .setAside
            }
            switch request.effect {
            case .signal(let version): try signal(version, request.content, push)
            // An empty message only says that there is something to fetch.
            case .message where request.content.body.isEmpty:
                try signal(nil, request.content, push)
            case .message: try message(request.content, push)
            }
        } catch {
            refuse(push, error)
        }
    }

    private func isSetAside(_ body: [UInt8]) -> Bool {
        service.index.setAside.contains(.payload, body.span)
    }

    /// Gives an unencrypted push the form in which its dialect reads it. False if it has it already.
    private func rewrite(
        _ request: inout PushRequest, _ form: Form, _ push: ReceiverPush
    ) throws(PushRefusal) -> Bool {
        guard case .request(_, _, var fields) = form, request.content.headers == nil else {
            return false
        }
        let body = request.content.body
        if request.effect == .message {
            request.content.body = try push.entry.registration.clearPayload(of: body, &fields)
        }
        if push.entry.registration.terms.dialect == .plain { push.ignored = fields.ignored }
        return request.content.body != body
    }

    private func request(
        _ form: Form, _ body: [UInt8], _ push: ReceiverPush
    ) throws(PushRefusal) -> PushRequest {
        let registration = push.entry.registration
        let limit = registration.terms.ttlLimit ?? PushRules.longestTTL
        switch form {
        case .request(let fields, let method, let said):
            // A title alone is no fetch signal, whatever the method is.
            let isTitle = body.isEmpty && registration.terms.dialect == .plain && !said.isEmpty
            return try PushRequest(
                fields, body: body,
                rules: PushRules(
                    kind: push.endpoint.kind, method: isTitle ? .post : method, ttlLimit: limit,
                    clearBodyLimit: registration.clearBodyLimit(for: body, said)))
        case .matrix(let urgency, let appID):
            // A push for another application stays wrong however often it is repeated.
            let terms = registration.terms
            guard terms.takesMatrix, terms.appID == nil || terms.appID == appID else {
                throw .unknownToken
            }
            return PushRequest(clear: body, urgency, ttl: min(limit, MatrixNotification.ttl))
        }
    }

    private func refuse(_ push: ReceiverPush, _ refusal: PushRefusal) {
        push.sender.refuse(refusal, service, to: push.device)
    }

    private func accept(_ push: ReceiverPush, _ message: Message, _ verdict: Verdict) {
        if verdict == .accepted {
            service.lastPushes.note(message.address.device, at: message.arrival)
        }
        push.sender.answer(message, verdict, ignoring: push.ignored, service)
    }

    private func signal(
        _ version: UInt64?, _ content: MessageContent, _ push: ReceiverPush
    ) throws(PushRefusal) {
        let message = try make(content, push)
        guard content.ttl > 0 else { return accept(push, message, .accepted) }
        let signal = FetchSignal(
            id: message.id, version: version, arrival: message.arrival, expiry: message.expiry)
        // A version too large for a signed 64-bit number is left out of the event.
        let event = CallbackEvent.fetch(
            count: 1, version: version.flatMap { Int64(exactly: $0) })
        bind(push) { [self] in
            submit(.signal(signal, push.endpoint.address), event, message, push)
        }
    }

    private func message(_ content: MessageContent, _ push: ReceiverPush) throws(PushRefusal) {
        // This is checked before decryption, so that a full quota does not reveal what could be
        // decrypted. The header fields will not be stored.
        let address = push.endpoint.address
        var sealed = content
        sealed.headers = nil
        guard service.index.hasRoom(for: sealed, address) else {
            throw .tooMany(retryAfter: RetryAfter.whenFull)
        }
        let target = push.entry.registration.targets.first {
            $0.subscription == address.subscription
        }
        guard let target else { throw .unavailable }
        let job = PayloadReader.Job(
            content: content, entry: push.entry, target: target, now: service.store.clock.now)
        read(job) { [self] outcome in
            CrashMarker.mark(.payload, content.body.span) {
                do throws(PushRefusal) {
                    switch outcome {
                    case .success(let payload): try keep(payload, push)
                    case .failure(.fault): throw .unavailable
                    case .failure(.undecryptable(let reason)):
                        count(reason, try make(content, push), push)
                    }
                } catch {
                    refuse(push, error)
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
        _ payload: PayloadReader.Payload, _ push: ReceiverPush
    ) throws(PushRefusal) {
        bind(push) { [self] in
            do throws(PushRefusal) {
                let message = try makeKept(payload, push)
                let post = try desk.post(of: message, to: push.entry.registration)
                // Forwarded from server to server, it is back where it began.
                guard post?.origin?.server != server else {
                    return accept(push, message, .accepted)
                }
                let mark = try post?.origin.map { origin throws(PushRefusal) in
                    try self.mark(of: origin, push.device)
                }
                submit(
                    .receive(message, mark ?? payload.mark, push.entry.push, post),
                    .message(message), message, push)
            } catch {
                return refuse(push, error)
            }
            if payload.usesCurrentSecret { forgetFormerSecret(of: push.entry.registration) }
        }
    }

    /// However often another server sends something that was forwarded, and encrypted anew, it is
    /// taken once.
    private func mark(
        of origin: ForwardOrigin, _ device: UInt32
    ) throws(PushRefusal) -> ReplayMark {
        do throws(OpenSSLError) {
            return ReplayMark(try marker.digest(of: origin), device: device)
        } catch { throw .unavailable }
    }

    /// The sender gets the same answer, at the same time, as for a push that could be decrypted.
    private func count(_ reason: String, _ message: Message, _ push: ReceiverPush) {
        note(reason, push)
        submit(
            .count(device: push.entry.registration.device, reason: reason),
            .undecryptable(reason: reason), message, push)
    }

    private func note(_ outcome: StoreOutcome, _ push: ReceiverPush) {
        switch outcome {
        case .registration(.outranked): service.metrics.noteOutranked()
        case .registration(.notUnderstood(let reason)): note(reason, push)
        default: break
        }
    }

    private func note(_ reason: String, _ push: ReceiverPush) {
        service.metrics.noteUndecryptable(reason)
        service.record(
            ServerEvent(
                .undecryptable, word: reason, device: push.device))
        service.onUndecryptable(push.entry.registration.id.text, reason)
    }

    private func submit(
        _ operation: RegistrationOperation, _ event: @autoclosure () -> CallbackEvent,
        _ message: Message, _ push: ReceiverPush
    ) {
        let callbacks = try? push.entry.registration.telling(
            event(), at: message.arrival, &desk.random)
        guard let callbacks else { return refuse(push, .unavailable) }
        desk.submit(
            .registration(operation, telling: callbacks),
            .other { [self] outcome in
                note(outcome, push)
                if case .receive = operation, outcome == .done || outcome.isStored {
                    service.noteShown(push.entry.registration)
                }
                accept(push, message, Verdict(outcome))
            })
    }

    /// The first correctly signed push binds its endpoint to its key. If another was faster, the
    /// sender repeats the push, which is then judged by the other key.
    private func bind(_ push: ReceiverPush, then: @escaping () -> Void) {
        let endpoint = push.endpoint
        guard case .firstKey = endpoint.sender, let signer = push.signer else {
            return then()
        }
        desk.submit(
            .bindKey(subscription: endpoint.address.subscription, signer),
            .other { [self] outcome in
                if outcome == .done { then() } else { refuse(push, .unavailable) }
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

    /// Makes a message that is not stored, only passed on.
    private func make(
        _ content: MessageContent, _ push: ReceiverPush, _ level: TrustLevel? = nil
    ) throws(PushRefusal) -> Message {
        try desk.makeMessage(content, level, to: push.endpoint.address, isShown: true)
    }

    /// Reserves room, and keeps the mark. A message that is not stored needs neither.
    private func makeKept(
        _ payload: PayloadReader.Payload, _ push: ReceiverPush
    ) throws(PushRefusal) -> Message {
        let content = payload.content
        guard content.needsStore else { return try make(content, push, payload.level) }
        let address = push.endpoint.address
        guard service.index.reserve(content, for: address, in: &push.reservation) else {
            throw .tooMany(retryAfter: RetryAfter.whenFull)
        }
        return try desk.makeMessage(
            content, payload.level, to: address, push.reservation.take(), isShown: true)
    }
}
