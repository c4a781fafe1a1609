import Crypto
import HTTP
import System
import WebPush

/// All receivers: which channel belongs to which one, and the messages that are held for
/// applications. Only the thread of the loop uses it.
// Unchecked: only the thread of the loop touches it, where its posts to itself run.
final class ReceiverLinks: PushLink, TimerHandler, @unchecked Sendable {
    private static let messageLimit = 1 << 20
    private static let silence = Duration.seconds(300)

    let loop: EventLoop
    let store: DesktopStore
    let log: Log
    private let context: TLSContext
    /// An event for the distributor.
    typealias Event = (inout Distributor, Distributor.Moment) -> Void
    /// Called with each event.
    var tell: (_ event: Event) -> Void = { _ in }
    private(set) var connections: [ReceiverConnection] = []
    /// The receiver of each channel.
    var receivers: [ChannelID: Int64] = [:]
    /// Stored channels that the distributor has not asked for yet.
    var unclaimed: Set<ChannelID> = []
    /// The stored channels while no receiver is listed.
    var heldChannels: [ChannelID: HeldChannel] = [:]
    var grace: ReceiverGrace
    var graceTimer = DeadlineTimer()
    var heldMessages = HeldMessages()
    var isFlushing = false
    var isStarted = false
    var sweepTimer: TimerID?

    init(
        store: DesktopStore, trust context: TLSContext, on loop: EventLoop, log: Log
    ) throws {
        self.store = store
        self.context = context
        self.loop = loop
        self.log = log
        grace = ReceiverGrace(since: try store.receiversGone())
        for message in try store.messages() {
            heldMessages.restore(
                HeldMessages.Key(message.channel, message.id), from: message.receiver,
                row: message.row,
                deadline: message.deadline, urgency: message.urgency)
        }
    }

    /// Sets the receivers. New channels go to the first one, and so do the channels of a receiver
    /// that was removed; messages that it keeps stay there. If no receiver is left, the channels
    /// are held for a day.
    func use(_ addresses: [ReceiverAddress]) throws {
        let records = try store.channels()
        let former = connections
        connections = try addresses.map { address in
            try former.first { $0.address.text == address.text } ?? connection(to: address, records)
        }
        follow(addresses, records)
        let rows = Set(connections.map(\.row))
        for record in records where receivers[record.channel] == nil {
            if rows.contains(record.receiver) {
                receivers[record.channel] = record.receiver
                if !record.isEnded { unclaimed.insert(record.channel) }
            } else if record.isEnded, !addresses.isEmpty {
                forget(record.channel)
            }
        }
        for connection in former where !rows.contains(connection.row) { leave(connection) }
        if !addresses.isEmpty { releaseHeld() }
        if isStarted { begin() }
    }

    private func connection(
        to address: ReceiverAddress, _ records: [DesktopStore.ChannelRecord]
    ) throws -> ReceiverConnection {
        let receiver = try store.receiver(at: address.text)
        let ended = records.filter { $0.receiver == receiver.row && $0.isEnded }
        var link = Link(userAgent: receiver.userAgent, ended: ended.map(\.channel))
        link.setLeastUrgency(heldMessages.floor)
        return ReceiverConnection(
            receiver.row, address, link, options(for: address), on: loop, self)
    }

    private func leave(_ connection: ReceiverConnection) {
        connection.leave()
        heldMessages.giveBack(to: connection.row)
        if !connections.isEmpty { for channel in connection.link.ended { forget(channel) } }
        for (channel, content) in connection.link.channels {
            receivers[channel] = nil
            register(channel, content.key, known: content.endpoint)
        }
    }

    private func options(for address: ReceiverAddress) -> WebSocketClientOptions {
        let terms = WebSocketTerms(
            subprotocols: ["push-notification"],
            session: WebSocketSession.Limits(
                messageLimit: Self.messageLimit, silence: Self.silence))
        var options = WebSocketClientOptions(url: address.url, terms: terms, context: context)
        options.place = address.place
        return options
    }

    /// Call it after the distributor has asked for all its channels.
    func start() {
        isStarted = true
        for channel in heldMessages.channels
        where receivers[channel] == nil && heldChannels[channel]?.request == nil {
            heldMessages.ended(channel)
        }
        begin()
    }

