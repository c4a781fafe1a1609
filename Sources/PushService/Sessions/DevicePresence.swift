package import Mailbox
import System

/// Knows which devices are connected, and when each was here last. A device is one that has a
/// credential.
///
/// The store learns of each device at most once an hour, so that comings and goings cost nothing.
/// Any thread may use it.
package final class DevicePresence: Sendable {
    /// Writes the time at which a device was here: milliseconds since 1970.
    typealias Writing = @Sendable (_ credential: UInt32, Int64) -> Void

    /// In milliseconds.
    static let interval: Int64 = 3_600_000

    private struct Visits {
        /// The connections that are open.
        var sessions = 0
        /// When it last came, left or asked for something.
        var seen: Int64 = 0
        /// The last of these times that the store was given; nil if it was given none.
        var written: Int64?
    }

    private let visits = Lock<[UInt32: Visits]>([:])
    private let clock: @Sendable () -> Int64
    private let write: Writing

    init(clock: @escaping @Sendable () -> Int64, write: @escaping Writing) {
        self.clock = clock
        self.write = write
    }

    /// Writes to `store`, and waits for no answer: the next visit is written again.
    convenience init(in store: any MessageStore) {
        let sink = DiscardingSink()
        self.init(clock: { Int64(WallClock.now * 1_000) }) { credential, time in
            store.submit(.touchCredential(credential, at: time), ticket: 0, to: sink)
        }
    }

    /// A connection of the device was opened.
    func came(_ credential: UInt32) { note(credential, sessions: 1) }

    /// A connection of the device has ended.
    func left(_ credential: UInt32) { note(credential, sessions: -1) }

    /// The device sent a request.
    package func asked(_ credential: UInt32) { note(credential, sessions: 0) }

    /// The credentials ended.
    func forget(_ credentials: [UInt32]) {
        visits.withLock { visits in
            for credential in credentials { visits[credential] = nil }
        }
    }

    package func isConnected(_ credential: UInt32) -> Bool {
        visits.withLock { $0[credential]?.sessions ?? 0 } > 0
    }

    /// When the device was here, as far as this server knows; nil if not since its start.
    package func lastSeen(_ credential: UInt32) -> Int64? {
        guard let known = visits.withLock({ $0[credential] }) else { return nil }
        return known.sessions > 0 ? clock() : known.seen
    }

    /// When the device was here, also as far as the store knows, which may be an hour behind.
    package func lastSeen(_ device: DeviceCredential) -> Int64? {
        [device.lastSeen, lastSeen(device.row)].compactMap(\.self).max()
    }

    private func note(_ credential: UInt32, sessions change: Int) {
        let now = clock()
        let isDue = visits.withLock { visits in
            var known = visits[credential] ?? Visits()
            known.sessions += change
            known.seen = now
            // The clock may have been set back.
            let isDue = known.written.map { abs(now - $0) >= Self.interval } ?? true
            if isDue { known.written = now }
            visits[credential] = known
            return isDue
        }
        if isDue { write(credential, now) }
    }
}

private final class DiscardingSink: StoreSink {
    func completed(_ completions: [CompletedOperation]) {}
    func loaded(_ answer: LoadAnswer, ticket: UInt64) {}
}

/// The clients that are connected, as a person counts them: each user agent, and each screen that
/// shows notifications. A screen has a connection for every account, and perhaps one for
/// applications; all of them together are one client. Any thread may use it.
package final class ConnectedClients: Sendable {
    private struct Connections {
        var userAgents = 0
        var screens = 0
        var isEmpty: Bool { userAgents == 0 && screens == 0 }
    }

    private let connections = Lock<[Pass: Connections]>([:])

    package init() {}

    func userAgentCame(_ pass: Pass) { change(pass) { $0.userAgents += 1 } }

    func userAgentLeft(_ pass: Pass) { change(pass) { $0.userAgents -= 1 } }

    /// A client of an engine came.
    package func screenCame(_ pass: Pass) { change(pass) { $0.screens += 1 } }

    package func screenLeft(_ pass: Pass) { change(pass) { $0.screens -= 1 } }

    package var count: Int {
        connections.withLock { connections in
            connections.values.reduce(0) { $0 + max($1.userAgents, $1.screens > 0 ? 1 : 0) }
        }
    }

    private func change(_ pass: Pass, _ change: (inout Connections) -> Void) {
        connections.withLock { connections in
            var known = connections[pass] ?? Connections()
            change(&known)
            connections[pass] = known.isEmpty ? nil : known
        }
    }
}
