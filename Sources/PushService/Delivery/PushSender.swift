import Delivery
import Mailbox
import WebPush

/// Who waits to hear what came of a message, on the loop to which it was sent.
protocol PushSender: AnyObject {
    func answer(_ message: Message, _ verdict: Verdict, _ service: PushContext)
    /// It never became a message that was taken in.
    func refuse(_ refusal: PushRefusal, _ service: PushContext)
}
