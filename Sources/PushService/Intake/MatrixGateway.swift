import Base
import Crypto
import Delivery
import HTTP
import Mailbox
import WebPush

/// The push gateway for Matrix homeservers: each device of a notification becomes one push to an
/// endpoint of this server. Nothing is sent on to other servers.
final class MatrixGateway {
    private let service: ServiceState
    private let desk: DeliveryDesk
    private let intake: PushIntake
    private let applications: ApplicationIntake
    @exclusivity(unchecked) private var names: EndpointNames

    private struct Recipient {
        let device: Int
        let place: Place
    }

    private enum Place {
        case endpoint(Endpoint, EndpointToken)
        /// By its registration.
        case topic(UInt32)

        var row: UInt32 {
            switch self {
            case .endpoint(let endpoint, _): endpoint.address.device
            case .topic(let device): device
            }
        }

        /// Pushkeys for the same place have the same.
        var key: Key {
            switch self {
            case .endpoint(let endpoint, _): .subscription(endpoint.address.subscription)
            case .topic(let device): .topic(device)
            }
        }
    }

    private enum Key: Hashable {
        case subscription(UInt32)
        case topic(UInt32)
    }

    init(
        _ service: ServiceState, _ desk: DeliveryDesk, _ intake: PushIntake,
        _ applications: ApplicationIntake
    ) {
        self.service = service
        self.desk = desk
        self.intake = intake
        self.applications = applications
        names = Self.names(service.settings)
    }

    private static func names(_ settings: PushServiceSettings) -> EndpointNames {
        EndpointNames(origins: settings.origins, path: settings.baseURL.path)
    }

    func use(_ settings: PushServiceSettings) { names = Self.names(settings) }

    func receive(_ exchange: HTTPExchange) {
        do throws(MatrixRefusal) {
            let notification = try MatrixNotification(exchange.body)
            let request = MatrixRequest(exchange, notification, service)
            let recipients = recipients(of: notification, request, exchange.client)
            let bodies = notification.bodies(for: recipients.map(\.device))
            for (recipient, body) in zip(recipients, bodies) {
                do throws(PushRefusal) {
                    try push(body, notification, to: recipient, request)
                } catch {
                    request.refuse(recipient.device, error, row: recipient.place.row)
                }
            }
            request.settle()
        } catch {
            Answer.refuse(error.answer, exchange)
        }
    }

    /// Finds the devices that get a push; the others are refused or noted here.
    private func recipients(
        of notification: MatrixNotification, _ request: MatrixRequest, _ client: IPAddress?
    ) -> [Recipient] {
        var recipients: [Recipient] = []
        let isOnlyOne = notification.devices.count == 1
        var known: [Key: Int] = [:]
        var unknown: PushRefusal?
        for (number, device) in notification.devices.enumerated() {
            do throws(PushRefusal) {
                let place = try place(of: device.pushkey, client)
                if !isOnlyOne {
                    let first = known[place.key, default: number]
                    known[place.key] = first
                    guard first == number else {
                        request.mark(number, asRepetitionOf: first)
                        continue
                    }
                }
                recipients.append(Recipient(device: number, place: place))
            } catch .unknownToken {
                // A request counts once for all its unknown devices, or it could never succeed.
                let refusal = unknown ?? intake.unknown(to: client)
                unknown = refusal
                request.refuse(number, refusal, row: 0)
            } catch {
                request.refuse(number, error, row: 0)
            }
        }
        return recipients
    }

    private func place(
        of pushkey: String, _ client: IPAddress?
    ) throws(PushRefusal) -> Place {
        guard let token = names.token(of: pushkey) else {
            guard let name = names.topic(of: pushkey) else { throw .unknownToken }
            return .topic(try applications.topic(named: name, from: client))
        }
        let found = try intake.lookUp(token.span)
        // A homeserver signs nothing, so an endpoint with a key refuses it (RFC 8292 section 4).
        guard case .anyone = found.endpoint.sender else { throw .unauthorized(.missingToken) }
        switch found.endpoint.kind {
        case .channel: return .endpoint(found.endpoint, found.token)
        // The callback answered 410, so the application wants no more pushes either.
        case .receiver where service.index.callbacks.isGone(found.endpoint.address.device):
            throw .gone
        case .receiver: return .endpoint(found.endpoint, found.token)
        case .signal: throw .unknownToken
        }
    }

