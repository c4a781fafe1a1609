package import Delivery

/// How long registrations are kept while no receiver is listed. Somebody may have emptied the file
/// by mistake, or it may lie on a disk that is not there yet.
///
/// It is a value: what is listed and the time of the store's clock go in. `since` is stored, so that
/// a restart does not begin the time anew.
package struct ReceiverGrace: Equatable, Sendable {
    package static let length: UInt32 = 86_400

    /// When the last receiver went; nil while there is one.
    package private(set) var since: StoreTime?

    package init(since: StoreTime?) { self.since = since }

    /// Call it with each list of receivers. True if `since` has changed.
    package mutating func listed(_ count: Int, at now: StoreTime) -> Bool {
        let former = since
        since = count > 0 ? nil : former ?? now
        return since != former
    }

    /// When the registrations end; nil while there is a receiver.
    package var end: StoreTime? { since?.adding(seconds: Self.length) }

    /// Whether there is no receiver, and the registrations are kept all the same.
    package func isRunning(at now: StoreTime) -> Bool { end.map { now < $0 } ?? false }
}
