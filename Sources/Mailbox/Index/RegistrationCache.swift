import System

/// Recently read registrations, so that a push does not wait for the disk. They are kept whole,
/// because a push needs most of one.
package final class RegistrationCache: Sendable {
    /// A shared registration: passing it on costs one reference count.
    package final class Entry: Sendable {
        package let registration: Registration
        package let push: EnginePush

        package init(_ registration: Registration) {
            self.registration = registration
            push = registration.enginePush
        }
    }

    private let limit: Int
    /// The limit in bytes of the stored records; in memory they take several times that.
    private let byteLimit: Int

    private struct State {
        var entries: [UInt32: Entry] = [:]
        /// The size of everything added since the cache was last empty.
        var bytes = 0
        /// Counts removals: a registration read before a removal is not added.
        var generation = 0
    }

    private let state = Lock(State())

    init(limit: Int = 16_384, byteLimit: Int = 16 << 20) {
        self.limit = limit
        self.byteLimit = byteLimit
    }

    package subscript(device: UInt32) -> Entry? {
        state.withLock { $0.entries[device] }
    }

    var generation: Int { state.withLock { $0.generation } }

    /// Adds a registration that was read after `generation` was taken.
    func put(_ registration: Registration, size: Int, readIn generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            // Emptying is cheaper than keeping an order that is hardly ever needed.
            if state.entries.count >= limit || state.bytes + size > byteLimit {
                state.entries = [:]
                state.bytes = 0
            }
            state.bytes += size
            state.entries[registration.device] = Entry(registration)
        }
    }

    func forget(_ device: UInt32) {
        state.withLock { state in
            state.entries[device] = nil
            state.generation += 1
        }
    }
}
