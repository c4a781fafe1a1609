import Base
import Crypto
import HTTP
import Mailbox
import WebPush

/// Turns a request to an endpoint into a message that the desk takes on, or into a refusal.
final class PushIntake {
    private let service: PushService
    private let desk: DeliveryDesk
    private let receivers: ReceiverIntake
    @exclusivity(unchecked) private var gate: VAPIDGate
    @exclusivity(unchecked) private var strangers = FailureLimiter(perSecond: 50)

    init(_ service: PushService, _ desk: DeliveryDesk) throws {
        self.service = service
        self.desk = desk
        receivers = try ReceiverIntake(service, desk)
        gate = try VAPIDGate(service.settings)
    }

    /// `head` is that of the exchange, `token` where the last part of the endpoint's path stands.
    func take(
        _ exchange: HTTPExchange, _ head: borrowing RequestHead, token: Range<Int>,
        _ method: PushRules.Method
    ) throws(PushRefusal) {
        let bytes = head.bytes
        let endpoint = try endpoint(bytes.span.extracting(token), of: exchange)
        var fields = PushFields()
        head.fields.forEach { fields.note($0, $1) }
        let authority = bytes.span.extracting(head.authority ?? 0..<0)
        let signer = try gate.admit(fields, to: endpoint, of: authority)
        guard endpoint.kind == .channel else {
            return receivers.take(
                ReceiverPush(
                    exchange: exchange, fields: fields, endpoint: endpoint, method: method,
                    signer: signer))
        }
        let body = exchange.body
        let request = try PushRequest(
            consume fields, body: body.span, rules: PushRules(kind: endpoint.kind, method: method))
        let message = try message(request, body, to: endpoint)
        guard !message.needsStore || hasRoom(for: message) else {
            guard service.settings.dropsOldest else {
                throw .tooMany(retryAfter: Self.pauseWhenFull)
            }
            return makeRoom(for: message, from: exchange)
        }
        desk.accept(message, from: exchange)
    }

    private func hasRoom(for message: Message) -> Bool {
        service.index.reserve(message.size, for: message.address) == nil
    }

    /// Where that was asked for, the oldest messages of a full subscription give way.
    private func makeRoom(for message: Message, from exchange: HTTPExchange) {
        desk.submit(
            .dropOldest(message.address, count: Self.droppedAtOnce),
            .other { [self] outcome in
                if outcome == .unavailable {
                    Answer.refuse(.unavailable, exchange, service)
                } else if hasRoom(for: message) {
                    desk.accept(message, from: exchange)
                } else {
                    Answer.refuse(.tooMany(retryAfter: Self.pauseWhenFull), exchange, service)
                }
            })
    }

    /// What is not ours is unknown without a look-up, what was ours is gone.
    private func endpoint(
        _ token: Span<UInt8>, of exchange: HTTPExchange
    ) throws(PushRefusal) -> Endpoint {
        guard let bytes = Base64URL.decode(token) else {
            throw unknown(to: exchange.client)
        }
        let answer: StoreIndex.EndpointAnswer?
        do throws(OpenSSLError) {
            let token = try desk.mint.token(bytes.span)
            answer = try token.map { token throws(OpenSSLError) in
                service.index.endpoint(try desk.mint.digest(of: token))
            }
        } catch {
            throw .unavailable
        }
        guard let answer else { throw unknown(to: exchange.client) }
        switch answer {
        case .found(let endpoint): return endpoint
        case .gone: throw .gone
        case .unsure: throw .unavailable
        }
    }

    /// Who tries many is made to wait; whoever knows an endpoint is not, wherever it comes from.
    private func unknown(to client: IPAddress?) -> PushRefusal {
        let second = desk.loop.now.nanoseconds / 1_000_000_000
        let stranger = Self.key(of: client)
        guard !strangers.isExhausted(stranger, second: second) else {
            return .tooMany(retryAfter: 1)
        }
        strangers.note(stranger, second: second)
        return .unknownToken
    }

    private func message(
        _ request: borrowing PushRequest, _ body: [UInt8], to endpoint: Endpoint
    ) throws(PushRefusal) -> Message {
        let content = Message.Content(
            body: body, encoding: request.headers?.encoding,
            encryption: request.headers?.encryption ?? [],
            cryptoKey: request.headers?.cryptoKey ?? [], topic: request.topic,
            urgency: request.urgency, ttl: request.ttl)
        return try desk.makeMessage(content, to: endpoint.address)
    }

    static let pauseWhenFull: UInt32 = 60
    private static let droppedAtOnce = 16

    /// Version 6 by its /64, which one sender has for itself.
    private static func key(of client: IPAddress?) -> UInt64 {
        guard let client else { return 0 }
        return client.v4.map(UInt64.init) ?? client.high
    }
}
