import Base
import Crypto
import Delivery
import Mailbox
import System
import WebPush

/// Brings messages to the devices that are connected to its loop, and to the store.
///
/// A message goes to the desk of its device. If the device gets it at once and acknowledges it
/// within the commit window, it is never written; otherwise the store must have it before its
/// sender is answered. Only its loop uses it: other threads use `loop.post`.
// Unchecked: it is used only on the loop's thread.
final class DeliveryDesk: @unchecked Sendable {
    let loop: EventLoop
    let service: PushContext
    let sessions: SessionRegister
    let directory: SessionDirectory
    /// Its number in the directory.
    @exclusivity(unchecked) private var number = 0
    @exclusivity(unchecked) var channels: [UInt32: UserAgentConnection] = [:]
    @exclusivity(unchecked) private var window = CommitWindow()
    /// Set while a message is held.
    @exclusivity(unchecked) private var timer: TimerID?
    /// Senders that wait here for an answer.
    @exclusivity(unchecked) private var senders = SlotTable<any PushSender>()
    @exclusivity(unchecked) var operations = SlotTable<Operation>()
    @exclusivity(unchecked) private var retries: [UserAgentConnection] = []
    /// How many acknowledgements wait for the next retry.
    @exclusivity(unchecked) private var unrecorded = 0
    @exclusivity(unchecked) private var isRetrySet = false
    /// It is reused for each reply.
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
        case load(UserAgentConnection)
        case list((LoadAnswer) -> Void)
        case other((StoreOutcome) -> Void)
        case reading((PayloadReader.Outcome) -> Void)
    }

    private static let commit: UInt64 = 0
    private static let retry: UInt64 = 1
    private static let retryPause = Interval(.seconds(1))
    /// Beyond this many, acknowledgements are not retried, and their messages may come again.
    private static let unrecordedLimit = 65_536

    init(
        on loop: EventLoop, _ service: PushContext, _ directory: SessionDirectory,
        _ mint: consuming EndpointMint
    ) {
        self.loop = loop
        self.service = service
        self.directory = directory
        sessions = service.sessions(on: loop)
        self.mint = mint
        number = directory.enter(self)
    }

    private var store: any MessageStore { service.store }

    /// Delivers or stores a message, then answers its sender.
    func accept(_ message: Message, from sender: any PushSender) {
        let ticket = SenderTicket(loop: number, number: senders.put(sender))
        let device = message.address.device
        if let channel = channels[device] { return channel.accept(message, ticket) }
        guard let desk = directory.desk(of: device), desk !== self else {
            return takeAway(message, ticket)
        }
        desk.loop.post { desk.receive(message, ticket) }
    }

    /// The message comes from another loop; meanwhile the device may have disconnected.
    private func receive(_ message: Message, _ sender: SenderTicket) {
        guard let channel = channels[message.address.device] else {
            return takeAway(message, sender)
        }
        channel.accept(message, sender)
    }

    /// Handles a message whose device is not connected.
    private func takeAway(_ message: Message, _ sender: SenderTicket) {
        if message.needsStore { return keep(message, sender) }
        store.passOn(message)
        answer(sender, message, .accepted)
    }

    /// The message comes from another node, which has answered its sender.
    func received(_ message: Message) {
        channels[message.address.device]?.accept(message, Self.answered)
    }

    /// Nobody waits for an answer.
    private static let answered = SenderTicket(loop: -1, number: 0)

    /// Gives a message to the store; its sender is answered once the store has replied.
    func keep(_ message: Message, _ sender: SenderTicket) {
        if PlantedMistake.answerBeforeCommit.isMade { answer(sender, message, .accepted) }
        submit(.store(message), .message(message, sender))
    }

    func hold(_ device: UInt32, until time: Int64) {
        window.hold(device, until: time)
        setTimer()
    }

    func letGo() {
        window.letGo()
        if window.count == 0 { cancelTimer() }
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
        channels = [:]
        retries = []
    }

    func submit(_ operation: StoreOperation, _ waiting: consuming Operation) {
        store.submit(operation, ticket: operations.put(waiting), to: self)
    }

    func load(_ request: LoadRequest, for channel: UserAgentConnection) {
        store.load(request, ticket: operations.put(.load(channel)), to: self)
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

    func record(
        _ operation: StoreOperation, _ acknowledgement: Acknowledgement,
        _ channel: UserAgentConnection
    ) {
        submit(operation, .acknowledgement(acknowledgement, channel))
    }
}

