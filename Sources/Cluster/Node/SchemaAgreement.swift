import Mailbox
import System

/// Lets a node begin when all nodes can follow what it writes.
///
/// The schema of a store has a number, which only newer versions of the program raise. A node writes
/// in its own. So the first node of a newer schema waits until all nodes that live know it, and
/// notes that older ones must not begin any more.
struct SchemaAgreement {
    /// In milliseconds: after the first, all nodes were heard.
    private static let hearing: UInt32 = 5_000
    private static let patience: Int64 = 20_000
    private static let pause: UInt32 = 200

    let record: ClusterRecord
    var known = CommitEntry.knownSchema

    /// Blocks for some seconds, if the schema of the cluster is not the known one.
    func reach() throws(ClusterFault) {
        let found = try record.schema() ?? CommitEntry.firstSchema
        guard found != known else { return }
        guard found < known else { throw .olderProgram(found: found, known: known) }
        let end = Boot.milliseconds + Self.patience
        WorkPause.milliseconds(Self.hearing)
        while true {
            let older = record.nodeTerms.filter { name, terms in
                name != record.name && terms?.schema ?? CommitEntry.firstSchema < known
            }
            if older.isEmpty { break }
            guard Boot.milliseconds < end else { throw .olderNodes(older.keys.sorted()) }
            WorkPause.milliseconds(Self.pause)
        }
        try record.raiseSchema(to: known)
    }
}
