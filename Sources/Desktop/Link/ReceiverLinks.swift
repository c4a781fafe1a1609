import Base
import Crypto
import HTTP
package import Reactor
package import System
package import TLS
package import WebPush

/// The way to all receivers: knows which channel belongs to which, and has custody of the messages
/// that come from them. Confined to the thread of the loop.
// Unchecked: only the thread of the loop touches it, where its posts to itself run.
package final class ReceiverLinks: PushLink, TimerHandler, @unchecked Sendable {
    private static let messageLimit = 1 << 20
    private static let silence = Duration.seconds(300)
    private static let sweepInterval = Duration.seconds(600)
    /// What a receiver of another kind keeps a message for, as nothing tells.
    private static let usualLife = Duration.seconds(86_400)

    let loop: EventLoop
    let store: DesktopStore
    private let log: Log
    private let context: TLSContext
    package weak var listener: (any PushLinkListener)?
    private(set) var connections: [ReceiverConnection] = []
    /// The receiver of each channel.
    private var receivers: [ChannelID: Int64] = [:]
    /// Of the channels in the file, those that nobody has asked for yet.
    private var unclaimed: Set<ChannelID> = []
    private var custody = Custody()
    private var isFlushing = false
    private var isStarted = false
    private var sweepTimer: TimerID?

    package init(
        store: DesktopStore, trust context: TLSContext, on loop: EventLoop, log: Log
    ) throws {
        self.store = store
        self.context = context
        self.loop = loop
        self.log = log
        for message in try store.messages() {
            custody.restore(
                Custody.Key(message.channel, message.id), from: message.receiver, row: message.row,
                deadline: message.deadline, urgency: message.urgency)
        }
    }

    /// Takes up these receivers, before `start`. New channels go to the first one, and so do those
    /// of a receiver that is not among them any more.
    package func use(_ addresses: [ReceiverAddress]) throws {
        let records = try store.channels()
        for address in addresses {
            let receiver = try store.receiver(at: address.text)
            let ended = records.filter { $0.receiver == receiver.row && $0.isEnded }
            connections.append(
                ReceiverConnection(
                    receiver.row, address,
                    Link(userAgent: receiver.userAgent, ended: ended.map(\.channel)),
                    options(for: address), on: loop, self))
        }
        let rows = Set(connections.map(\.row))
        for record in records {
            if rows.contains(record.receiver) {
                receivers[record.channel] = record.receiver
                if !record.isEnded { unclaimed.insert(record.channel) }
            } else if record.isEnded {
                try store.remove(record.channel)
            }
        }
    }

    private func options(for address: ReceiverAddress) -> WebSocketClientOptions {
        let terms = WebSocketTerms(
            subprotocols: ["push-notification"],
            session: WebSocketSession.Limits(
                messageLimit: Self.messageLimit, silence: Self.silence),
            sha1: { try? SHA1.digest(of: $0) })
        var options = WebSocketClientOptions(
            url: address.url, terms: terms, context: context,
            random: { UInt32.random(in: .min ... .max) })
        options.place = address.place
        return options
    }

    /// The distributor has asked for all channels that it has.
    package func start() {
        isStarted = true
        for channel in unclaimed {
            connection(of: channel)?.link.register(channel, key: nil, known: "", at: BootClock.now)
            perform(.unregister(channel))
        }
        unclaimed = []
        for channel in custody.channels where receivers[channel] == nil { custody.ended(channel) }
        for connection in connections {
            connection.link.start()
            connection.perform()
        }
        custody.advanceAll(at: BootClock.now)
        flushLater()
    }

    /// Ends all connections. What was not acknowledged comes again at the next start.
    package func end() {
        for connection in connections { connection.disconnect() }
        if let sweepTimer { loop.cancel(sweepTimer) }
    }

    /// The network is back, the machine has slept, or the user wants it.
    package func wake() {
        for connection in connections {
            connection.link.wake(at: BootClock.now)
            connection.perform()
        }
        listener?.heard(.woken)
    }

    /// What is less urgent is held back, here and at the receivers.
    package func setFloor(_ floor: Urgency) {
        guard floor != custody.floor else { return }
        for connection in connections {
            connection.link.setLeastUrgency(floor)
            connection.perform()
        }
        custody.setFloor(floor, at: BootClock.now)
        flushLater()
    }

    /// Name and state of each receiver, for people.
    package var states: [(name: String, state: String)] {
        connections.map { ($0.name, $0.link.state) }
    }

    package func waiting(_ channel: ChannelID) -> Int { custody.waiting(channel) }

    private func connection(of channel: ChannelID) -> ReceiverConnection? {
        guard let row = receivers[channel] else { return nil }
        return connections.first { $0.row == row }
    }
}

/// What the distributor wants.
extension ReceiverLinks {
    package func perform(_ request: LinkRequest) {
        let now = BootClock.now
        switch request {
        case .register(let channel, let key, let known): register(channel, key, known)
        case .unregister(let channel):
            custody.ended(channel)
            guard let connection = connection(of: channel) else { return flushLater() }
            attempt("channel-ended") {
                try store.save(
                    DesktopStore.ChannelRecord(
                        channel: channel, receiver: connection.row, isEnded: true))
            }
            connection.link.unregister(channel, at: now)
            connection.perform()
        case .acknowledge(let channel, let id):
            custody.finished(Custody.Key(channel, id), isDelivered: true, at: now)
        case .reject(let channel, let id):
            custody.finished(Custody.Key(channel, id), isDelivered: false, at: now)
        }
        flushLater()
    }

