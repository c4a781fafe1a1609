import Base
import Crypto
import Mailbox
import Synchronization
import System

/// What all nodes know besides the log. It is in a stream that keeps the newest message of each
/// subject.
package final class ClusterState: Sendable {
    /// What is the same for all nodes, for ever.
    package struct Identity: Equatable, Sendable {
        /// `OwnKeys` of the store, as a node has sealed them.
        package let key: [UInt8]
        /// Milliseconds since 1970 by the cluster's time.
        package let origin: Int64

        package init(key: [UInt8], origin: Int64) {
            self.key = key
            self.origin = origin
        }

        /// The id of the master key under which the cluster seals: `key` is sealed under it.
        package var sealingKey: UInt64? { Sealer.masterKeyID(ofStart: key.span) }

        var body: [UInt8] {
            var bytes: [UInt8] = []
            bytes.append(bigEndian: UInt64(bitPattern: origin))
            return bytes + key
        }
    }

    static let stream = "BW_CLUSTER"
    private static let numbers = "bw.cluster.numbers"
    /// In milliseconds.
    private static let patience: Int64 = 5_000
    private static let pause: UInt32 = 20

    let jetStream: JetStream
    private let election: LeadElection
    private let mayLead = Atomic(false)
    /// The name of this node.
    let name: String
    private let heartbeats: Heartbeats
    let sealingReader: SealingStateReader

    init(_ jetStream: JetStream, name: String) throws(ClusterFault) {
        self.jetStream = jetStream
        self.name = name
        election = LeadElection(jetStream, mark: try RandomText.make())
        sealingReader = SealingStateReader(jetStream)
        do throws(NatsError) { heartbeats = try Heartbeats(jetStream.connection, name: name) } catch
        {
            throw ClusterFault(error)
        }
    }

    /// The first node makes it; all others read what that one made. `make` may be called in vain.
    package func identity(
        orMake make: () throws(ClusterFault) -> Identity
    ) throws(ClusterFault) -> Identity {
        try Self.change(SealingStateReader.identity, jetStream) { (found) throws(ClusterFault) in
            if let found { return (nil, try Self.identity(found)) }
            let made = try make()
            return (made.body, made)
        }.result
    }

    /// A number, from 1 on, that no other call gets.
    package func takeNumbers() throws(ClusterFault) -> Int64 {
        try Self.change(Self.numbers, jetStream) { (found) throws(ClusterFault) in
            let next = Self.number(found) + 1
            return (Array(String(next).utf8), next)
        }.result
    }

    /// Numbers up to this one were given already.
    static func setNumbers(_ number: Int64, _ jetStream: JetStream) throws(ClusterFault) {
        _ = try change(numbers, jetStream) { (found) throws(ClusterFault) in
            (Array(String(max(number, Self.number(found))).utf8), ())
        }
    }

    private static func number(_ found: [UInt8]?) -> Int64 {
        found.flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    /// The identity that the first node made; nil if there was no node yet.
    static func identity(_ jetStream: JetStream) throws(ClusterFault) -> Identity? {
        try change(SealingStateReader.identity, jetStream) { (found) throws(ClusterFault) in
            (nil, try found.map { (bytes) throws(ClusterFault) in try identity(bytes) })
        }.result
    }

    /// Whether this node leads: no two do at the same time.
    package var isLead: Bool { election.isLead(at: Boot.milliseconds) }

    /// The names of the nodes whose heartbeat came in the last 15 seconds, with this one.
    package var livingNodes: Set<String> { heartbeats.livingNodes }

    /// What these nodes tell of themselves; nil for a node whose version tells nothing.
    package var nodeReports: [String: NodeReport?] { heartbeats.reports }

    /// The reports of all nodes but this one.
    var otherReports: [NodeReport?] { nodeReports.filter { $0.key != name }.map(\.value) }

    /// `report` is called for each heartbeat, and the other nodes get the result.
    package func tell(_ report: @escaping @Sendable () -> NodeReport) { heartbeats.tell(report) }

    /// The other nodes whose heartbeat came within so many milliseconds.
    func others(heardWithin patience: Int64) -> [String] {
        heartbeats.others(heardWithin: patience).sorted()
    }

    func connectionReturned() { heartbeats.connectionReturned() }

    /// From now on this node may lead: it has what the others have.
    func standForLead() { mayLead.store(true, ordering: .relaxed) }

    func tick() {
        if mayLead.load(ordering: .relaxed) { election.tick() }
        sealingReader.tick()
        heartbeats.tick()
    }

    func stop() {
        election.close()
        heartbeats.stop()
    }

    static var settings: StreamSettings {
        var stream = StreamSettings(name: Self.stream, subjects: ["bw.cluster.>"])
        stream.messagesPerSubject = 1
        stream.limitsLife = true
        return stream
    }

    /// Replaces the message of a subject. `body` gets the present one, and gives what to write, or
    /// nil for nothing, and the result. It is called again if another node was faster.
    ///
    /// `body` is also called again after a write without an answer. If that write was done after
    /// all, its result is not used.
    static func change<Result>(
        _ subject: String, _ jetStream: JetStream,
        _ body: ([UInt8]?) throws(ClusterFault) -> ([UInt8]?, Result)
    ) throws(ClusterFault) -> (result: Result, sequence: Int64) {
        let deadline = Boot.milliseconds + Self.patience
        repeat {
            let outcome = jetStream.get(.newest([subject], batch: 1), of: stream)
            if case .messages(let messages) = outcome {
                let (bytes, result) = try body(messages.first?.message.body)
                guard let bytes else { return (result, messages.first?.sequence ?? 0) }
                let expected = String(messages.first?.sequence ?? 0)
                let answer = jetStream.publish(
                    subject, [("Nats-Expected-Last-Subject-Sequence", expected)], bytes)
                if case .stored(let sequence) = answer { return (result, sequence) }
                if case .refused(let error) = answer { throw .failed(error: error) }
            }
            WorkPause.milliseconds(Self.pause)
        } while Boot.milliseconds < deadline
        throw .noAnswer
    }

    static func identity(_ bytes: [UInt8]) throws(ClusterFault) -> Identity {
        guard bytes.count > 8 else { throw .otherStream(stream) }
        return Identity(
            key: Array(bytes[8...]), origin: Int64(bitPattern: bytes.span.word(at: 0)))
    }
}

/// The master key of all nodes.
extension ClusterState {
    /// Nil as long as no node has made the identity, or it was not read.
    package var sealingState: SealingState? { sealingReader.state }

    /// Whether this node knows which key the cluster uses. Otherwise it may seal under a former
    /// one.
    var isInformed: Bool { sealingReader.isInformed(at: Boot.milliseconds) }

    /// From now on, the cluster seals under the key that `seal` uses. `seal` gets the present
    /// identity.
    package func rotate(
        to key: UInt64, _ seal: (Identity) throws(ClusterFault) -> Identity
    ) throws(ClusterFault) {
        // First the mark that everything has to be sealed again, because this node may end in
        // between.
        let resealing = ResealingMark(key: key)
        _ = try Self.change(SealingStateReader.resealing, jetStream) { (_) throws(ClusterFault) in
            (resealing.body, ())
        }
        let sequence = try Self.change(SealingStateReader.identity, jetStream) {
            (found) throws(ClusterFault) in
            guard let found else { throw .otherStream(Self.stream) }
            let identity = try Self.identity(found)
            return (identity.sealingKey == key ? nil : try seal(identity).body, ())
        }.sequence
        sealingReader.note(SealingState(key: key, resealing: resealing), sequence: sequence)
    }

    /// Everything is sealed under this key, except for rows that could not be unsealed.
    package func endResealing(_ key: UInt64, unopened: Int) throws(ClusterFault) {
        let end = ResealingMark(key: key, unopened: unopened)
        _ = try Self.change(SealingStateReader.resealing, jetStream) {
            (found) throws(ClusterFault) in
            // Another change has begun.
            guard let found, ResealingMark(found)?.key == key else { return (nil, ()) }
            return (end.body, ())
        }
    }
}

/// The highest entry of the log that the leading node knows to be confirmed.
extension ClusterState {
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
extension ClusterState {
    private static let schema = "bw.cluster.schema"

    /// Nil for the schema that all clusters began with.
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