    /// Nil if this event was pushed before.
    private func reserve(
        _ name: [UInt8]?, for recipient: Recipient
    ) throws(PushRefusal) -> Reservation? {
        var reservation = Reservation()
        guard let name else { return reservation }
        let mark: RepetitionMark
        do throws(OpenSSLError) {
            mark =
                switch recipient.place {
                case .endpoint(_, let token):
                    try desk.mint.repetitionMark(of: token, name: name.span)
                case .topic(let device):
                    try desk.mint.repetitionMark(ofTopic: device, name: name.span)
                }
        } catch {
            throw .unavailable
        }
        switch service.index.reserve(mark, for: recipient.place.row, in: &reservation) {
        case .new, .unmarked: return reservation
        case .repeated: return nil
        case .undecided: throw .unavailable
        }
    }

    private func push(
        _ body: [UInt8], _ notification: MatrixNotification, to recipient: Recipient,
        _ request: MatrixRequest
    ) throws(PushRefusal) {
        guard let reservation = try reserve(notification.repetitionName, for: recipient) else {
            return service.metrics.noteRepeated()
        }
        switch recipient.place {
        case .endpoint(let endpoint, _):
            push(body, notification, to: endpoint, recipient.device, request, reservation)
        case .topic(let device):
            request.begin()
            applications.take(body, to: device, reservation) {
                request.settle(recipient.device, $0, row: device)
            }
        }
    }

    private func push(
        _ body: [UInt8], _ notification: MatrixNotification, to endpoint: Endpoint,
        _ device: Int, _ request: MatrixRequest, _ reservation: consuming Reservation
    ) {
        let sender = MatrixRecipient(request, device: device)
        guard endpoint.kind == .channel else {
            let appID = notification.devices[device].appID
            return intake.receivers.receive(
                .matrix(notification.urgency, appID: appID), body, to: endpoint,
                reservation, from: sender)
        }
        let content = MessageContent(
            body: body, urgency: notification.urgency, ttl: MatrixNotification.ttl)
        do throws(PushRefusal) {
            try intake.accept(content, to: endpoint.address, reservation, from: sender)
        } catch {
            sender.refuse(error, service, to: endpoint.address.device)
        }
    }
}

/// One request to the gateway, answered once all of its devices are settled.
///
/// Only the loop of its exchange uses it.
final class MatrixRequest {
    private let exchange: HTTPExchange
    private let service: ServiceState
    private let pushkeys: [String]
    @exclusivity(unchecked) private var rejected: Set<Int> = []
    /// For each device, the later devices of the request that name the same endpoint.
    @exclusivity(unchecked) private var repeated: [Int: [Int]] = [:]
    /// Some push failed in a way that may succeed on a retry.
    @exclusivity(unchecked) private var isIncomplete = false
    /// Pushes under way, plus one until all devices have been handled.
    @exclusivity(unchecked) private var open = 1

    init(_ exchange: HTTPExchange, _ notification: MatrixNotification, _ service: ServiceState) {
        self.exchange = exchange
        self.service = service
        pushkeys = notification.devices.map(\.pushkey)
    }

    fileprivate func begin() { open += 1 }

    /// The later device gets the same result as the first.
    func mark(_ device: Int, asRepetitionOf first: Int) {
        repeated[first, default: []].append(device)
    }

    /// Only a permanent failure may end a pusher.
    /// `row` is the device's; zero if it is not known.
    func refuse(_ device: Int, _ refusal: PushRefusal, row: UInt32) {
        service.count(refusal, to: row)
        if (400..<500).contains(refusal.status), refusal.retryAfter == nil {
            rejected.insert(device)
            rejected.formUnion(repeated[device] ?? [])
        } else {
            isIncomplete = true
        }
    }

    func settle(_ device: Int, _ verdict: Verdict, row: UInt32) {
        switch verdict {
        case .accepted: service.countAccepted(row)
        case .gone: refuse(device, .gone, row: row)
        case .full, .unavailable: refuse(device, .unavailable, row: row)
        }
        settle()
    }

    func settle() {
        open -= 1
        guard open == 0 else { return }
        guard !isIncomplete else {
            let refusal: MatrixRefusal = service.store.isSettling ? .settling : .unavailable
            return Answer.refuse(refusal.answer, exchange)
        }
        let list = rejected.sorted().map { pushkeys[$0] }
        Answer.json(200, MatrixRefusal.answer(rejecting: list), exchange)
    }
}

/// One device of a request, which waits for its result.
final class MatrixRecipient: PushSender {
    private let request: MatrixRequest
    private let device: Int

    init(_ request: MatrixRequest, device: Int) {
        self.request = request
        self.device = device
        request.begin()
    }

    func answer(_ message: Message, _ verdict: Verdict, _ service: ServiceState) {
        request.settle(device, verdict, row: message.address.device)
    }

    func refuse(_ refusal: PushRefusal, _ service: ServiceState, to row: UInt32) {
        request.refuse(device, refusal, row: row)
        request.settle()
    }
}
