import Delivery
import WebPush

/// A store that keeps what was committed, in order, and forgets everything else when it crashes.
struct ModelStore {
    enum Operation {
        case store(Message, SenderTicket)
        case acknowledge(Acknowledgement, connection: Int)
        case withdraw(MessageReference)
        /// A connection waits for the operations before it.
        case arrive(connection: Int)
        case begin(subscription: UInt32, connection: Int)
        case end(subscription: UInt32, connection: Int)
    }

    enum Outcome {
        case stored(Int64)
        case done
        case notFound
        case unavailable
    }

    private struct Row {
        let message: Message
        let position: Int64
    }

    let ledger: ModelLedger
    private(set) var subscriptions: Set<UInt32> = [1]
    private var rows: [Row] = []
    private var position: Int64 = 0
    private var waiting: [Operation] = []
    private var told: [(Operation, Outcome)] = []

    init(_ ledger: ModelLedger) { self.ledger = ledger }

    /// The room that its messages take.
    var room: ModelLedger.Room {
        ModelLedger.Room(
            messages: rows.count, bytes: rows.reduce(0) { $0 + $1.message.size })
    }

    var isIdle: Bool { waiting.isEmpty && told.isEmpty }

    /// A message waits for the device, or will be written.
    var hasMessages: Bool {
        !rows.isEmpty
            || waiting.contains { if case .store = $0 { true } else { false } }
    }

    mutating func submit(_ operation: Operation) { waiting.append(operation) }

    /// Handles all waiting operations in one transaction.
    mutating func commit(fails: Bool) {
        let batch = waiting
        waiting = []
        defer { for case .store(let message, _) in batch { message.reservation.end() } }
        guard !fails else {
            told += batch.map { ($0, .unavailable) }
            return
        }
        let acknowledged = Set(batch.compactMap(Self.acknowledged))
        for operation in batch { told.append((operation, perform(operation, acknowledged))) }
    }

    private static func acknowledged(_ operation: Operation) -> MessageID? {
        guard case .acknowledge(.message(let reference), _) = operation else { return nil }
        return reference.id
    }

    private mutating func perform(_ operation: Operation, _ acknowledged: Set<MessageID>) -> Outcome
    {
        switch operation {
        case .store(let message, _): return store(message, acknowledged)
        case .acknowledge(let acknowledgement, _): return remove(acknowledgement.id)
        case .withdraw(let reference): return remove(reference.id)
        case .arrive: return .done
        case .begin(let subscription, _):
            subscriptions.insert(subscription)
            return .done
        case .end(let subscription, _):
            removeAll { $0.address.subscription == subscription }
            return subscriptions.remove(subscription) == nil ? .notFound : .done
        }
    }

    private mutating func store(_ message: Message, _ acknowledged: Set<MessageID>) -> Outcome {
        guard subscriptions.contains(message.address.subscription) else { return .notFound }
        if message.content.topic == nil, message.mark == nil, acknowledged.contains(message.id) {
            return .done
        }
        if let topic = message.content.topic {
            removeAll {
                $0.content.topic == topic
                    && $0.address.subscription == message.address.subscription
            }
        }
        guard message.content.ttl > 0 else { return .done }
        position += 1
        rows.append(Row(message: message, position: position))
        message.reservation.spend()
        if let mark = message.mark { ledger.keep(mark) }
        return .stored(position)
    }

    private mutating func remove(_ id: MessageID) -> Outcome {
        let count = rows.count
        removeAll { $0.id == id }
        return rows.count < count ? .done : .notFound
    }

    private mutating func removeAll(where isEnded: (Message) -> Bool) {
        for row in rows where isEnded(row.message) {
            ledger.release(row.message.size, for: row.message.address)
        }
        rows.removeAll { isEnded($0.message) }
    }

    mutating func nextAnswer() -> (Operation, Outcome)? {
        told.isEmpty ? nil : told.removeFirst()
    }

    /// Only what was committed stays.
    mutating func crash() {
        waiting = []
        told = []
    }

    func page(_ request: PageRequest, at now: StoreTime, atMost limit: Int) -> StoredPage {
        let through = request.position ?? position
        let found = rows.filter {
            $0.message.sequence > request.sequence && $0.position <= through
                && $0.message.expiry > now
        }.sorted { $0.message.sequence < $1.message.sequence }
        let messages = found.prefix(limit).map(\.message)
        let next = messages.last.flatMap { last in
            found.count <= limit
                ? nil
                : PageRequest(device: request.device, sequence: last.sequence, position: through)
        }
        return StoredPage(messages: messages, through: through, next: next, damaged: 0)
    }
}
