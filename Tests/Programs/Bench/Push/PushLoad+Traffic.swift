/// Messages without a pause, or at a fixed rate.
extension PushLoad {
    private static let tick = Duration.milliseconds(1)
    /// A message that is not delivered within this many seconds after the end counts as lost.
    static let patience = 5.0

    func beginTraffic() {
        // Lets the connections settle first.
        after(.milliseconds(300)) { [self] in
            var idle = publishers
            let end = Clock.nanoseconds + Int((options.warm + options.seconds) * 1_000_000_000)
            onAnswer = { [self] publisher in
                if options.rate == 0, Clock.nanoseconds < end {
                    publish(by: publisher)
                } else {
                    idle.append(publisher)
                }
            }
            if options.rate > 0 {
                publish(from: Clock.nanoseconds, while: { Clock.nanoseconds < end }) {
                    idle.popLast()
                }
            } else {
                let first = idle
                idle = []
                for publisher in first { publish(by: publisher) }
            }
            after(.seconds(options.warm)) { self.measure() }
        }
    }

    /// Publishes at a steady rate; a message waits if no publisher is free.
    func publish(
        from start: Int, while goesOn: @escaping () -> Bool,
        _ publisher: @escaping () -> (any LoadPublisher)?
    ) {
        let first = tally.sent
        func tick() {
            let now = Clock.nanoseconds
            let due = Int(Double(now - start) * options.rate / 1_000_000_000)
            while tally.sent - first < due, let publisher = publisher() { publish(by: publisher) }
            if goesOn() { after(Self.tick, tick) }
        }
        tick()
    }

    private func measure() {
        tally.isMeasuring = true
        let (cpu, start, pages) = (server.cpu, Clock.nanoseconds, server.pagesWritten)
        let sent = tally.accepted
        after(.seconds(options.seconds)) { [self] in
            tally.isMeasuring = false
            let used = server.cpu - cpu
            let wall = Double(Clock.nanoseconds - start) / 1_000_000_000
            let written = server.pagesWritten - pages
            let accepted = tally.accepted - sent
            waitForRest(Self.patience) { [self] in
                report(cpu: used, wall: wall, pages: Double(written) / Double(max(1, accepted)))
            }
        }
    }

    func waitForRest(_ rest: Double, _ then: @escaping () -> Void) {
        let isAnswered = tally.accepted + tally.refused == tally.sent
        if rest <= 0 || (isAnswered && lost == 0) { return then() }
        after(.milliseconds(50)) { self.waitForRest(rest - 0.05, then) }
    }

    private func report(cpu: Double, wall: Double, pages: Double) {
        let isAbsent = options.mode.isAnsweredOnly
        let count = isAbsent ? tally.acceptedMeasured : tally.receivedMeasured
        var results = [
            ("messages", "\(count)"), ("rate", (Double(count) / wall).text(digits: 0)),
            ("cpu_us", (cpu / Double(max(1, count)) * 1_000_000).text(digits: 2)),
            ("core", (cpu / wall).text(digits: 3)), ("pages", pages.text(digits: 4)),
            ("told", (Double(tally.toldMeasured) / Double(max(1, count))).text(digits: 2)),
            ("accepted", "\(tally.accepted)"), ("refused", "\(tally.refused)"),
            ("duplicates", "\(tally.duplicates)"), ("lost", "\(lost)"),
        ]
        for (name, part) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)] {
            let times = tally.percentiles(part)
            results.append(("receive_\(name)", times.receipt.text(digits: 3)))
            results.append(("answer_\(name)", times.answer.text(digits: 3)))
        }
        finish(results)
    }
}
