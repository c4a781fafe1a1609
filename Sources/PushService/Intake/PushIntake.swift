import Base
import Crypto
import Delivery
import HTTP
import Mailbox
import Notifications
import System
import WebPush

/// Turns a request to an endpoint into a message for the desk, or refuses it.
final class PushIntake {
    private let service: ServiceState
    private let desk: DeliveryDesk
    let receivers: ReceiverIntake
    @exclusivity(unchecked) private var gate: VAPIDGate
    /// This many signatures take about a millisecond to check.
    private static let newSignaturesPerTurn = 8
    @exclusivity(unchecked) private var newSignatures = TurnBudget(newSignaturesPerTurn)
    private let later: DeferredPushes
    /// A full subscription drops its oldest messages instead of refusing new ones.
    private var dropsOldest: Bool

    init(_ service: ServiceState, _ desk: DeliveryDesk) throws {
        self.service = service
        self.desk = desk
        receivers = try ReceiverIntake(service, desk)
        let settings = service.settings
        gate = try VAPIDGate(settings, service.failedSignatures)
        dropsOldest = settings.dropsOldest
        later = DeferredPushes(on: desk.loop, perTurn: Self.newSignaturesPerTurn)
    }

    func use(_ settings: PushServiceSettings) {
        gate.use(settings)
        dropsOldest = settings.dropsOldest
    }

    /// `head` belongs to the exchange; `token` is the range of the endpoint's token in the head.
    func receive(
        _ exchange: HTTPExchange, _ head: borrowing RequestHead, token: Range<Int>,
        _ method: PushRules.Method, isLate: Bool = false
    ) {
        var device: UInt32 = 0
        do throws(PushRefusal) {
            let endpoint = try endpoint(token, of: head, exchange)
            device = endpoint.address.device
            try receive(exchange, head, token: token, endpoint, method, isLate: isLate)
        } catch {
            Answer.refuse(error, exchange, service, to: device)
        }
    }

    private func endpoint(
        _ token: Range<Int>, of head: borrowing RequestHead, _ exchange: HTTPExchange
    ) throws(PushRefusal) -> Endpoint {
        do throws(PushRefusal) {
            return try lookUp(head.fields.bytes.span.extracting(token)).endpoint
        } catch .unknownToken {
            throw unknown(to: exchange.client)
        }
    }

    private func receive(
        _ exchange: HTTPExchange, _ head: borrowing RequestHead, token: Range<Int>,
        _ endpoint: Endpoint, _ method: PushRules.Method, isLate: Bool
    ) throws(PushRefusal) {
        let bytes = head.fields.bytes.span
        var fields = PushFields()
        head.fields.forEach { fields.record($0, $1) }
        if let query = head.query { fields.record(query: bytes.extracting(query)) }
        // New signatures wait while others do, or once this turn has checked its share.
        if fields.authorization != nil, !isLate,
            !later.isEmpty || newSignatures.isSpent(in: desk.loop.now), !gate.knows(fields)
        {
            return later.add { [self] in receiveLater(exchange, token: token, method) }
        }
        let authority = bytes.extracting(head.authority ?? 0..<0)
        let body = exchange.body
        let signer = try admit(fields, body.span, to: endpoint, of: authority)
        guard endpoint.kind == .channel else {
            var said = SenderFields()
            if endpoint.kind == .receiver {
                head.fields.forEach { said.record($0, $1) }
                if let query = head.query { said.record(query: bytes.extracting(query)) }
                if !body.isEmpty { said.useBody() }
            }
            return receivers.receive(
                .request(fields, method, said), body, to: endpoint, signer: signer,
                from: exchange)
        }
        let request = try PushRequest(
            consume fields, body: body, rules: PushRules(kind: endpoint.kind, method: method))
        try accept(request.content, to: endpoint.address, from: exchange)
    }

    /// The endpoint may have ended meanwhile.
    private func receiveLater(
        _ exchange: HTTPExchange, token: Range<Int>, _ method: PushRules.Method
    ) {
        let head = exchange.head
        let body = exchange.body
        CrashMarker.mark(.request, head.fields.bytes.span, body.span) {
            receive(exchange, head, token: token, method, isLate: true)
        }
    }

    private func admit(
        _ fields: borrowing PushFields, _ body: Span<UInt8>, to endpoint: Endpoint,
        of authority: Span<UInt8>
    ) throws(PushRefusal) -> KeyHash? {
        let before = gate.signaturesChecked
        defer { if gate.signaturesChecked != before { newSignatures.spend(in: desk.loop.now) } }
        return try gate.admit(fields, body, to: endpoint, of: authority)
    }

