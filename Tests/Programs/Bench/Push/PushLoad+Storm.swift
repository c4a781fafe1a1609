/// Clients that all come back at once, as after a restart, while others publish to them.
extension PushLoad {
    func beginStorm() {
        makeSubscribers()
        openPublishers { [self] in
            var idle = publishers
            onAnswer = { idle.append($0) }
            let (start, cpu) = (Clock.nanoseconds, server.cpu)
            let end = start + Int(options.seconds * 1_000_000_000)
            // However long the clients take, as much is published.
            var (isPublished, wall) = (false, 0.0)
            func goOn() {
                guard isPublished, wall > 0 else { return }
                reportStorm(cpu: server.cpu - cpu, wall: wall)
            }
            publish(from: start, while: { Clock.nanoseconds < end }, { idle.popLast() })
            after(.seconds(options.seconds)) {
                isPublished = true
                goOn()
            }
            openSubscribers(subscribers.count) {
                wall = Double(Clock.nanoseconds - start) / 1_000_000_000
                goOn()
            }
        }
    }

    private func reportStorm(cpu: Double, wall: Double) {
        waitForRest(Self.patience) { [self] in
            let each = cpu / Double(subscribers.count) * 1_000_000
            finish([
                ("clients", "\(subscribers.count)"), ("seconds", wall.text(digits: 2)),
                ("cpu_us", each.text(digits: 2)), ("retries", "\(retries)"),
                ("accepted", "\(tally.accepted)"), ("refused", "\(tally.refused)"),
                ("duplicates", "\(tally.duplicates)"), ("lost", "\(lost)"),
            ])
        }
    }
}
