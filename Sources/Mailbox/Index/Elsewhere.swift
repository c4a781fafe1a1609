package import Delivery
import System

/// What other stores did to devices that may be connected here.
package struct Elsewhere: Sendable {
    /// Messages that are stored, by device and position.
    package var stored: [(device: UInt32, position: Int64)] = []
    /// Messages that ended before they expired.
    package var ended: [MessageReference] = []
    /// Devices that connected there.
    package var connected: [UInt32] = []
    /// Messages that are not stored, for devices that are connected here.
    package var passed: [Message] = []
    /// Nobody here knows what happens there: devices are better off with another node.
    package var isUnknown = false

    var isEmpty: Bool {
        stored.isEmpty && ended.isEmpty && connected.isEmpty && passed.isEmpty && !isUnknown
    }
}

/// Tells a listener about it. Any thread may use it.
package final class ElsewhereIndex: Sendable {
    package typealias Listener = @Sendable (Elsewhere) -> Void

    /// In a box of its own: a function that is read out of something generic is wrapped once more
    /// each time, and so becomes slower and slower.
    private struct Hearer {
        let listener: Listener
        let isHere: @Sendable (UInt32) -> Bool
    }

    private let hearer = Lock<Hearer?>(nil)

    /// `listener` is called on any thread, when all of it is in the index. `isHere` says whether a
    /// device is connected.
    package func listen(
        _ listener: @escaping Listener, isHere: @escaping @Sendable (UInt32) -> Bool
    ) {
        hearer.withLock { $0 = Hearer(listener: listener, isHere: isHere) }
    }

    func isHere(_ device: UInt32) -> Bool { hearer.withLock { $0 }?.isHere(device) ?? false }

    func notify(_ news: Elsewhere) {
        guard !news.isEmpty else { return }
        hearer.withLock { $0 }?.listener(news)
    }
}
