/// Clients with waiting messages that all reconnect at once.
extension PushLoad {
    func beginStorm() {
        let total = options.subscribers * options.each
        openSubscribers { [self] in
            disconnectSubscribers()
            openPublishers { [self] in
                onAnswer = { [self] publisher in
                    if tally.sent < total { return publish(by: publisher) }
                    guard tally.accepted + tally.refused == total else { return }
                    onAnswer = nil
                    // Lets the writes settle first.
                    after(.seconds(1)) { self.storm(total) }
                }
                for publisher in publishers { publish(by: publisher) }
            }
        }
    }

    private func storm(_ total: Int) {
        let (start, cpu) = (Clock.nanoseconds, server.cpu)
        var connected = 0.0
        onReceipt = { [self] in
            guard tally.received == total else { return }
            let wall = Double(Clock.nanoseconds - start) / 1_000_000_000
            finish([
                ("clients", "\(options.subscribers)"), ("messages", "\(total)"),
                ("seconds", wall.text(digits: 2)), ("hello_seconds", connected.text(digits: 2)),
                ("cpu_seconds", (server.cpu - cpu).text(digits: 2)),
                ("refused", "\(tally.refused)"), ("duplicates", "\(tally.duplicates)"),
            ])
        }
        reconnectSubscribers { connected = Double(Clock.nanoseconds - start) / 1_000_000_000 }
        after(.seconds(options.seconds)) { [self] in
            lost("storm", "\(tally.received) of \(total) messages after \(options.seconds) s")
        }
    }
}
