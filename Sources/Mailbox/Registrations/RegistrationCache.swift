import Base
import System

/// Registrations that were read lately, so that a push does not wait for the disk. Whole, because
/// what a push needs of one is most of it.
package final class RegistrationCache: Sendable {
    private static let limit = 16_384

    private struct State {
        var registrations: [UInt32: Registration] = [:]
        /// Counts what was forgotten: what was read before that is not put in.
        var generation = 0
    }

    private let state = Lock(State())

    package subscript(device: UInt32) -> Registration? {
        state.withLock { $0.registrations[device] }
    }

    var generation: Int { state.withLock { $0.generation } }

    /// What was read after `generation` was asked for.
    func put(_ registration: Registration, readIn generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            // Rather than to keep an order that nearly nobody needs.
            if state.registrations.count >= Self.limit { state.registrations = [:] }
            state.registrations[registration.device] = registration
        }
    }

    func forget(_ device: UInt32) {
        state.withLock { state in
            state.registrations[device] = nil
            state.generation += 1
        }
    }
}
