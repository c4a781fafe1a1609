import Reactor

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
        let keys = custody.dequeueUnkept()
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
            log.write(.error, "message-lost", [("reason", "it cannot be unsealed")])
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

    /// The timer runs only while something waits.
    private func setSweep() {
        if custody.isEmpty {
            if let sweepTimer { loop.cancel(sweepTimer) }
            sweepTimer = nil
        } else if sweepTimer == nil {
            sweepTimer = loop.schedule(after: Interval(Self.sweepInterval), self)
        }
    }

    package func timerFired(_ cookie: UInt64) {
        guard cookie != Self.graceCookie else { return graceElapsed() }
        sweepTimer = nil
        custody.sweep(at: BootClock.now)
        flushLater()
    }
}
