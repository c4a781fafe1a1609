import System

/// Devices and credentials that have ended: connections that use them must be closed.
package struct Endings: Sendable {
    package var devices: [UInt32] = []
    package var credentials: [UInt32] = []

    var isEmpty: Bool { devices.isEmpty && credentials.isEmpty }
}

/// Tells listeners about endings. Any thread may use it.
package final class EndingIndex: Sendable {
    package typealias Listener = @Sendable (Endings) -> Void

    private let listeners = Lock<[Listener]>([])

    /// `listener` is called on a store thread, after the ended items have left the index.
    package func listen(_ listener: @escaping Listener) {
        listeners.withLock { $0.append(listener) }
    }

    func notify(_ endings: Endings) {
        guard !endings.isEmpty else { return }
        for listener in listeners.withLock({ $0 }) { listener(endings) }
    }
}