extension DeliveryDesk: StoreSink {
    func completed(_ completions: [Completion]) {
        loop.post { for completion in completions { self.completed(completion) } }
    }

    func loaded(_ answer: LoadAnswer, ticket: UInt64) {
        loop.post {
            switch self.operations.remove(ticket) {
            case .load(let channel): channel.loaded(answer)
            case .list(let body): body(answer)
            case .message, .acknowledgement, .arrival, .other, .reading, nil: break
            }
        }
    }

    private func completed(_ completion: Completion) {
        switch operations.remove(completion.ticket) {
        case .message(let message, let sender):
            answer(sender, message, verdict(message, completion.outcome))
        case .acknowledgement(let acknowledgement, let channel):
            recorded(acknowledgement, channel, completion.outcome)
        case .other(let body): body(completion.outcome)
        case .load, .list, .arrival, .reading, nil: break
        }
    }
}

/// What became of a message in the store.
extension DeliveryDesk {
    /// The device is told first, so that the sender's next push comes after it.
    private func verdict(_ message: Message, _ outcome: StoreOutcome) -> Verdict {
        let channel = channels[message.address.device]
        switch outcome {
        case .stored(let position): announce(message, at: position)
        case .notFound:
            // Whoever is told that an endpoint is gone believes that the message never arrived.
            if channel?.update({ $0.lost(message.id, &$1) }) == true { return .accepted }
        default:
            let isAcknowledged = channel?.update { delivery, _ in delivery.undecided(message.id) }
            // The sender would repeat what the device has.
            if isAcknowledged == true, message.standsAlone { return .accepted }
        }
        return Verdict(outcome)
    }
}

/// Retries after the store has failed.
extension DeliveryDesk {
    private func recorded(
        _ acknowledgement: Acknowledgement, _ channel: UserAgentConnection, _ outcome: StoreOutcome
    ) {
        guard outcome == .unavailable, unrecorded < Self.unrecordedLimit else {
            return channel.recorded(acknowledgement.id)
        }
        unrecorded += 1
        channel.update { $0.unrecorded(acknowledgement, &$1) }
    }

    func tryLater(_ channel: UserAgentConnection) {
        retries.append(channel)
        setRetry()
    }

    private func setRetry() {
        guard !isRetrySet else { return }
        isRetrySet = true
        _ = loop.schedule(after: Self.retryPause, self, cookie: Self.retry)
    }

    private func tryAgain() {
        isRetrySet = false
        let channels = retries
        retries = []
        unrecorded = 0
        for channel in channels { channel.update { $0.tryAgain(&$1) } }
    }
}

extension DeliveryDesk: TimerHandler {
    func timerFired(_ cookie: UInt64) {
        guard cookie == Self.commit else { return tryAgain() }
        timer = nil
        while let (device, time) = window.next(loop.now.nanoseconds) {
            channels[device]?.update { $0.due(time, &$1) }
        }
        setTimer()
    }

    private func setTimer() {
        guard timer == nil, let deadline = window.deadline else { return }
        let rest = max(0, deadline - loop.now.nanoseconds)
        timer = loop.schedule(after: Interval(.nanoseconds(rest)), self, cookie: Self.commit)
    }

    /// Lets an idle loop sleep.
    private func cancelTimer() {
        guard let timer else { return }
        loop.cancel(timer)
        self.timer = nil
    }
}
