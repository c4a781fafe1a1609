import Base
import System

/// Registrations that were read lately, so that a push does not wait for the disk. Whole, because
/// what a push needs of one is most of it.
package final class RegistrationCache: Sendable {
    /// One registration, for all who look at it: to hand it on counts one reference.
    package final class Entry: Sendable {
        package let registration: Registration
        package let push: EnginePush

        package init(_ registration: Registration) {
            self.registration = registration
            push = registration.enginePush
        }
    }

    private let limit: Int
    /// Of what they were read from, which takes some times that in memory.
    private let byteLimit: Int

    private struct State {
        var entries: [UInt32: Entry] = [:]
        /// Of all that were put in since it was empty.
        var bytes = 0
        /// Counts what was forgotten: what was read before that is not put in.
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

    /// What was read after `generation` was asked for.
    func put(_ registration: Registration, size: Int, readIn generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            // Rather than to keep an order that nearly nobody needs.
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
