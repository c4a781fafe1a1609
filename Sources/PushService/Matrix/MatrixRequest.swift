import Delivery
import HTTP
import Mailbox
import WebPush

/// One request to the gateway, which is answered once all of its devices are settled.
///
/// Confined to the loop of its exchange.
final class MatrixRequest {
    private let exchange: HTTPExchange
    private let service: PushContext
    private let pushkeys: [String]
    @exclusivity(unchecked) private var rejected: Set<Int> = []
    /// Other names of the endpoint of a device.
    @exclusivity(unchecked) private var repeated: [Int: [Int]] = [:]
    /// Something may go better the next time.
    @exclusivity(unchecked) private var isIncomplete = false
    /// Pushes under way, and one for the request while it is gone through.
    @exclusivity(unchecked) private var open = 1

    init(_ exchange: HTTPExchange, _ notification: MatrixNotification, _ service: PushContext) {
        self.exchange = exchange
        self.service = service
        pushkeys = notification.devices.map(\.pushkey)
    }

    fileprivate func begin() { open += 1 }

    /// What becomes of the first name of an endpoint is said of the others.
    func mark(_ device: Int, asRepetitionOf first: Int) {
        repeated[first, default: []].append(device)
    }

    /// Only what is wrong for good may end a pusher.
    func refuse(_ device: Int, _ refusal: PushRefusal) {
        service.metrics.count(refusal)
        if (400..<500).contains(refusal.status), refusal.retryAfter == nil {
            rejected.insert(device)
            rejected.formUnion(repeated[device] ?? [])
        } else {
            isIncomplete = true
        }
    }

    func settle(_ device: Int, _ verdict: Verdict) {
        switch verdict {
        case .accepted: service.metrics.noteAccepted()
        case .gone: refuse(device, .gone)
        case .full, .unavailable: refuse(device, .unavailable)
        }
        settle()
    }

    func settle() {
        open -= 1
        guard open == 0 else { return }
        guard !isIncomplete else {
            return Answer.refuse(MatrixRefusal.unavailable.answer, exchange)
        }
        let list = rejected.sorted().map { pushkeys[$0] }
        Answer.json(200, MatrixRefusal.answer(rejecting: list), exchange)
    }
}

/// One of the devices of a request, of which it waits to hear.
final class MatrixRecipient: PushSender {
    private let request: MatrixRequest
    private let device: Int

    init(_ request: MatrixRequest, device: Int) {
        self.request = request
        self.device = device
        request.begin()
    }

    func answer(_ message: Message, _ verdict: Verdict, _ service: PushContext) {
        request.settle(device, verdict)
    }

    func refuse(_ refusal: PushRefusal, _ service: PushContext) {
        request.refuse(device, refusal)
        request.settle()
    }
}
