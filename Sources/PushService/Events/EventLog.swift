import System

/// The last events of the server. It has a fixed size, so an event costs two dozen nanoseconds
/// whether or not somebody looks. Any thread may use it.
package final class EventLog: Sendable {
    package struct Entry: Equatable, Sendable {
        /// Counts all events since the start.
        package let number: Int
        package let event: ServerEvent
    }

    private struct Ring {
        var events: [ServerEvent]
        var count = 0
        /// When the last push to nobody was refused.
        var refusedStranger: Int64 = 0
    }

    private static let size = 512
    /// Milliseconds. Somebody who tries addresses must not push everything else out of the list.
    private static let strangerInterval: Int64 = 1_000
    private let ring: Lock<Ring>

    package init() {
        ring = Lock(Ring(events: Array(repeating: ServerEvent(.accepted), count: Self.size)))
    }

    func add(_ event: ServerEvent) {
        ring.withLock { ring in
            if event.kind == .refused, event.device == 0 {
                guard abs(event.time - ring.refusedStranger) >= Self.strangerInterval else {
                    return
                }
                ring.refusedStranger = event.time
            }
            ring.events[ring.count % Self.size] = event
            ring.count += 1
        }
    }

    /// How many there were since the start.
    package var count: Int { ring.withLock { $0.count } }

    /// The newest first.
    package var newest: [Entry] {
        let (events, count) = ring.withLock { ($0.events, $0.count) }
        return (0..<min(count, Self.size)).map { age in
            let number = count - 1 - age
            return Entry(number: number, event: events[number % Self.size])
        }
    }
}
