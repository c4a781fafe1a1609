import System
import WebPush

/// Requests of the distributor.
extension ReceiverLinks {
    func register(_ channel: ChannelID, _ key: ApplicationKey?, known: String?) {
        unclaimed.remove(channel)
        var known = known
        if receivers[channel] == nil {
            guard let first = connections.first else {
                if hold(channel, key, known: known) { return }
                return refuse(channel, .actionRequired)
            }
            let isSaved = attempt("channel") {
                try store.save(
                    DesktopStore.ChannelRecord(
                        channel: channel, receiver: first.row, isEnded: false))
            }
            guard isSaved else { return refuse(channel, .internal) }
            receivers[channel] = first.row
            // The endpoint is of another receiver.
            known = nil
        }
        guard let connection = connection(of: channel) else { return }
        connection.link.register(channel, key: key, known: known, at: BootClock.now)
        if isStarted { connection.perform() }
    }

    func unregister(_ channel: ChannelID) {
        heldMessages.ended(channel)
        flushLater()
        guard let connection = connection(of: channel) else { return endHeld(channel) }
        attempt("channel-ended") {
            try store.save(
                DesktopStore.ChannelRecord(
                    channel: channel, receiver: connection.row, isEnded: true))
        }
        connection.link.unregister(channel, at: BootClock.now)
        connection.perform()
    }

    func finish(_ channel: ChannelID, message: String, isDelivered: Bool) {
        heldMessages.finished(
            HeldMessages.Key(channel, message), isDelivered: isDelivered, at: BootClock.now)
        flushLater()
    }

    func connection(of channel: ChannelID) -> ReceiverConnection? {
        guard let row = receivers[channel] else { return nil }
        return connections.first { $0.row == row }
    }

    /// Not at once: the distributor may be in the middle of a request.
    private func tellLater(
        _ event: @escaping @Sendable (inout Distributor, Distributor.Moment) -> Void
    ) {
        loop.post { self.tell(event) }
    }

    func obtained(_ endpoint: String, for channel: ChannelID) {
        tellLater { $0.obtained(endpoint, for: channel, at: $1) }
    }

    func refuse(_ channel: ChannelID, _ reason: RegistrationFailure) {
        tellLater { $0.refused(channel, reason, at: $1) }
    }

    /// All registrations end at that time, in seconds since 1970; nil if they do not.
    func unlisted(until end: Int64?) {
        tellLater { distributor, _ in distributor.unlisted(until: end) }
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

    /// The receiver knows this desktop, and sends again what it still keeps.
    func greeted(by connection: ReceiverConnection) {
        heldMessages.giveBack(to: connection.row)
        flushLater()
    }

    func remember(_ userAgent: String, of connection: ReceiverConnection) {
        attempt("user-agent") { try store.setUserAgent(userAgent, ofReceiver: connection.row) }
    }

    func received(_ message: ReceivedNotification, from connection: ReceiverConnection) {
        guard receivers[message.channel] == connection.row else {
            return connection.link.acknowledge(
                message.channel, version: message.version, isDelivered: false)
        }
        let now = BootClock.now
        let life = message.ttl.map { Duration.seconds(Int64($0)) } ?? Self.usualLife
        heldMessages.received(
            HeldMessages.Key(message.channel, message.version), from: connection.row,
            body: message.body,
            deadline: life > .zero ? now + life : nil, urgency: message.urgency ?? .normal,
            isForeign: !connection.link.isOurs, at: now)
        flushLater()
    }

    func withdrawn(_ channel: ChannelID, version: String) {
        heldMessages.withdrawn(HeldMessages.Key(channel, version), at: BootClock.now)
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
    /// A channel that waits until a receiver is listed.
    struct HeldChannel {
        /// The receiver that it had.
        let receiver: Int64
        /// What the distributor wants of it, with the endpoint that the application has; nil before
        /// the distributor has asked.
        var request: (key: ApplicationKey?, known: String?)?
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
        heldChannels = heldChannels.filter { $0.value.request != nil }
        guard grace.isRunning(at: now) else {
            unlisted(until: nil)
            return setGraceTimer()
        }
        for record in records where !record.isEnded {
            heldChannels[record.channel] = HeldChannel(
                receiver: record.receiver, request: heldChannels[record.channel]?.request)
        }
        let rest = seconds(from: now)
        if !heldChannels.isEmpty {
            log.write(
                .warning, "registrations-kept",
                [
                    ("registrations", "\(heldChannels.count)"),
                    ("hours", "\((rest + 3_599) / 3_600)"),
                    ("reason", "no receiver is listed"),
                    ("advice", "put its address back into the file receivers, and reload"),
                ])
        }
        unlisted(until: Int64(WallClock.now) + rest)
        setGraceTimer()
    }

    /// Keeps a stored channel until there is a receiver; false if it has to be refused.
    func hold(_ channel: ChannelID, _ key: ApplicationKey?, known: String?) -> Bool {
        guard heldChannels[channel] != nil else { return false }
        heldChannels[channel]?.request = (key, known)
        return true
    }

    /// The channel ends. Its receiver is told if it is listed again.
    func endHeld(_ channel: ChannelID) {
        guard let row = heldChannels.removeValue(forKey: channel)?.receiver else { return }
        attempt("channel-ended") {
            try store.save(
                DesktopStore.ChannelRecord(channel: channel, receiver: row, isEnded: true))
        }
    }

    /// Gives the registrations to the receivers that are there now: to their own, else to the
    /// first.
    func releaseHeld() {
        let all = heldChannels
        heldChannels = [:]
        for (channel, content) in all {
            if let (key, known) = content.request { register(channel, key, known: known) }
        }
    }

    func graceElapsed() {
        guard !grace.isRunning(at: store.now) else { return setGraceTimer() }
        let all = heldChannels.filter { $0.value.request != nil }.keys
        heldChannels = [:]
        if !all.isEmpty {
            log.write(
                .warning, "registrations-ended",
                [("registrations", "\(all.count)"), ("reason", "no receiver was listed for a day")])
        }
        for channel in all { refuse(channel, .actionRequired) }
        unlisted(until: nil)
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
