package import Mailbox

/// What is worth a line in the log.
package enum ClusterEvent: Equatable, Sendable {
    case lost(node: String)
    case snapshot(Int64)
    case snapshotFailed(String)
    /// The cluster does not answer this node.
    case cutOff
    /// The connection to the cluster has ended for good.
    case closed
    /// This node cannot go on without a copy of another one's store.
    case behind
    /// This node's store is not what the log made of the others. It needs a copy, too.
    case differs(StoreDifference)
    /// As many nodes are like this one as are not.
    case disputed(StoreDifference)
    /// The log lacks what this node has up to this entry, or has something else there.
    case wentBack(Int64)
    /// The others are always faster, so that this node cannot write.
    case late
    /// Some may lose what they confirm, or none does any more.
    case servers(ServerReport)
    /// Others write in a schema that this program does not know.
    case newerLog(Int)
    /// The cluster seals under a master key that this node does not have.
    case keyMissing(UInt64)
    /// This node seals under another master key from now on.
    case keyUsed(UInt64)
    /// Everything was sealed under it again, except for rows that could not be unsealed.
    case resealed(UInt64, unopened: Int)
}

extension ClusterEvent {
    /// The process ends with it, and its manager starts it again.
    package var endsNode: Bool {
        switch self {
        case .behind, .differs, .wentBack, .newerLog, .keyMissing, .closed: true
        default: false
        }
    }
}
