import Base
import Crypto
import HTTP
import Mailbox
import Reactor
import WebPush

/// Takes messages to the devices that are connected to its loop, and to the store.
///
/// A message goes to the desk of its device. A device that takes it at once and says so within the
/// commit window spares it the disk; otherwise the store answers for it. Confined to its loop: other
/// threads reach it by `loop.post`.
// Unchecked: touched by the thread of the loop alone.
final class DeliveryDesk: @unchecked Sendable {
    let loop: EventLoop
    let service: PushService
    @exclusivity(unchecked) private var channels: [UInt32: AutopushChannel] = [:]
    @exclusivity(unchecked) private var window = CommitWindow()
    @exclusivity(unchecked) private var isTimerSet = false
    /// Senders that wait here.
    @exclusivity(unchecked) private var senders = SlotTable<HTTPExchange>()
    @exclusivity(unchecked) private var operations = SlotTable<Operation>()
    @exclusivity(unchecked) private var retries: [AutopushChannel] = []
    /// One message at a time is written here on its way out.
    @exclusivity(unchecked) var text: [UInt8] = []
    @exclusivity(unchecked) var acknowledged: [MessageID] = []
    @exclusivity(unchecked) var random = RandomSupply()
    @exclusivity(unchecked) var mint: EndpointMint

    enum Operation {
        case message(Message, Reply)
        /// An acknowledgement that the session must not forget before the store has it.
        case acknowledgement(MessageID, AutopushChannel)
        case load(AutopushChannel)
        case other((StoreOutcome) -> Void)
        case ignored
    }

    private static let commit: UInt64 = 0
    private static let retry: UInt64 = 1
    private static let retryPause = Interval(.seconds(1))

    init(on loop: EventLoop, _ service: PushService, _ mint: consuming EndpointMint) {
        self.loop = loop
        self.service = service
        self.mint = mint
    }

    /// Nil when the machine cannot make random numbers.
    func makeEndpoint() -> (token: EndpointToken, digest: Digest)? {
        do throws(OpenSSLError) {
            let token = try mint.make()
            return (token, try mint.digest(of: token))
        } catch {
            return nil
        }
    }

    private var store: any MessageStore { service.store }

    /// Takes in a message for which room was reserved; its sender gets the answer.
    func accept(_ message: Message, from exchange: HTTPExchange) {
        let reply = Reply(desk: self, ticket: senders.put(exchange))
        let device = message.address.device
        if let channel = channels[device] { return deliver(message, reply, on: channel) }
        guard let desk = service.directory.desk(of: device), desk !== self else {
            return keep(message, reply)
        }
        desk.loop.post { desk.receive(message, reply) }
    }

    /// From another loop; meanwhile the device may have gone.
    private func receive(_ message: Message, _ reply: Reply) {
        guard let channel = channels[message.address.device] else { return keep(message, reply) }
        deliver(message, reply, on: channel)
    }

    private func deliver(_ message: Message, _ reply: Reply, on channel: AutopushChannel) {
        // RFC 8030 section 5.2: now or never.
        if message.content.ttl == 0 {
            channel.sendOnce(message)
            return answer(reply, message, .accepted)
        }
        guard channel.send(message) else { return keep(message, reply) }
        // What replaces another message has to be on the disk before its sender hears of it.
        guard message.content.topic == nil else {
            channel.expect(message, .storing)
            return keep(message, reply)
        }
        channel.expect(message, .held(window.hold(message, at: loop.now), reply))
        setTimer()
    }

    /// Hands a message to the store, which answers for it.
    func keep(_ message: Message, _ reply: Reply) {
        guard message.content.ttl > 0 else { return answer(reply, message, .accepted) }
        submit(.store(message), .message(message, reply))
    }

    /// The device has it, before it was written.
    func settle(_ message: Message, _ slot: CommitWindow.Slot, _ reply: Reply) {
        _ = window.take(slot)
        service.store.index.release(message.size, for: message.address)
        answer(reply, message, .accepted)
    }

