import System
import WebPush

/// Requests of the distributor.
extension ReceiverLinks {
    package func perform(_ request: LinkRequest) {
        let now = BootClock.now
        switch request {
        case .register(let channel, let key, let known): register(channel, key, known)
        case .unregister(let channel):
            custody.ended(channel)
            guard let connection = connection(of: channel) else {
                endHeld(channel)
                return flushLater()
            }
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

    func register(_ channel: ChannelID, _ key: ApplicationKey?, _ known: String?) {
        unclaimed.remove(channel)
        var known = known
        if receivers[channel] == nil {
            guard let first = connections.first else {
                if hold(channel, key, known: known) { return }
                return notifyLater(.refused(channel, .actionRequired))
            }
            let isSaved = attempt("channel") {
                try store.save(
                    DesktopStore.ChannelRecord(
                        channel: channel, receiver: first.row, isEnded: false))
            }
            guard isSaved else { return notifyLater(.refused(channel, .internal)) }
            receivers[channel] = first.row
            // The endpoint is of another receiver.
            known = nil
        }
        guard let connection = connection(of: channel) else { return }
        connection.link.register(channel, key: key, known: known, at: BootClock.now)
        if isStarted { connection.perform() }
    }

    func notifyLater(_ event: LinkEvent) {
        loop.post { self.listener?.heard(event) }
    }

    /// Continues after a failed write; what could not be written is written again later.
    @discardableResult
    func attempt(_ what: StaticString, _ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            log.write(.error, "desktop-store", [("at", "\(what)"), ("reason", "\(error)")])
            return false
        }
    }
}

/// Events of the receivers.
extension ReceiverLinks {
    /// Other receivers name no expiry; they keep a message about this long.
    private static let usualLife = Duration.seconds(86_400)

    func perform(_ action: Link.Action, of connection: ReceiverConnection) {
        switch action {
        case .remember(let userAgent):
            attempt("user-agent") {
                try store.setUserAgent(userAgent, ofReceiver: connection.row)
            }
        case .endpoint(let channel, let endpoint): notifyLater(.endpoint(channel, endpoint))
        case .refuse(let channel, let reason): notifyLater(.refused(channel, reason))
        case .forget(let channel): forget(channel)
        case .greeted(isSame: true):
            custody.giveBack(to: connection.row)
            flushLater()
        case .connect, .disconnect, .greeted, .send: break
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

    /// Nothing comes on the channel any more, and no receiver needs to know.
    func forget(_ channel: ChannelID) {
        receivers[channel] = nil
        attempt("channel-gone") { try store.remove(channel) }
    }

    func changed(_ connection: ReceiverConnection) {
        let state = connection.state
        switch state.condition {
        case .connecting, .idle: break
        case .connected: log.write(.info, "receiver-connected", [("receiver", state.name)])
        case .refused, .untrusted, .unreachable:
            log.write(
                .warning, "receiver-lost",
                [
                    ("receiver", state.name), ("state", state.condition.rawValue),
                    ("reason", state.reason),
                ])
        }
    }
}

/// Registrations while no receiver is listed.
extension ReceiverLinks {
    /// A registration that waits for a receiver.
    struct HeldChannel {
        let key: ApplicationKey?
        /// The endpoint that the application has.
        let known: String?
    }

    static let graceCookie: UInt64 = 1
    /// Timers stop while the machine sleeps.
    private static let longestWait = Duration.seconds(3_600)

    /// Follows a new list of receivers. `records`: the stored channels.
    func follow(_ addresses: [ReceiverAddress], _ records: [DesktopStore.ChannelRecord]) {
        let now = store.now
        if grace.listed(addresses.count, at: now) {
            attempt("receivers-gone") { try store.setReceiversGone(grace.since) }
        }
        heldRows = [:]
        guard grace.isRunning(at: now) else {
            notifyLater(.unlisted(until: nil))
            return setGraceTimer()
        }
        for record in records where !record.isEnded {
            heldRows[record.channel] = record.receiver
        }
        let rest = seconds(from: now)
        if !heldRows.isEmpty {
            log.write(
                .warning, "registrations-kept",
                [
                    ("registrations", "\(heldRows.count)"), ("hours", "\((rest + 3_599) / 3_600)"),
                    ("reason", "no receiver is listed"),
                    ("advice", "put its address back into the file receivers, and reload"),
                ])
        }
        notifyLater(.unlisted(until: Int64(WallClock.now) + rest))
        setGraceTimer()
    }

    /// Keeps a stored channel until there is a receiver; false if it has to be refused.
    func hold(_ channel: ChannelID, _ key: ApplicationKey?, known: String?) -> Bool {
        guard heldRows[channel] != nil else { return false }
        held[channel] = HeldChannel(key: key, known: known)
        return true
    }

    /// The channel ends. Its receiver is told if it is listed again.
    func endHeld(_ channel: ChannelID) {
        guard held.removeValue(forKey: channel) != nil,
            let row = heldRows.removeValue(forKey: channel)
        else { return }
        attempt("channel-ended") {
            try store.save(
                DesktopStore.ChannelRecord(channel: channel, receiver: row, isEnded: true))
        }
    }

    /// Gives the registrations to the receivers that are there now: to their own, else to the
    /// first.
    func releaseHeld() {
        let all = held
        held = [:]
        for (channel, content) in all { register(channel, content.key, content.known) }
    }

    func graceElapsed() {
        guard !grace.isRunning(at: store.now) else { return setGraceTimer() }
        let all = held.keys
        (held, heldRows) = ([:], [:])
        if !all.isEmpty {
            log.write(
                .warning, "registrations-ended",
                [("registrations", "\(all.count)"), ("reason", "no receiver was listed for a day")])
        }
        for channel in all { notifyLater(.refused(channel, .actionRequired)) }
        notifyLater(.unlisted(until: nil))
    }

    private func seconds(from now: Duration) -> Int64 {
        max(.zero, (grace.end ?? now) - now).components.seconds
    }

    private func setGraceTimer() {
        let now = store.now
        let rest = grace.isRunning(at: now) ? Duration.seconds(seconds(from: now) + 1) : nil
        graceTimer.set(
            after: rest.map { min($0, Self.longestWait) }, on: loop, self,
            cookie: Self.graceCookie)
    }
}
