import Synchronization

/// The total of unanswered bodies that all connections of a server may hold.
///
/// Shared by its loops. A request that finds no room is answered with 503, after which senders try
/// again.
package final class MemoryBudget: Sendable {
    private let limit: Int
    private let heldBytes = Atomic<Int>(0)

    package init(limit: Int) { self.limit = limit }

    func take(_ count: Int) -> Bool {
        let (_, held) = heldBytes.add(count, ordering: .relaxed)
        if held <= limit { return true }
        giveBack(count)
        return false
    }

    func giveBack(_ count: Int) { heldBytes.subtract(count, ordering: .relaxed) }
}
