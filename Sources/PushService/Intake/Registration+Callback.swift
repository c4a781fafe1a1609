import Crypto
import Delivery
import Mailbox
import WebPush

/// What a callback is told about a push.
extension Registration {
    /// Nothing if it has no callback. The message's id is for fetching; the event gets an id of its
    /// own.
    func telling(
        _ event: @autoclosure () -> CallbackEvent, at time: Int64, _ random: inout RandomSupply
    ) throws(OpenSSLError) -> [CallbackOperation] {
        guard terms.callback != nil else { return [] }
        let entry = event().entry(
            try MessageID(from: &random), registration: id.text, account: terms.account, at: time)
        return [.add(entry, to: device)]
    }
}

extension CallbackEvent.Payload {
    init(_ message: Message) {
        self.init(
            id: message.id, bytes: message.content.body, encoding: message.content.encoding,
            ttl: message.content.ttl, urgency: message.content.urgency,
            topic: message.content.topic, received: message.arrival)
    }
}
