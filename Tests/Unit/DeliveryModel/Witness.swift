import Delivery
import WebPush

/// Sees what senders and the device see, and checks it against what they were promised. It does not
/// look at how the server does it.
struct Witness {
    private struct Push {
        let message: Message
        let begin: Int
        var accepted: Int?
        var isAnswered = false
        var isRefused = false
        /// When it was withdrawn or replaced, or its subscription ended.
        var death: StoreTime?
        /// Its end was requested, and may have happened already.
        var mayBeDead = false
        /// The connections on which it was sent.
        var sent: [Int] = []
        /// The device acknowledged it since the last crash of the server or failure of the store.
        var isAcknowledged = false
        /// The device acknowledged it once. If the acknowledgement was lost, the message may come
        /// again, but need not.
        var wasAcknowledged = false
        /// The acknowledgement is final.
        var isFinal = false
        /// The device did not want it at some time.
        var wasUnwanted = false

        func isOlder(than message: Message) -> Bool {
            self.message.sequence < message.sequence && self.message.address == message.address
                && self.message.content.topic == message.content.topic
        }
    }

    /// Milliseconds in which a page that was read earlier may still arrive.
    private static let grace: Int64 = 100

    private var pushes: [Push] = []
    private var numbers: [MessageID: Int] = [:]
    /// All pushes before this one have been delivered or have ended.
    private var firstOpen = 0
    private(set) var broken: String?
    /// Counts the events it saw.
    private var step = 0

    private mutating func fail(_ finding: String, _ push: Push) {
        fail("push \(push.message.sequence), sent on connections \(push.sent): \(finding)")
    }

    mutating func fail(_ finding: String) { broken = broken ?? finding }

    /// The last pushes that have not come to their end.
    var openPushes: [DeliveryShape.Push] {
        pushes[firstOpen...].filter { !$0.isFinal && $0.death == nil }.suffix(8).map {
            DeliveryShape.Push(
                marks: [
                    $0.accepted != nil, $0.isAnswered, $0.isRefused, $0.mayBeDead,
                    $0.isAcknowledged, $0.wasAcknowledged, $0.wasUnwanted,
                    $0.message.content.topic != nil, $0.message.content.ttl == 0,
                ], deliveries: min($0.sent.count, 3))
        }
    }

    /// The messages that may still be delivered.
    var references: [MessageReference] {
        pushes.filter { $0.accepted != nil && $0.death == nil && !$0.isFinal }.map(
            \.message.reference)
    }

    mutating func pushed(_ message: Message) {
        step += 1
        if message.content.topic != nil {
            change(where: { $0.isOlder(than: message) }) { $0.mayBeDead = true }
        }
        numbers[message.id] = pushes.count
        pushes.append(Push(message: message, begin: step))
    }

    mutating func answered(_ message: Message, isAccepted: Bool, at now: StoreTime) {
        step += 1
        guard let number = numbers[message.id] else { return }
        if pushes[number].isAnswered { fail("its sender was answered twice", pushes[number]) }
        pushes[number].isAnswered = true
        guard isAccepted else {
            pushes[number].isRefused = true
            return
        }
        pushes[number].accepted = step
        if message.content.topic != nil {
            change(where: { $0.isOlder(than: message) }) { $0.death = $0.death ?? now }
        }
    }

    private mutating func change(where isMeant: (Push) -> Bool, _ body: (inout Push) -> Void) {
        for number in pushes.indices where isMeant(pushes[number]) { body(&pushes[number]) }
    }

    /// Somebody asks for the end of these messages.
    mutating func ending(where isMeant: (Message) -> Bool) {
        change(where: { isMeant($0.message) }) { $0.mayBeDead = true }
    }

    mutating func withdrawn(_ reference: MessageReference, at now: StoreTime) {
        if let number = numbers[reference.id] { pushes[number].death = now }
    }

    mutating func ended(_ subscription: UInt32, at now: StoreTime) {
        change(where: { $0.message.address.subscription == subscription }) {
            $0.death = $0.death ?? now
        }
    }

    /// A message is sent to the device.
    mutating func sent(_ message: Message, on connection: Int, _ least: Urgency, at now: StoreTime)
    {
        step += 1
        guard let number = numbers[message.id] else {
            broken = broken ?? "a message was delivered that nobody pushed"
            return
        }
        let push = pushes[number]
        if push.isFinal { fail("it was sent again after a final acknowledgement", push) }
        if push.isAcknowledged { fail("it was sent again after its acknowledgement", push) }
        if push.sent.contains(connection) { fail("it was sent twice on one connection", push) }
        if let death = push.death, now.milliseconds > death.milliseconds + Self.grace {
            fail("it was sent after it was replaced or withdrawn", push)
        }
        if now > message.expiry.adding(seconds: 1) { fail("it was sent after it expired", push) }
        if message.content.ttl == 0, !push.sent.isEmpty || push.isAnswered {
            fail("its TTL is 0, but it was sent late or twice", push)
        }
        if message.content.urgency < least { fail("it is less urgent than the device wants", push) }
        if push.isRefused, !push.sent.isEmpty {
            fail("it was refused, and sent twice", push)
        }
        checkOrder(push, number, connection, now)
        pushes[number].sent.append(connection)
    }

    /// Messages accepted before this one was pushed must come first.
    private mutating func checkOrder(
        _ push: Push, _ number: Int, _ connection: Int, _ now: StoreTime
    ) {
        while firstOpen < number, !isOpen(pushes[firstOpen]) { firstOpen += 1 }
        for earlier in pushes[firstOpen..<max(number, firstOpen)]
        where earlier.message.address == push.message.address && isDue(earlier, now)
            && !earlier.sent.contains(connection)
        {
            guard let accepted = earlier.accepted, accepted < push.begin else { continue }
            return fail(
                "it was sent before push \(earlier.message.sequence), which was accepted first",
                push)
        }
    }

    private func isDue(_ push: Push, _ now: StoreTime) -> Bool {
        isOpen(push) && push.message.expiry > now
    }

    /// Whether the push must still be delivered, because nothing has happened that makes that
    /// unnecessary.
    private func isOpen(_ push: Push) -> Bool {
        push.death == nil && !push.mayBeDead && !push.wasAcknowledged && !push.wasUnwanted
            && push.message.content.ttl > 0
    }

    mutating func acknowledged(_ id: MessageID) {
        guard let number = numbers[id] else { return }
        pushes[number].isAcknowledged = true
        pushes[number].wasAcknowledged = true
    }

    /// The server sent something to the device after the device acknowledged these.
    mutating func confirmed(_ ids: [MessageID]) {
        for id in ids {
            if let number = numbers[id] { pushes[number].isFinal = true }
        }
    }

    /// The server or its store may have lost acknowledgements that are not final.
    mutating func doubted() {
        change(where: \.isAcknowledged) { $0.isAcknowledged = false }
    }

    mutating func unwanted(below least: Urgency) {
        change(where: { $0.message.content.urgency < least }) { $0.wasUnwanted = true }
    }

    /// The server is up, and nothing is under way.
    mutating func settled() {
        if let push = pushes.first(where: { !$0.isAnswered }) {
            fail("its sender was never answered", push)
        }
    }

    /// The device was connected long enough to get everything there was at the beginning.
    mutating func drained(_ connection: Int, at now: StoreTime) {
        for push in pushes
        where push.accepted != nil && isDue(push, now) && !push.sent.contains(connection) {
            return fail("it was accepted but not delivered", push)
        }
    }

    /// Senders that wait for an answer will get none.
    mutating func forgetSenders() {
        change(where: { !$0.isAnswered }) { $0.isAnswered = true }
    }
}
