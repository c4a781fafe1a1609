import Delivery
import Reactor
import System
import WebPush

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
        let now = store.clock.now
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
        graceTimer = nil
        guard !grace.isRunning(at: store.clock.now) else { return setGraceTimer() }
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

    private func seconds(from now: StoreTime) -> Int64 {
        let end = grace.end ?? now
        return max(0, end.milliseconds - now.milliseconds) / 1_000
    }

    private func setGraceTimer() {
        if let graceTimer { loop.cancel(graceTimer) }
        graceTimer = nil
        let now = store.clock.now
        guard grace.isRunning(at: now) else { return }
        let rest = Duration.seconds(seconds(from: now) + 1)
        graceTimer = loop.schedule(
            after: Interval(min(rest, Self.longestWait)), self, cookie: Self.graceCookie)
    }
}
