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

/// Something that happened on the server, for people who look at it. It has no contents.
package struct ServerEvent: Equatable, Sendable {
    package enum Kind: UInt8, CaseIterable, Sendable {
        /// A push was accepted, or refused with `status`.
        case accepted, refused
        /// An accepted push could not be decrypted or understood.
        case undecryptable
        /// A client acknowledged a message.
        case delivered
        /// A client came or left.
        case connected, disconnected
        /// A callback did not succeed; `status` is what it answered, if it did.
        case callback

        package var word: String {
            switch self {
            case .accepted: "accepted"
            case .refused: "refused"
            case .undecryptable: "undecryptable"
            case .delivered: "delivered"
            case .connected: "connected"
            case .disconnected: "disconnected"
            case .callback: "callback"
            }
        }
    }

    package let kind: Kind
    /// The status of a refusal or of a callback; zero if there is none.
    package let status: UInt16
    /// Why a push was refused or could not be read, as logs and metrics say it.
    package let word: String
    /// The row of the user agent or registration; zero if it is not known.
    package let device: UInt32
    /// The row of the device's credential; zero if it is not known, or has none.
    package let credential: UInt32
    /// Milliseconds since 1970.
    package private(set) var time: Int64

    package init(
        _ kind: Kind, status: Int = 0, word: String = "", device: UInt32 = 0, credential: UInt32 = 0
    ) {
        self.kind = kind
        self.status = UInt16(clamping: status)
        self.word = word
        self.device = device
        self.credential = credential
        time = 0
    }

    func at(_ time: Int64) -> ServerEvent {
        var event = self
        event.time = time
        return event
    }
}

/// When each registration got its last push, since the server was started. Any thread may use it.
package final class LastPushes: Sendable {
    /// With more registrations than this, all times are forgotten now and then.
    private static let limit = 65_536

    /// Milliseconds since 1970, by the row of the registration.
    private let times = Lock<[UInt32: Int64]>([:])

    package init() {}

    func note(_ device: UInt32, at time: Int64) {
        times.withLock { times in
            if times.count >= Self.limit, times[device] == nil { times = [:] }
            times[device] = time
        }
    }

    func forget(_ devices: [UInt32]) {
        times.withLock { times in
            for device in devices { times[device] = nil }
        }
    }

    package subscript(device: UInt32) -> Int64? { times.withLock { $0[device] } }
}