    /// Its device went away before it said that it has it.
    func giveUp(_ message: Message, _ slot: CommitWindow.Slot, _ reply: Reply) {
        if window.take(slot) != nil { keep(message, reply) }
    }

    private func answer(_ reply: Reply, _ message: Message, _ verdict: Verdict) {
        guard reply.desk === self else {
            let desk = reply.desk
            desk.loop.post { desk.answer(reply, message, verdict) }
            return
        }
        guard let exchange = senders.take(reply.ticket) else { return }
        Answer.push(message, verdict, service, to: exchange)
    }

    func submit(_ operation: StoreOperation, _ waiting: consuming Operation) {
        store.submit(operation, ticket: operations.put(waiting), to: self)
    }

    func load(_ request: LoadRequest, for channel: AutopushChannel) {
        store.load(request, ticket: operations.put(.load(channel)), to: self)
    }
}

/// The devices of this loop.
extension DeliveryDesk {
    /// The device is connected here; what it had elsewhere ends.
    func attach(_ channel: AutopushChannel, device: UInt32) {
        let former = service.directory.claim(device, for: self)
        if let former, former !== self {
            former.loop.post { former.channels[device]?.replaced() }
        }
        channels.updateValue(channel, forKey: device)?.replaced()
    }

    func detach(_ channel: AutopushChannel, device: UInt32) {
        guard channels[device] === channel else { return }
        channels[device] = nil
        service.directory.release(device, by: self)
    }

    /// Something was stored for a device while it may have been connected.
    private func announce(_ message: Message) {
        let device = message.address.device
        if let channel = channels[device] { return channel.stored(message.id) }
        guard let desk = service.directory.desk(of: device), desk !== self else { return }
        let id = message.id
        desk.loop.post { desk.channels[device]?.stored(id) }
    }

    func withdrawn(_ reference: MessageReference) {
        let device = reference.address.device
        if let channel = channels[device] { return channel.withdrawn(reference) }
        guard let desk = service.directory.desk(of: device), desk !== self else { return }
        desk.loop.post { desk.channels[device]?.withdrawn(reference) }
    }
}

extension DeliveryDesk: StoreSink {
    func completed(_ completions: [Completion]) {
        loop.post { for completion in completions { self.take(completion) } }
    }

    func loaded(_ answer: LoadAnswer, ticket: UInt64) {
        loop.post {
            if case .load(let channel)? = self.operations.take(ticket) { channel.loaded(answer) }
        }
    }

    private func take(_ completion: Completion) {
        switch operations.take(completion.ticket) {
        case .message(let message, let reply):
            answer(reply, message, Verdict(completion.outcome))
            switch completion.outcome {
            case .stored: announce(message)
            case .acknowledged: break
            default: channels[message.address.device]?.forget(message.id)
            }
        case .acknowledgement(let id, let channel):
            channel.acknowledged(id, isRecorded: completion.outcome != .unavailable)
        case .other(let body): body(completion.outcome)
        case .ignored, .load, nil: break
        }
    }
}

extension DeliveryDesk: TimerHandler {
    func timerFired(_ cookie: UInt64) {
        guard cookie == Self.commit else { return retryLoads() }
        isTimerSet = false
        while let message = window.popDue(loop.now) {
            guard let reply = channels[message.address.device]?.takeHeld(message.id) else {
                continue
            }
            keep(message, reply)
        }
        setTimer()
    }

    private func setTimer() {
        guard !isTimerSet, let deadline = window.deadline else { return }
        isTimerSet = true
        let rest = max(0, deadline.nanoseconds - loop.now.nanoseconds)
        _ = loop.schedule(after: Interval(.nanoseconds(rest)), self, cookie: Self.commit)
    }

    /// The store could not read now.
    func loadLater(_ channel: AutopushChannel) {
        if retries.isEmpty { _ = loop.schedule(after: Self.retryPause, self, cookie: Self.retry) }
        retries.append(channel)
    }

    private func retryLoads() {
        let channels = retries
        retries = []
        for channel in channels { channel.loadIfPossible() }
    }
}
