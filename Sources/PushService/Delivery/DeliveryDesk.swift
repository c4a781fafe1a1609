import Base
import Crypto
import Delivery
import Mailbox
import System
import WebPush

/// Brings messages to the devices that are connected to its loop, and to the store, as their
/// deliveries decide.
///
/// A message goes to the desk of its device. If the device gets it at once and acknowledges it
/// within the commit window, it is never written; otherwise the store must have it before its
/// sender is answered. Only its loop uses it: other threads use `loop.post`.
// Unchecked: it is used only on the loop's thread.
final class DeliveryDesk: @unchecked Sendable {
    let loop: EventLoop
    let service: ServiceState
    let sessions: SessionRegister
    let directory: SessionDirectory
    /// The number of this desk in the directory.
    @exclusivity(unchecked) private var number = 0
    @exclusivity(unchecked) var connections: [UInt32: UserAgentConnection] = [:]
    @exclusivity(unchecked) var window = CommitWindow()
    /// Set while a message is held.
    @exclusivity(unchecked) var timer: TimerID?
    /// Senders that wait here for an answer.
    @exclusivity(unchecked) private var senders = SlotTable<any PushSender>()
    @exclusivity(unchecked) var operations = SlotTable<Operation>()
    @exclusivity(unchecked) var retries: [UserAgentConnection] = []
    /// How many acknowledgements wait for the next retry.
    @exclusivity(unchecked) var unrecorded = 0
    @exclusivity(unchecked) var isRetrySet = false
    /// The text of a reply; its memory is reused for the next one.
    @exclusivity(unchecked) var text: [UInt8] = []
    @exclusivity(unchecked) var acknowledged: [MessageID] = []
    @exclusivity(unchecked) var actions: [DeliveryAction] = []
    @exclusivity(unchecked) var random = RandomSupply()
    @exclusivity(unchecked) var mint: EndpointMint

    enum Operation {
        case message(Message, SenderTicket)
        case acknowledgement(Acknowledgement, UserAgentConnection)
        /// The device's former loop must let go of the device first.
        case arrival(UserAgentConnection)
        case page(UserAgentConnection)
        case list((LoadAnswer) -> Void)
        case other((StoreOutcome) -> Void)
        case reading((PayloadReader.Outcome) -> Void)
    }

    init(
        on loop: EventLoop, _ service: ServiceState, _ directory: SessionDirectory,
        _ mint: consuming EndpointMint
    ) {
        self.loop = loop
        self.service = service
        self.directory = directory
        sessions = service.sessions(on: loop)
        self.mint = mint
        number = directory.enter(self)
    }

    var store: any MessageStore { service.store }

    /// Delivers or stores a message, then answers its sender.
    func accept(_ message: Message, from sender: any PushSender) {
        let ticket = SenderTicket(loop: number, number: senders.put(sender))
        let device = message.address.device
        if let connection = connections[device] { return send(message, ticket, on: connection) }
        guard let desk = directory.desk(of: device), desk !== self else {
            return takeAway(message, ticket)
        }
        desk.loop.post { desk.receive(message, ticket) }
    }

    /// The message comes from another loop; meanwhile the device may have disconnected.
    private func receive(_ message: Message, _ sender: SenderTicket) {
        guard let connection = connections[message.address.device] else {
            return takeAway(message, sender)
        }
        send(message, sender, on: connection)
    }

    /// The message comes from another node, which has answered its sender.
    func received(_ message: Message) {
        guard let connection = connections[message.address.device] else { return }
        send(message, Self.answered, on: connection)
    }

    /// Nobody waits for an answer.
    private static let answered = SenderTicket(loop: -1, number: 0)

    private func send(
        _ message: Message, _ sender: SenderTicket, on connection: UserAgentConnection
    ) {
        // What cannot be stored is refused, and its sender will repeat it: the device must not have
        // it twice.
        guard !message.needsStore || store.isUsable else { return keep(message, sender) }
        update(connection) {
            $0.accept(message, from: sender, at: Instant.now.nanoseconds, &$1)
        }
    }

    /// Handles a message whose device is not connected.
    private func takeAway(_ message: Message, _ sender: SenderTicket) {
        if message.needsStore { return keep(message, sender) }
        store.passOn(message)
        answer(sender, message, .accepted)
    }

    /// Gives a message to the store; its sender is answered once the store has replied.
    func keep(_ message: Message, _ sender: SenderTicket) {
        #if PLANTED
            if PlantedMistake.answerBeforeCommit.isMade { answer(sender, message, .accepted) }
        #endif
        submit(.store(message), .message(message, sender))
    }

    func answer(_ sender: SenderTicket, _ message: Message, _ verdict: Verdict) {
        guard sender.loop == number else {
            guard let desk = directory.desk(ofLoop: sender.loop) else { return }
            desk.loop.post { desk.answer(sender, message, verdict) }
            return
        }
        senders.remove(sender.number)?.answer(message, verdict, service)
    }

    /// Call this after the loop has ended, because operations refer to the desk.
    func forgetAll() {
        senders = SlotTable()
        operations = SlotTable()
        window = CommitWindow()
        connections = [:]
        retries = []
    }

    func submit(_ operation: StoreOperation, _ waiting: consuming Operation) {
        store.submit(operation, ticket: operations.put(waiting), to: self)
    }

    func list(_ request: LoadRequest, _ body: @escaping (LoadAnswer) -> Void) {
        store.load(request, ticket: operations.put(.list(body)), to: self)
    }

    /// Decrypts on another thread; `body` is called on this loop.
    func read(_ job: PayloadReader.Job, _ body: @escaping (PayloadReader.Outcome) -> Void) {
        let ticket = operations.put(.reading(body))
        service.read(job) { outcome in
            self.loop.post {
                if case .reading(let body)? = self.operations.remove(ticket) { body(outcome) }
            }
        }
    }
}

extension DeliveryDesk: StoreSink {
    func completed(_ completions: [CompletedOperation]) {
        loop.post { for completion in completions { self.completed(completion) } }
    }

    func loaded(_ answer: LoadAnswer, ticket: UInt64) {
        loop.post {
            switch self.operations.remove(ticket) {
            case .page(let connection): self.read(answer, on: connection)
            case .list(let body): body(answer)
            case .message, .acknowledgement, .arrival, .other, .reading, nil: break
            }
        }
    }

    private func completed(_ completion: CompletedOperation) {
        switch operations.remove(completion.ticket) {
        case .message(let message, let sender):
            answer(sender, message, verdict(message, completion.outcome))
        case .acknowledgement(let acknowledgement, let connection):
            recorded(acknowledgement, of: connection, completion.outcome)
        case .other(let body): body(completion.outcome)
        case .page, .list, .arrival, .reading, nil: break
        }
    }
}
