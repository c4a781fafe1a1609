import Mailbox
import System

/// The master key of all nodes.
extension ClusterRecord {
    /// Nil as long as nobody has made the identity, or it was not read.
    package var keyTerms: KeyTerms? { keyWatch.terms }

    /// Whether this node knows which key counts. A node that does not may seal under a former one.
    var isInformed: Bool { keyWatch.isInformed(at: Boot.milliseconds) }

    /// From now on, the cluster seals under the key that `seal` uses. It gets the identity as it is.
    package func rotate(
        to key: UInt64, _ seal: (Identity) throws(ClusterFault) -> Identity
    ) throws(ClusterFault) {
        // First what is left to do, because whoever does this may end in between.
        let resealing = Resealing(key: key)
        _ = try Self.change(KeyWatch.resealing, jetStream) { (_) throws(ClusterFault) in
            (resealing.body, ())
        }
        let sequence = try Self.change(KeyWatch.identity, jetStream) {
            (found) throws(ClusterFault) in
            guard let found else { throw .otherStream(Self.stream) }
            let identity = try Self.identity(found)
            return (identity.sealingKey == key ? nil : try seal(identity).body, ())
        }.sequence
        keyWatch.note(KeyTerms(key: key, resealing: resealing), sequence: sequence)
    }

    /// Everything is sealed under this key, except for rows that could not be unsealed.
    package func endResealing(_ key: UInt64, unopened: Int) throws(ClusterFault) {
        let end = Resealing(key: key, unopened: unopened)
        _ = try Self.change(KeyWatch.resealing, jetStream) { (found) throws(ClusterFault) in
            // Another change has begun.
            guard let found, Resealing(found)?.key == key else { return (nil, ()) }
            return (end.body, ())
        }
    }
}

/// The highest entry of the log of which the one that leads knows that it is confirmed.
extension ClusterRecord {
    private static let confirmed = "bw.cluster.confirmed"

    func confirmedEntry() throws(ClusterFault) -> EntryMark? {
        try Self.change(Self.confirmed, jetStream) { (found) throws(ClusterFault) in
            (nil, found.flatMap { EntryMark($0) })
        }.result
    }

    /// Never lower than before.
    func confirm(_ mark: EntryMark) throws(ClusterFault) {
        _ = try Self.change(Self.confirmed, jetStream) { (found) throws(ClusterFault) in
            let former = found.flatMap { EntryMark($0) }?.number ?? 0
            return (former < mark.number ? mark.body : nil, ())
        }
    }
}

/// The schema that nodes write in.
extension ClusterRecord {
    private static let schema = "bw.cluster.schema"

    /// Nil if it is the one that all clusters began with.
    func schema() throws(ClusterFault) -> Int? {
        try Self.change(Self.schema, jetStream) { (found) throws(ClusterFault) in
            (nil, Self.schema(found))
        }.result
    }

    func raiseSchema(to number: Int) throws(ClusterFault) {
        _ = try Self.change(Self.schema, jetStream) { (found) throws(ClusterFault) in
            let isOlder = Self.schema(found) ?? 0 < number
            return (isOlder ? Array(String(number).utf8) : nil, ())
        }
    }

    private static func schema(_ found: [UInt8]?) -> Int? {
        found.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }
}
