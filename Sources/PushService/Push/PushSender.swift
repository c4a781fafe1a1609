import HTTP
import Mailbox
import WebPush

/// Who waits to hear what came of a message, on the loop to which it was sent.
enum PushSender {
    case application(HTTPExchange)
    /// On behalf of one of the devices of its notification.
    case homeserver(MatrixRequest, device: Int)

    func answer(_ message: Message, _ verdict: Verdict, _ service: PushContext) {
        switch self {
        case .application(let exchange): Answer.push(message, verdict, service, to: exchange)
        case .homeserver(let request, let device): request.settle(device, verdict)
        }
    }

    func refuse(_ refusal: PushRefusal, _ service: PushContext) {
        switch self {
        case .application(let exchange): Answer.refuse(refusal, exchange, service)
        case .homeserver(let request, let device):
            request.refuse(device, refusal)
            request.settle()
        }
    }
}
