import Delivery
import HTTP
import WebPush

/// One request to the gateway, answered once all of its devices are settled.
///
/// Only the loop of its exchange uses it.
final class MatrixRequest {
    private let exchange: HTTPExchange
    private let service: PushContext
    private let pushkeys: [String]
    @exclusivity(unchecked) private var rejected: Set<Int> = []
    /// For each device, the later devices of the request that name the same endpoint.
    @exclusivity(unchecked) private var repeated: [Int: [Int]] = [:]
    /// Some push failed in a way that may succeed on a retry.
    @exclusivity(unchecked) private var isIncomplete = false
    /// Pushes under way, plus one until all devices have been handled.
    @exclusivity(unchecked) private var open = 1

    init(_ exchange: HTTPExchange, _ notification: MatrixNotification, _ service: PushContext) {
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

    func answer(_ message: Message, _ verdict: Verdict, _ service: PushContext) {
        request.settle(device, verdict, row: message.address.device)
    }

    func refuse(_ refusal: PushRefusal, _ service: PushContext, to row: UInt32) {
        request.refuse(device, refusal, row: row)
        request.settle()
    }
}
