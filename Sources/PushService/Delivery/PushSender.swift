import Delivery
import WebPush

/// Waits for the result of a push, on the loop to which it was sent.
protocol PushSender: AnyObject {
    func answer(_ message: Message, _ verdict: Verdict, _ service: PushContext)
    /// The sender is told the names of what it asked for in vain.
    func answer(
        _ message: Message, _ verdict: Verdict, ignoring: [String], _ service: PushContext)
    /// The push to the device never became a message.
    func refuse(_ refusal: PushRefusal, _ service: PushContext, to device: UInt32)
}

extension PushSender {
    func answer(
        _ message: Message, _ verdict: Verdict, ignoring: [String], _ service: PushContext
    ) {
        answer(message, verdict, service)
    }
}