    private func register(_ channel: ChannelID, _ key: ApplicationKey?, _ known: String?) {
        unclaimed.remove(channel)
        var known = known
        if receivers[channel] == nil {
            guard let first = connections.first else {
                return tellLater(.refused(channel, .actionRequired))
            }
            let isSaved = attempt("channel") {
                try store.save(
                    DesktopStore.ChannelRecord(
                        channel: channel, receiver: first.row, isEnded: false))
            }
            guard isSaved else { return tellLater(.refused(channel, .internal)) }
            receivers[channel] = first.row
            // Another receiver's endpoint is none of this one.
            known = nil
        }
        guard let connection = connection(of: channel) else { return }
        connection.link.register(channel, key: key, known: known, at: BootClock.now)
        if isStarted { connection.perform() }
    }

    private func tellLater(_ event: LinkEvent) {
        loop.post { self.listener?.heard(event) }
    }

    /// A disk that fails is no reason to stop: what could not be written is done again.
    @discardableResult
    private func attempt(_ what: StaticString, _ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            log.write(.error, "desktop-store", [("at", "\(what)"), ("reason", "\(error)")])
            return false
        }
    }
}

/// What the receivers say.
extension ReceiverLinks {
    func perform(_ action: Link.Action, of connection: ReceiverConnection) {
        switch action {
        case .remember(let userAgent):
            attempt("user-agent") {
                try store.setUserAgent(userAgent, ofReceiver: connection.row)
            }
        case .endpoint(let channel, let endpoint): tellLater(.endpoint(channel, endpoint))
        case .refuse(let channel, let reason): tellLater(.refused(channel, reason))
        case .forget(let channel):
            receivers[channel] = nil
            attempt("channel-gone") { try store.remove(channel) }
        case .connect, .disconnect, .send: break
        }
    }

    func arrived(_ arrival: Link.Arrival, from connection: ReceiverConnection) {
        let now = BootClock.now
        switch arrival {
        case .message(let message):
            let key = Custody.Key(message.channel, message.version)
            guard receivers[message.channel] == connection.row else {
                return connection.link.acknowledge(
                    message.channel, version: message.version, isDelivered: false)
            }
            let isOurs = connection.link.isOurs
            let life = message.ttl.map { Duration.seconds(Int64($0)) } ?? Self.usualLife
            custody.received(
                key, from: connection.row, body: message.body,
                deadline: life > .zero ? now + life : nil, urgency: message.urgency ?? .normal,
                isForeign: !isOurs, at: now)
        case .withdrawn(let channel, let version):
            custody.withdrawn(Custody.Key(channel, version), at: now)
        }
        flushLater()
    }

    /// The connection has come about, or ended for that reason.
    func changed(_ connection: ReceiverConnection, reason: String?) {
        guard let reason else {
            log.write(.info, "receiver-connected", [("receiver", connection.name)])
            return
        }
        log.write(
            .warning, "receiver-lost", [("receiver", connection.name), ("reason", reason)])
    }
}

/// Messages on their way.
extension ReceiverLinks {
    /// At the end of this turn of the loop: what came in it is written at once.
    private func flushLater() {
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
        for action in custody.takeActions() {
            switch action {
            case .handOver(let key): handOver(key)
            case .settle(let key, let isDelivered):
                connection(of: key.channel)?.link.acknowledge(
                    key.channel, version: key.id, isDelivered: isDelivered)
            case .drop(let row): dropped.append(row)
            case .withdraw(let key):
                listener?.heard(.withdrawn(key.channel, message: key.id))
            }
        }
        if !dropped.isEmpty { attempt("messages-gone") { try store.removeMessages(dropped) } }
        attempt("tidy") { try store.tidy() }
        for connection in connections { connection.perform() }
        setSweep()
    }

    private func keep() {
        let keys = custody.takeUnkept()
        let messages = keys.compactMap { key in custody.entry(key).map { (key: key, entry: $0) } }
        guard !messages.isEmpty else { return }
        var rows: [Int64] = []
        attempt("messages") { rows = try store.keep(messages) }
        for (index, message) in messages.enumerated() {
            if index < rows.count {
                custody.kept(message.key, row: rows[index], at: BootClock.now)
            } else {
                custody.notKept(message.key, at: BootClock.now)
            }
        }
    }

    private func handOver(_ key: Custody.Key) {
        guard let entry = custody.entry(key) else { return }
        var body = entry.body
        if body == nil, let row = entry.row {
            attempt("message") { body = try store.body(ofMessage: row) }
        }
        guard let body else {
            log.write(.error, "message-lost", [("reason", "it does not unseal")])
            custody.finished(key, isDelivered: false, at: BootClock.now)
            return flushLater()
        }
        custody.forgetBody(key)
        listener?.heard(
            .message(
                PushedMessage(
                    channel: key.channel, id: key.id, body: body, deadline: entry.deadline,
                    urgency: entry.urgency)))
    }

    /// Only while something waits.
    private func setSweep() {
        if custody.isEmpty {
            if let sweepTimer { loop.cancel(sweepTimer) }
            sweepTimer = nil
        } else if sweepTimer == nil {
            sweepTimer = loop.schedule(after: Interval(Self.sweepInterval), self)
        }
    }

    package func timerFired(_ cookie: UInt64) {
        sweepTimer = nil
        custody.sweep(at: BootClock.now)
        flushLater()
    }
}
