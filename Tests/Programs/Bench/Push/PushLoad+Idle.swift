/// Clients that are connected and receive nothing.
extension PushLoad {
    func beginIdling() {
        let (memory, cpu) = (server.memory, server.cpu)
        makeSubscribers()
        openSubscribers { [self] in
            let opening = server.cpu - cpu
            after(.seconds(options.warm)) { [self] in
                let now = server.memory
                let (start, idle) = (Clock.nanoseconds, server.cpu)
                after(.seconds(options.seconds)) { [self] in
                    let wall = Double(Clock.nanoseconds - start) / 1_000_000_000
                    let count = Double(subscribers.count)
                    let resident = Double(now.resident - memory.resident) / count
                    let proportional = Double(now.proportional - memory.proportional) / count
                    finish([
                        ("clients", "\(subscribers.count)"),
                        ("rss_kib", resident.text(digits: 2)),
                        ("pss_kib", proportional.text(digits: 2)),
                        ("open_us", (opening / count * 1_000_000).text(digits: 0)),
                        ("core", ((server.cpu - idle) / wall).text(digits: 5)),
                    ])
                }
            }
        }
    }
}
