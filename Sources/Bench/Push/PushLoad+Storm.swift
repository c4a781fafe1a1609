/// Clients that all come back at once, as after a restart, while others publish to them.
extension PushLoad {
    func beginStorm() {
        makeSubscribers()
        openPublishers { [self] in
            var idle = publishers
            var isOver = false
            onAnswer = { idle.append($0) }
            let (start, cpu) = (Clock.nanoseconds, server.cpu)
            publish(from: start, while: { !isOver }, { idle.popLast() })
            openSubscribers(subscribers.count) { [self] in
                let wall = Double(Clock.nanoseconds - start) / 1_000_000_000
                let used = server.cpu - cpu
                isOver = true
                waitForRest(Self.patience) { [self] in
                    let count = Double(subscribers.count)
                    finish([
                        ("clients", "\(subscribers.count)"), ("seconds", wall.text(digits: 2)),
                        ("cpu_us", (used / count * 1_000_000).text(digits: 2)),
                        ("retries", "\(retries)"), ("accepted", "\(tally.accepted)"),
                        ("refused", "\(tally.refused)"), ("duplicates", "\(tally.duplicates)"),
                        ("lost", "\(lost)"),
                    ])
                }
            }
        }
    }
}
