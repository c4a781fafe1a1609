import System

/// Devices and credentials that have ended: whoever is connected by one of them has to go.
package struct Endings: Sendable {
    package var devices: [UInt32] = []
    package var credentials: [UInt32] = []

    var isEmpty: Bool { devices.isEmpty && credentials.isEmpty }
}

/// Who wants to hear of endings. For all threads.
package final class EndingIndex: Sendable {
    package typealias Listener = @Sendable (Endings) -> Void

    private let listeners = Lock<[Listener]>([])

    /// `listener` is called on a thread of the store, when what has ended is no longer in the index.
    package func listen(_ listener: @escaping Listener) {
        listeners.withLock { $0.append(listener) }
    }

    func tell(_ endings: Endings) {
        guard !endings.isEmpty else { return }
        for listener in listeners.withLock({ $0 }) { listener(endings) }
    }
}
