import System
package import WebPush

/// The last refusal at each topic of somebody who has a credential of its owner. It is in memory alone,
/// and strangers leave nothing there. Any thread may use it.
package final class RefusedSenders: Sendable {
    /// With more topics than this, all of it is forgotten now and then.
    private static let limit = 4_096

    /// By the registration of the topic.
    private let last = Lock<[UInt32: ListedRefusal]>([:])

    package init() {}

    func note(_ refusal: ListedRefusal, at topic: UInt32) {
        last.withLock { last in
            if last.count >= Self.limit, last[topic] == nil { last = [:] }
            last[topic] = refusal
        }
    }

    func forget(_ topics: [UInt32]) {
        last.withLock { last in
            for topic in topics { last[topic] = nil }
        }
    }

    package subscript(topic: UInt32) -> ListedRefusal? { last.withLock { $0[topic] } }
}