    /// Makes a message of an admitted push, if there is room for it. If the configuration says so,
    /// the oldest messages of a full subscription make room.
    func accept(
        _ content: consuming MessageContent, to address: Address,
        _ reservation: consuming Reservation = Reservation(), from sender: any PushSender,
        hasMadeRoom: Bool = false
    ) throws(PushRefusal) {
        var reservation = reservation
        if service.index.reserve(content, for: address, in: &reservation) {
            let message = try desk.makeMessage(consume content, to: address, reservation)
            return desk.accept(message, from: sender)
        }
        guard dropsOldest, !hasMadeRoom else {
            throw .tooMany(retryAfter: RetryAfter.whenFull)
        }
        let (content, held) = (content, ConsumableBox(reservation))
        desk.submit(
            .dropOldest(address, count: Self.droppedAtOnce),
            .other { [self] outcome in
                do throws(PushRefusal) {
                    guard outcome != .unavailable, let reservation = held.value.take() else {
                        throw .unavailable
                    }
                    try accept(
                        content, to: address, reservation, from: sender, hasMadeRoom: true)
                } catch {
                    sender.refuse(error, service, to: address.device)
                }
            })
    }

    /// Tokens that this server never made are unknown; others not in the index are gone, or missing
    /// after a restore.
    func lookUp(
        _ text: Span<UInt8>
    ) throws(PushRefusal) -> (endpoint: Endpoint, token: EndpointToken) {
        let ours: (token: EndpointToken, digest: Digest)?
        do throws(OpenSSLError) {
            ours = try desk.mint.token(text).map { token throws(OpenSSLError) in
                (token, try desk.mint.digest(of: token))
            }
        } catch {
            throw .unavailable
        }
        guard let ours else { throw .unknownToken }
        switch service.index.endpoint(ours.digest) {
        case .found(let endpoint): return (endpoint, ours.token)
        case .gone: throw .gone
        case .unsure: throw .unavailable
        case .missing(let until):
            throw service.store.clock.now < until ? .missing : .gone
        }
    }

    /// A client that tries many unknown endpoints must wait; known endpoints are never affected.
    func unknown(to client: IPAddress?) -> PushRefusal {
        service.isGuessing(client)
            ? .tooMany(retryAfter: RetryAfter.nextSecond) : .unknownToken
    }

    private static let droppedAtOnce = 16
}

/// Pushes that are put off to the next turns of a loop, a few at a time and in order.
final class DeferredPushes: TimerHandler {
    private let perTurn: Int
    private let loop: EventLoop
    /// The next pushes in reverse order: the first of them is the last element.
    private var next: [() -> Void] = []
    /// The pushes after those, in order.
    private var behind: [() -> Void] = []
    /// Whether a turn is scheduled or running.
    private var hasTurn = false

    init(on loop: EventLoop, perTurn: Int) {
        self.loop = loop
        self.perTurn = perTurn
    }

    var isEmpty: Bool { next.isEmpty && behind.isEmpty }

    var capacity: Int { next.capacity + behind.capacity }

    func add(_ push: @escaping () -> Void) {
        behind.append(push)
        if !hasTurn { callAgain() }
    }

    func timerFired(_ cookie: UInt64) {
        // Pushes added during this turn wait for another one.
        for _ in 0..<min(perTurn, next.count + behind.count) {
            if next.isEmpty { turnOver() }
            next.popLast()?()
        }
        hasTurn = false
        if !isEmpty { callAgain() }
    }

    private func turnOver() {
        swap(&next, &behind)
        next.reverse()
        // Frees the memory of a burst.
        if behind.capacity > 1_024 { behind = [] }
    }

    /// Sets a timer for the next nanosecond, which fires in another turn of the loop.
    private func callAgain() {
        hasTurn = true
        _ = loop.schedule(after: Interval(.nanoseconds(1)), self, cookie: 0)
    }
}

/// Limits costly work in one turn of a loop, so that its other connections need not wait.
struct TurnBudget {
    private let limit: Int
    private var turn: Instant?
    private var count = 0

    init(_ limit: Int) { self.limit = limit }

    mutating func isSpent(in turn: Instant) -> Bool {
        begin(turn)
        return count >= limit
    }

    mutating func spend(in turn: Instant) {
        begin(turn)
        count += 1
    }

    private mutating func begin(_ turn: Instant) {
        if self.turn != turn { (self.turn, count) = (turn, 0) }
    }
}
