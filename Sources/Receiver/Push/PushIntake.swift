import Base
import Crypto
import HTTP
import Mailbox
import WebPush

/// Turns a request to an endpoint into a message that the desk takes on, or into a refusal.
final class PushIntake {
    private let service: PushService
    private let desk: DeliveryDesk
    @exclusivity(unchecked) private var gate: VAPIDGate
    @exclusivity(unchecked) private var strangers = FailureLimiter(perSecond: 50)

    init(_ service: PushService, _ desk: DeliveryDesk) throws {
        self.service = service
        self.desk = desk
        gate = try VAPIDGate(service.settings)
    }

    /// `token` is where the last part of the endpoint's path stands.
    func take(
        _ exchange: HTTPExchange, token: Range<Int>, _ method: PushRules.Method
    ) throws(PushRefusal) {
        let endpoint = try endpoint(exchange, token)
        var fields = PushFields()
        exchange.head.fields.forEach { fields.note($0, $1) }
        let bytes = exchange.head.bytes
        let authority = bytes.span.extracting(exchange.head.authority ?? 0..<0)
        _ = try gate.admit(fields, to: endpoint, of: authority)
        let body = exchange.body
        let request = try PushRequest(
            fields, body: body.span, rules: PushRules(kind: endpoint.kind, method: method))
        desk.accept(try message(request, body, to: endpoint), from: exchange)
    }

    /// What is not ours is unknown without a look-up, what was ours is gone.
    private func endpoint(
        _ exchange: HTTPExchange, _ range: Range<Int>
    ) throws(PushRefusal) -> Endpoint {
        let head = exchange.head.bytes
        guard let bytes = Base64URL.decode(head.span.extracting(range)) else {
            throw unknown(to: exchange)
        }
        let answer: StoreIndex.EndpointAnswer?
        do throws(OpenSSLError) {
            let token = try desk.mint.token(bytes.span)
            answer = try token.map { token throws(OpenSSLError) in
                service.store.index.endpoint(try desk.mint.digest(of: token))
            }
        } catch {
            throw .unavailable
        }
        guard let answer else { throw unknown(to: exchange) }
        switch answer {
        case .found(let endpoint): return endpoint
        case .gone: throw .gone
        case .unsure: throw .unavailable
        }
    }

    /// Who tries many is made to wait; whoever knows an endpoint is not, wherever it comes from.
    private func unknown(to exchange: HTTPExchange) -> PushRefusal {
        let second = desk.loop.now.nanoseconds / 1_000_000_000
        let stranger = Self.key(of: exchange.client)
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
        let message: Message
        do throws(OpenSSLError) {
            #if PLANT_ID_IS_ROW
                let id = MessageID(high: 0, low: UInt64(service.store.index.nextSequence()))
            #else
                let id = try MessageID(from: &desk.random)
            #endif
            message = Message(
                id: id, location: try LocationID(from: &desk.random),
                address: endpoint.address, sequence: service.store.index.nextSequence(),
                content: content, arrival: Int64(service.settings.now() * 1_000),
                expiry: service.store.clock.now.adding(seconds: request.ttl))
        } catch {
            throw .unavailable
        }
        guard message.needsStore else { return message }
        guard service.store.index.reserve(message.size, for: endpoint.address) == nil else {
            throw .tooMany(retryAfter: Self.pauseWhenFull)
        }
        return message
    }

    private static let pauseWhenFull: UInt32 = 60

    /// Version 6 by its /64, which one sender has for itself.
    private static func key(of client: IPAddress?) -> UInt64 {
        guard let client else { return 0 }
        return client.v4.map(UInt64.init) ?? client.high
    }
}
