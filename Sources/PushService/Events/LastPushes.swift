import System

/// When each registration got its last push, since the server was started. Any thread may use it.
package final class LastPushes: Sendable {
    /// Whoever has more registrations than this sees no times for a while.
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