    private func begin() {
        for channel in unclaimed {
            connection(of: channel)?.link.register(channel, key: nil, known: "", at: BootClock.now)
            unregister(channel)
        }
        unclaimed = []
        for connection in connections {
            connection.link.start()
            connection.perform()
        }
        heldMessages.advanceAll(at: BootClock.now)
        flushLater()
    }

    /// Ends all connections. Unacknowledged messages come again at the next start.
    func end() {
        for connection in connections { connection.disconnect() }
        if let sweepTimer { loop.cancel(sweepTimer) }
        graceTimer.cancel(on: loop)
    }

    /// The network is back, the machine has slept, or the user wants it.
    func wake() {
        for connection in connections {
            connection.link.wake(at: BootClock.now)
            connection.perform()
        }
        tell { $0.woken(at: $1) }
    }

    /// Holds back less urgent messages, here and at the receivers.
    func setFloor(_ floor: Urgency) {
        guard floor != heldMessages.floor else { return }
        for connection in connections {
            connection.link.setLeastUrgency(floor)
            connection.perform()
        }
        heldMessages.setFloor(floor, at: BootClock.now)
        flushLater()
    }

    var states: [ReceiverState] { connections.map(\.state) }
}

/// Messages from receivers to the distributor.
extension ReceiverLinks {
    private static let sweepInterval = Duration.seconds(600)

    /// Writes everything that arrived in this turn of the loop at its end.
    func flushLater() {
        guard !isFlushing else { return }
        isFlushing = true
        loop.post {
            self.isFlushing = false
            self.flush()
        }
    }

    private func flush() {
        keep()
        var dropped: [Int64] = []
        for action in heldMessages.takeActions() {
            switch action {
            case .handOver(let key): handOver(key)
            case .settle(let key, let isDelivered):
                connection(of: key.channel)?.link.acknowledge(
                    key.channel, version: key.id, isDelivered: isDelivered)
            case .drop(let row): dropped.append(row)
            case .withdraw(let key):
                tell { distributor, _ in distributor.withdrawn(key.channel, message: key.id) }
            }
        }
        if !dropped.isEmpty { attempt("messages-gone") { try store.removeMessages(dropped) } }
        attempt("tidy") { try store.tidy() }
        for connection in connections { connection.perform() }
        setSweep()
    }

    private func keep() {
        let keys = heldMessages.dequeueUnkept()
        let messages = keys.compactMap { key in
            heldMessages.entry(key).map { (key: key, entry: $0) }
        }
        guard !messages.isEmpty else { return }
        var rows: [Int64] = []
        attempt("messages") { rows = try store.keep(messages) }
        for (index, message) in messages.enumerated() {
            if index < rows.count {
                heldMessages.kept(message.key, row: rows[index], at: BootClock.now)
            } else {
                heldMessages.notKept(message.key, at: BootClock.now)
            }
        }
    }

    private func handOver(_ key: HeldMessages.Key) {
        guard let entry = heldMessages.entry(key) else { return }
        var body = entry.body
        if body == nil, let row = entry.row {
            attempt("message") { body = try store.body(ofMessage: row) }
        }
        guard let body else {
            log.write(.error, "message-lost", [("reason", "it cannot be unsealed")])
            heldMessages.finished(key, isDelivered: false, at: BootClock.now)
            return flushLater()
        }
        heldMessages.forgetBody(key)
        let message = PushedMessage(
            channel: key.channel, id: key.id, body: body, deadline: entry.deadline,
            urgency: entry.urgency)
        tell { $0.received(message, at: $1) }
    }

    /// The timer runs only while something waits.
    private func setSweep() {
        if heldMessages.isEmpty {
            if let sweepTimer { loop.cancel(sweepTimer) }
            sweepTimer = nil
        } else if sweepTimer == nil {
            sweepTimer = loop.schedule(after: Interval(Self.sweepInterval), self)
        }
    }

    func timerFired(_ cookie: UInt64) {
        guard cookie != Self.graceCookie else { return graceElapsed() }
        sweepTimer = nil
        heldMessages.sweep(at: BootClock.now)
        flushLater()
    }
}
